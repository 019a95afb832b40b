/// A member that tells the format of a JSON object, and its rank where members of several formats stand in one object.
///
///     {"event":"purchased","receipt-data":"MIIT…"}      "event" tells an event, "receipt-data" a receipt, which has the higher rank
///
/// The first discriminator of an object chooses the format (``FormatDetector``). A format that meets a discriminator of a higher
/// rank than its own gives the object up, so the order of members does not matter.
struct Discriminator {
    let key: String
    let format: FormatID
    let rank: Int

    /// The discriminators of a higher rank than those of a format, without the weak ones.
    static func all(above format: any ReceiptFormat.Type) -> [Discriminator] {
        FormatID.all.filter { $0.type.rank > format.rank }.flatMap { other in
            other.type.jsonKeys.filter { !other.type.weakKeys.contains($0) }.map { key in
                Discriminator(key: key, format: other, rank: other.type.rank)
            }
        }
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
