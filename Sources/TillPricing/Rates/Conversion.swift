public import TillCore

/// The conversion of amounts to one currency: exchange rates, and the rules that select one of them.
public struct Conversion: Sendable {
    /// The date of the rate for an amount.
    public enum DateRule: String, Sendable, CaseIterable {
        /// The rate of the purchase day, also for the refund, so that a sale and its refund add up to zero.
        case purchaseDate = "purchase-date"
        /// The mean of the rates published in the month in which the amount is booked.
        case monthAverage = "month-average"
        /// The rate of the last day of the month in which the amount is booked.
        case monthEnd = "month-end"
    }

    /// The rate for a day without one, such as a Sunday.
    public enum GapRule: String, Sendable, CaseIterable {
        /// The last rate before it.
        case previous
        /// The first rate after it.
        case next
        /// None: the run ends with an error.
        case fail
    }

    /// The default of ``longestGap``, in days. Holidays take four.
    public static let usualLongestGap = 7

    /// The currency to which amounts are converted.
    public let base: CurrencyCode
    /// The rule for the date of a rate; by default that of the purchase.
    public var dateRule = DateRule.purchaseDate
    /// The rule for a day without a rate, within ``longestGap`` days; ``DateRule/monthAverage`` ignores it.
    public var gapRule = GapRule.previous
    /// The largest number of days between a day without a rate and the day whose rate is used.
    public var longestGap = usualLongestGap
    /// The names of the files, as reports show them.
    public let sources: [String]
    /// Whether AED, SAR and QAR have the rates to which they are pegged.
    public let hasPegs: Bool
    /// The rates of the files.
    private let published: [ExchangeRates.Pair: ExchangeRates.Timeline]
    /// The same; a pair in both directions has the inverse rates of the other one too.
    private let timelines: [ExchangeRates.Pair: ExchangeRates.Timeline]
    /// The pairs of the files, and those with a fixed rate.
    private let pairs: Set<ExchangeRates.Pair>
    /// By currency, the pairs on the shortest way to ``base``; `isForward` if the rate is base to quote.
    private let paths: [CurrencyCode: [Step]]

    private struct Step: Sendable {
        let pair: ExchangeRates.Pair
        let isForward: Bool
    }

    /// Makes a conversion, and finds the shortest way over pairs of currencies from each currency to `base`.
    ///
    /// - Parameter pegs: whether AED, SAR and QAR are taken at the rates to which they are pegged.
    public init(to base: CurrencyCode, rates: ExchangeRates, pegs: Bool = false) {
        self.base = base
        sources = rates.sources
        hasPegs = pegs
        published = rates.published
        timelines = rates.timelines
        let fixed = Self.adoptions.map(\.pair) + (pegs ? Self.pegs.map(\.pair) : [])
        pairs = Set(timelines.keys).union(fixed)
        paths = Self.paths(to: base, over: pairs)
    }

    /// Whether any file has the base currency.
    public var knowsBase: Bool {
        timelines.keys.contains { $0.base == base || $0.quote == base }
    }

    /// The shortest ways to `base`, breadth first; among ways of equal length, the one with the first pair by code.
    private static func paths(
        to base: CurrencyCode,
        over pairs: Set<ExchangeRates.Pair>
    ) -> [CurrencyCode: [Step]] {
        var paths: [CurrencyCode: [Step]] = [base: []]
        var frontier = [base]
        let sorted = pairs.sorted()
        while !frontier.isEmpty {
            var next: [CurrencyCode] = []
            for currency in frontier {
                for pair in sorted {
                    let from: CurrencyCode
                    if pair.quote == currency {
                        from = pair.base
                    } else if pair.base == currency {
                        from = pair.quote
                    } else {
                        continue
                    }
                    guard paths[from] == nil else { continue }
                    // If a pair exists in both directions, the direction without a division is used.
                    let direct = ExchangeRates.Pair(base: from, quote: currency)
                    let taken = pairs.contains(direct) ? direct : pair
                    paths[from] = [Step(pair: taken, isForward: taken.base == from)] + (paths[currency] ?? [])
                    next.append(from)
                }
            }
            frontier = next.sorted()
        }
        return paths
    }
}

// MARK: - Rates of a day

/// The reason why an amount has no rate.
public enum RateGap: String, Sendable, Error {
    /// No file has the currency.
    case noRates = "no_rates"
    /// No file has a rate of it near the day.
    case noRateNearDay = "no_rate_near_day"
    /// The amount has no date.
    case noDate = "no_date"
    /// The rate does not fit 128 bits.
    case overflow
}

extension Conversion {
    /// A rate that does not change from a day on.
    private struct FixedRate {
        let pair: ExchangeRates.Pair
        let rate: Ratio
        /// Days since 1970.
        let since: Int

        init?(_ base: String, _ quote: String, _ rate: String, since date: CivilDate? = nil) {
            guard let base = CurrencyCode(base), let quote = CurrencyCode(quote), let rate = ExchangeRates.rate(rate)
            else { return nil }
            pair = ExchangeRates.Pair(base: base, quote: quote)
            self.rate = rate
            since = date?.daysSinceEpoch ?? .min
        }
    }

    /// Currencies that the euro replaced, with their irrevocable rates (Council Regulations 2022/1208 and 2025/1407).
    private static let adoptions: [FixedRate] = [
        FixedRate("EUR", "HRK", "7.53450", since: CivilDate(year: 2023, month: 1, day: 1)),
        FixedRate("EUR", "BGN", "1.95583", since: CivilDate(year: 2026, month: 1, day: 1)),
    ].compactMap(\.self)

    /// Units for one US dollar by the pegs of the central banks.
    private static let pegs: [FixedRate] = [("AED", "3.6725"), ("SAR", "3.75"), ("QAR", "3.64")]
        .compactMap { FixedRate("USD", $0, $1) }

    /// The rate of a pair, in either direction; `nil` if it was not fixed on that day.
    private static func rate(of pair: ExchangeRates.Pair, on day: Int, among rates: [FixedRate]) -> Ratio? {
        for fixed in rates where fixed.since <= day {
            if fixed.pair == pair { return fixed.rate }
            if fixed.pair.base == pair.quote, fixed.pair.quote == pair.base { return fixed.rate.inverse }
        }
        return nil
    }

    /// The value of a unit of `currency` in ``base`` by the rule, for a code of ``rateCode(purchase:booking:in:)``.
    ///
    /// A way over several pairs multiplies the rates, or the means, of each. Where the shortest way has a pair without
    /// a rate, the shortest one over pairs that have a rate is taken.
    public func rate(of currency: CurrencyCode, at code: Int64?, in calendar: BookingCalendar) throws(RateGap) -> Ratio
    {
        guard let path = paths[currency] else { throw .noRates }
        guard !path.isEmpty else { return .one }
        guard let code else { throw .noDate }
        do throws(RateGap) {
            return try rate(over: path, at: code, in: calendar)
        } catch {
            guard error == .noRateNearDay else { throw error }
            // A pair without a rate, for whatever reason, is on no other way. Without a way, the gap is what is reported.
            let known = pairs.filter { (try? rate(of: $0, at: code, in: calendar)) != nil }
            guard let detour = Self.paths(to: base, over: known)[currency] else { throw error }
            return try rate(over: detour, at: code, in: calendar)
        }
    }

    private func rate(
        over path: [Step],
        at code: Int64,
        in calendar: BookingCalendar
    ) throws(RateGap) -> Ratio {
        var rate = Ratio.one
        for step in path {
            let found = try self.rate(of: step.pair, at: code, in: calendar)
            guard let product = rate.multiplied(by: step.isForward ? found : found.inverse) else { throw .overflow }
            rate = product
        }
        return rate
    }

    /// Amounts with the same code have the same rate: it is the code of a day or of a month. `nil` where the date is
    /// unknown.
    public func rateCode(purchase: Timestamp?, booking: Timestamp?, in calendar: BookingCalendar) -> Int64? {
        switch dateRule {
        case .purchaseDate: purchase.map { Int64(calendar.day(of: $0)) }
        case .monthAverage, .monthEnd:
            booking.map { calendar.monthCode(ofDay: calendar.day(of: $0)) }
        }
    }

    private func rate(
        of pair: ExchangeRates.Pair,
        at code: Int64,
        in calendar: BookingCalendar
    ) throws(RateGap) -> Ratio {
        let days: ClosedRange<Int>
        switch dateRule {
        case .purchaseDate: days = Int(code)...Int(code)
        case .monthAverage, .monthEnd:
            days = calendar.firstDay(ofMonth: code)...calendar.firstDay(ofMonth: code + 1) - 1
        }
        // A mean needs a rate of each day; other rules need that of the last day.
        let firstDay = dateRule == .monthAverage ? days.lowerBound : days.upperBound
        if let fixed = Self.rate(of: pair, on: firstDay, among: Self.adoptions) { return fixed }
        guard let timeline = timelines[pair] else {
            if hasPegs, let peg = Self.rate(of: pair, on: firstDay, among: Self.pegs) { return peg }
            throw .noRateNearDay
        }
        guard dateRule == .monthAverage else { return try rate(on: days.upperBound, in: timeline) }
        if let mean = try mean(of: pair, over: days) { return mean }
        // Without a rate before it joined the euro, the fixed rate is that of the month.
        guard let fixed = Self.rate(of: pair, on: days.upperBound, among: Self.adoptions) else { throw .noRateNearDay }
        return fixed
    }

    /// The mean of the rates of some days; `nil` if there are none. Of a pair in both directions, it is that of the
    /// direction with more of these days: each inverse has a denominator of its own, and their sum would not fit 128
    /// bits.
    private func mean(of pair: ExchangeRates.Pair, over days: ClosedRange<Int>) throws(RateGap) -> Ratio? {
        func rates(_ pair: ExchangeRates.Pair) -> ArraySlice<Ratio> {
            guard let timeline = published[pair] else { return [] }
            return timeline.rates[timeline.count(before: days.lowerBound)..<timeline.count(before: days.upperBound + 1)]
        }
        let (own, reversed) = (rates(pair), rates(pair.reversed))
        let rates = own.count >= reversed.count ? own : reversed
        guard var sum = rates.first else { return nil }
        for rate in rates.dropFirst() {
            guard let larger = sum.adding(rate) else { throw .overflow }
            sum = larger
        }
        guard let mean = Ratio(1, UInt128(rates.count)).flatMap(sum.multiplied) else { throw .overflow }
        return own.count >= reversed.count ? mean : mean.inverse
    }

    private func rate(on day: Int, in timeline: ExchangeRates.Timeline) throws(RateGap) -> Ratio {
        let index = timeline.count(before: day)
        if index < timeline.days.count, timeline.days[index] == day { return timeline.rates[index] }
        switch gapRule {
        case .previous where index > 0 && day - timeline.days[index - 1] <= longestGap: return timeline.rates[index - 1]
        case .next where index < timeline.days.count && timeline.days[index] - day <= longestGap:
            return timeline.rates[index]
        default: throw .noRateNearDay
        }
    }
}
