import TillJSON

/// A member that identifies the format of a JSON object, and its rank among members of other formats in the same
/// object.
///
///     {"event":"purchased","receipt-data":"MIIT…"}      "event" tells an event, "receipt-data" a receipt, which has the higher rank
///
/// The first discriminator of an object chooses the format (``FormatDetector``). A format that meets a discriminator of
/// a higher rank than its own gives the object up, so the order of members does not matter.
struct Discriminator {
    let key: String
    let format: FormatID
    let rank: Int
    /// The key as Apple spells it.
    let canonicalKey: String

    init(key: String, format: FormatID, rank: Int, canonicalKey: String? = nil) {
        (self.key, self.format, self.rank) = (key, format, rank)
        self.canonicalKey = canonicalKey ?? key
    }

    /// All discriminators. Those of verifyReceipt and of notifications are known by every spelling (``KeySpelling``),
    /// unless another key has it; payloads of a JWS would otherwise be mistaken for them. Those of payloads are known
    /// in camel case only.
    static let all: [Discriminator] = {
        let own = FormatID.all.flatMap { format in
            format.type.jsonKeys.map { (name: $0, key: Discriminator(key: $0, format: format, rank: format.type.rank)) }
        }
        return KeySpelling.all(own).compactMap { name, discriminator in
            if name == discriminator.key { return discriminator }
            guard discriminator.rank > EventFormat.rank || !name.contains("_") else { return nil }
            return Discriminator(
                key: name,
                format: discriminator.format,
                rank: discriminator.rank,
                canonicalKey: discriminator.key
            )
        }
    }()

    /// The discriminators of a higher rank than those of a format, without the weak ones.
    static func all(above format: any ReceiptFormat.Type) -> [Discriminator] {
        all.filter { $0.rank > format.rank && !$0.format.type.weakKeys.contains($0.canonicalKey) }
    }
}

/// The format of the highest rank among the discriminators of an object that have been met.
struct DetectedFormat {
    private(set) var format: FormatID?
    private var rank = Int.min

    mutating func update(with discriminator: Discriminator) {
        if discriminator.rank > rank { (format, rank) = (discriminator.format, discriminator.rank) }
    }
}
