/// The layers that a search has removed, outermost first, and their members.
///
/// It is needed for the reason of a reject in which no document was found. It makes no allocation for each layer.
struct OpenedLayers {
    private typealias Kind = DocumentTrace.Layer.Kind

    /// ``width`` bits for each layer, the innermost lowest.
    private var packed: UInt64 = 0
    private(set) var count = 0
    /// The way to the innermost, where the search keeps it.
    var members: [String] = []

    private static let width: UInt64 = 5
    /// Layers that are remembered; further ones are not.
    private static let most = 12

    mutating func open(_ kind: DocumentTrace.Layer.Kind) {
        count += 1
        if count <= Self.most { packed = packed << Self.width | UInt64(kind.rawValue) }
    }

    mutating func close() {
        if count <= Self.most { packed >>= Self.width }
        count -= 1
    }

    /// One sentence for a person, in the words of `tillroll inspect`.
    var reason: String {
        let remembered = min(count, Self.most)
        let kinds = (0..<remembered).reversed().compactMap {
            Kind(rawValue: UInt8(packed >> (Self.width * UInt64($0)) & 0x1F))?.name
        }
        return "no receipt in it: \(kinds.joined(separator: " › ")) was opened; looked for a receipt, a JWS, "
            + "a verifyReceipt response, a notification or an event"
    }
}
