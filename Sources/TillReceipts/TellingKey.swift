/// A member that tells the format of a JSON object, and what that counts for where members tell of several.
///
///     {"event":"purchased","receipt-data":"MIIT…"}      an event by the one, a receipt by the other, which counts for more
///
/// The first telling member chooses who reads (``DocumentSniffer``); a reader that meets a key of a higher rank than its own gives
/// the object up, so that the order of members has no say.
struct TellingKey {
    let name: String
    /// The name of the format.
    let format: String
    let rank: Int

    /// The keys that say more than those of a format.
    static func all(above format: any ReceiptFormat.Type) -> [TellingKey] {
        ReceiptFormatRegistry.all.filter { $0.rank > format.rank }.flatMap { other in
            other.jsonKeys.filter { !other.weakKeys.contains($0) }.map { name in
                TellingKey(name: name, format: other.name, rank: other.rank)
            }
        }
    }
}

/// The format that counts for the most among those that members of an object tell.
struct ToldFormat {
    private(set) var name: String?
    private var rank = Int.min

    mutating func see(_ key: TellingKey) {
        if key.rank > rank { (name, rank) = (key.format, key.rank) }
    }
}
