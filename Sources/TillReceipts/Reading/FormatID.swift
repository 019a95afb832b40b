/// A format of the registry, by its place there.
public struct FormatID: Hashable, Sendable {
    let index: Int

    init(index: Int) { self.index = index }

    /// The format of a type; `nil` if it is not in ``ReceiptFormatRegistry/all``.
    init?(_ type: any ReceiptFormat.Type) {
        guard let format = Self.all.first(where: { $0.type == type }) else { return nil }
        self = format
    }

    /// Every format, in the order of the registry.
    static let all = ReceiptFormatRegistry.all.indices.map(FormatID.init(index:))

    /// The format whose documents are the payloads of JWS, the first where there are several.
    static let ofSignedPayloads = all.first { $0.type.readsSignedPayloads }

    var type: any ReceiptFormat.Type { ReceiptFormatRegistry.all[index] }
    var name: String { type.name }
}
