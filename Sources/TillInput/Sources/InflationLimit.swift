/// How much a compressed source may inflate to. Without a limit, a bomb of a few megabytes could keep a run busy for
/// days.
///
/// The limit bounds time. Memory does not depend on it, because only chunks of the output are held. It applies to the
/// whole source and not to each member.
public struct InflationLimit: Hashable, Sendable {
    /// The limit on output bytes for each stored byte, at least 1. It applies after ``freeByteCount`` bytes of output.
    public var ratio: Int
    /// Output bytes that every source may have: 1 GiB inflates within seconds.
    var freeByteCount = 1 << 30

    /// The default. Responses that repeat one receipt reach 1800 with zstd. The format of gzip cannot exceed 1032.
    public static let usualRatio = 2000

    /// Makes a limit; a `ratio` below 1 counts as 1.
    public init(ratio: Int = InflationLimit.usualRatio) {
        self.ratio = max(1, ratio)
    }

    /// Whether `given` bytes of output from `taken` stored bytes are too many.
    func isExceeded(by given: Int, from taken: Int) -> Bool {
        given > freeByteCount && given / max(1, taken) >= ratio
    }

    var reason: String {
        "it inflates to more than \(ratio) times its size, as bombs do (limit: ratio); --max-ratio allows more"
    }
}
