public import TillCore

/// Exchange rates by day, from any number of files.
///
/// Files of the European Central Bank have the rates of the euro in thirty currencies; other files may add pairs. A
/// pair that no file has is computed from other pairs, as few as possible: TWD → USD → EUR.
public struct ExchangeRates: Sendable {
    struct Pair: Hashable, Sendable, Comparable {
        let base: CurrencyCode
        let quote: CurrencyCode

        var reversed: Pair { Pair(base: quote, quote: base) }

        static func < (left: Pair, right: Pair) -> Bool { (left.base, left.quote) < (right.base, right.quote) }
    }

    /// Quote per base by day, days ascending.
    struct Timeline: Sendable {
        private(set) var days: [Int] = []
        private(set) var rates: [Ratio] = []

        init(_ entries: [Int: Ratio]) {
            for (day, rate) in entries.sorted(by: { $0.key < $1.key }) {
                days.append(day)
                rates.append(rate)
            }
        }

        /// The number of days before `day`.
        func count(before day: Int) -> Int { days.partitioningIndex { $0 >= day } }
    }

    /// The names of the files, in the order in which they were given.
    public private(set) var sources: [String] = []
    private(set) var entries: [Pair: [Int: (rate: Ratio, source: Int)]] = [:]

    /// Makes a table without rates; ``begin(source:)`` must come before the first rate.
    public init() {}

    /// Whether there is no rate at all.
    public var isEmpty: Bool { entries.isEmpty }

    /// Sets the file of the rates that are added next.
    public mutating func begin(source: String) {
        sources.append(source)
    }

    /// Adds a rate: one `base` costs `rate` units of `quote` on a day, counted from 1970-01-01.
    ///
    /// A repeated equal rate is ignored; a different rate for the same day is a conflict.
    public mutating func add(day: Int, base: CurrencyCode, quote: CurrencyCode, rate: Ratio) throws(Finding) {
        let pair = Pair(base: base, quote: quote)
        if let known = entries[pair]?[day] {
            guard known.rate == rate else {
                throw Finding("fx.conflict", "another rate of \(quote) for this day is in \(sources[known.source])")
            }
            return
        }
        entries[pair, default: [:]][day] = (rate, sources.count - 1)
    }

    /// All rates by pair.
    var published: [Pair: Timeline] { entries.mapValues { days in Timeline(days.mapValues(\.rate)) } }

    /// The rates of days by pair. A pair that the files have in both directions also has the inverse rates of the other
    /// one, on days on which it has none of its own.
    var timelines: [Pair: Timeline] {
        var timelines: [Pair: Timeline] = [:]
        for (pair, days) in entries {
            let inverses = (entries[pair.reversed] ?? [:]).mapValues(\.rate.inverse)
            timelines[pair] = Timeline(days.mapValues(\.rate).merging(inverses) { own, _ in own })
        }
        return timelines
    }

    /// A rate from its decimal text, such as `1.1289`: above 0, at most twelve decimals, below nine million.
    public static func rate(_ text: String) -> Ratio? {
        guard let scaled = ScaledDecimal.parse(text.utf8.span.bytes, scale: 12), scaled > 0 else { return nil }
        return Ratio(UInt128(scaled), 1_000_000_000_000)
    }
}
