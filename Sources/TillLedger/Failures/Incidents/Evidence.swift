/// How sure it is that a rate has risen, in integers, so that every machine and every split of the input agrees.
enum Evidence {
    /// One bit of evidence: all figures here are in 2⁻³² bits.
    static let bit: Int128 = 1 << 32

    /// ⌊log₂ x × 2³²⌋: the bit length, then 32 squarings of the mantissa.
    ///
    /// - Parameter x: 1 or more.
    static func log2(_ x: Int) -> Int128 {
        let length = Int.bitWidth - 1 - x.leadingZeroBitCount
        var mantissa = UInt64(x) << UInt64(63 - length)
        var result = UInt64(length)
        for _ in 0..<32 {
            let square = mantissa.multipliedFullWidth(by: mantissa)
            let isTwoOrMore = square.high >> 63 == 1
            mantissa = isTwoOrMore ? square.high : square.high << 1 | square.low >> 63
            result = result << 1 | (isTwoOrMore ? 1 : 0)
        }
        return Int128(result)
    }

    /// The evidence that `k` of `n` is no accident where `past` is usual. The chance of an accident is below 2 to the
    /// minus this many bits (Chernoff's bound: k + K times the Kullback–Leibler divergence).
    ///
    /// - Parameters:
    ///   - k: failures, 1 or more.
    ///   - n: attempts, `k` or more.
    static func bits(_ k: Int, of n: Int, past: Rate) -> Int128 {
        let whole = log2(n + past.attempts) - log2(k + past.failures)
        let now = Int128(k) * (log2(k) - log2(n) + whole)
        guard past.failures > 0 else { return now }
        return now + Int128(past.failures) * (log2(past.failures) - log2(past.attempts) + whole)
    }

    /// The number of accounts that fail, of which some fail often: `groups` has a bit for each of 64 groups of accounts
    /// in which one failed.
    static func accounts(_ failures: Int, in groups: UInt64) -> Int {
        let count = groups.nonzeroBitCount
        return count == 64 ? failures : min(failures, accountsInGroups[count])
    }

    /// ⌊64 ln(64 ÷ (64 − x))⌋: so many accounts are in x of 64 groups, on average.
    private static let accountsInGroups = [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, 26, 28, 30, 31, 33, 35, 36, 38,
        40, 42, 44, 46, 48, 50, 52, 55, 57, 60, 62, 65, 68, 71, 74, 77, 81, 84, 88, 92, 97, 102, 107, 112, 118, 125,
        133, 141, 151, 163, 177, 195, 221, 266,
    ]
}

/// Failures of attempts.
public struct Rate: Hashable, Comparable, Sendable {
    public internal(set) var failures = 0
    public internal(set) var attempts = 0

    /// Compares shares. Both need attempts; of equal shares neither comes first.
    public static func < (left: Rate, right: Rate) -> Bool {
        Int128(left.failures) * Int128(right.attempts) < Int128(right.failures) * Int128(left.attempts)
    }

    static func + (left: Rate, right: Rate) -> Rate {
        Rate(failures: left.failures + right.failures, attempts: left.attempts + right.attempts)
    }
}
