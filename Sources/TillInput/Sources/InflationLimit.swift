/// How much a compressed source may inflate to: a bomb of a few megabytes would else keep a run busy for days.
///
/// What is inflated is never held, so this bounds time, not memory. The limit is on the source as a whole: many small
/// members are no way around it.
public struct InflationLimit: Hashable, Sendable {
    /// The most bytes that a source may give for each of its own, once it has given more than ``freeByteCount``.
    public var ratio: Int
    /// Bytes that any source may give: less than this takes no time worth a limit.
    var freeByteCount = 1 << 30

    /// Responses that repeat one receipt over and over come to 1800 in zstd, and gzip cannot exceed 1032.
    public static let usualRatio = 2000

    public init(ratio: Int = InflationLimit.usualRatio) {
        self.ratio = max(1, ratio)
    }

    func isExceeded(by given: Int, from taken: Int) -> Bool {
        given > freeByteCount && given / max(1, taken) >= ratio
    }

    var reason: String {
        "it inflates to more than \(ratio) times its size, as bombs do (limit: ratio); --max-ratio allows more"
    }
}
