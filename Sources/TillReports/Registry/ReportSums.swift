public import TillCore
public import TillLedger
public import TillThreads

/// The sums of reports over a ledger's transactions, before conversion, rounding and sorting.
///
///     ledger ─count→ sums ──────────────▶ document
///              sums of other partials ─┘
///
/// Each sum adds up over parts of the input that have no transaction, chain or account in common, so that the document
/// of joined sums is that of one ledger.
public struct ReportSums: Sendable {
    /// The name of the report, or that of all reports.
    let name: String
    private(set) var reports: [any Report]
    private(set) var sales = SaleCounts()
    private(set) var coverage = CoverageCounts()
    /// Charges under two original ids, if a report shows them.
    private(set) var lineItems = SameLineItems()
    /// Transactions that were counted, after joining duplicates.
    public private(set) var uniqueTransactions = 0
    /// 21007s that a success followed.
    public private(set) var pairedVerifications = 0
    /// The times of the newest records of the parts: the earliest of these times, and the latest, to which all data reach.
    private var newest: (earliest: Timestamp?, latest: Timestamp?)

    private let rules: LedgerRules

    /// `nil` if there is no report of the name.
    public init?(named name: String, _ rules: LedgerRules) {
        let types = ReportRegistry.reports(named: name)
        guard !types.isEmpty else { return nil }
        self.init(name, types, rules)
    }

    private init(_ name: String, _ types: [any Report.Type], _ rules: LedgerRules) {
        (self.name, self.rules) = (name, rules)
        reports = types.map { $0.init(ReportRegistry.rules(for: $0, rules)) }
    }

    /// The same reports before their first transaction.
    private var empty: ReportSums { empty(rules) }

    /// The same reports by other rules, before their first transaction.
    public func empty(_ rules: LedgerRules) -> ReportSums { ReportSums(name, reports.map { type(of: $0) }, rules) }

    /// Whether some report shows charges under two original ids. Sums of closed partials do not have them.
    public var comparesLineItems: Bool { reports.contains { $0 is RevenueReport || $0 is SubscriptionsReport } }

    /// The conditions under which each thread counts a range of transactions of its own.
    public struct RangeRule: Sendable {
        /// The fewest transactions of a range.
        public var smallestRange: Int
        /// Ranges are counted only if the first transactions, as many as the smallest range has, gave fewer sums per
        /// transaction than this.
        public var sumsEach: Int
        /// The most ranges.
        public var mostRanges: Int

        /// Needs a `smallestRange` of at least 1, because counts are divided by it.
        public init(smallestRange: Int = 65_536, sumsEach: Int = 4, mostRanges: Int = Workers.processorCount) {
            (self.smallestRange, self.sumsEach, self.mostRanges) = (smallestRange, sumsEach, mostRanges)
        }
    }

    /// Counts all transactions of a ledger that was settled by the same rules, in one pass.
    public mutating func count(_ ledger: borrowing SettledLedger, by rule: RangeRule = RangeRule()) throws {
        try ledger.forEachPartition { part in
            try countTransactions(of: part, by: rule)
            if comparesLineItems { try lineItems.collect(part) }
            try reports.withUnsafeMutableBufferPointer { reports in
                _ = try concurrentMap(reports.count, width: part.jobs) { try reports[$0].finishPart(part) }
            }
        }
        try lineItems.closeParts()
        newest = (ledger.rules.newest, ledger.rules.newest)
        uniqueTransactions += ledger.uniqueCount
        pairedVerifications += ledger.pairedVerifications
    }

    /// Counts the transactions of a part: at first all threads together, each for some reports, and then each thread a
    /// range of transactions for all reports.
    ///
    /// Each thread has sums of its own, so ranges are counted only if the transactions have few groups. Otherwise
    /// joining the sums would take as long as counting, and much memory.
    private mutating func countTransactions(of part: borrowing SettledLedger, by rule: RangeRule) throws {
        let first = 0..<min(rule.smallestRange, part.uniqueCount)
        try count(first, of: part, threads: part.jobs)
        let rest = first.upperBound..<part.uniqueCount
        let count = min(part.jobs, rule.mostRanges, rest.count / rule.smallestRange)
        guard count > 1, try sumCount / rule.smallestRange < rule.sumsEach else {
            return try self.count(rest, of: part, threads: part.jobs)
        }
        let coverage = coverage
        var sums = Array(repeating: empty, count: count)
        swap(&self, &sums[0])
        let ranges = rest.divided(by: count)
        var failure: (any Error)?
        do {
            try sums.withUnsafeMutableBufferPointer { sums in
                _ = try concurrentMap(count, width: count) { number in
                    try sums[number].count(ranges[number], of: part, threads: 1)
                }
            }
        } catch {
            failure = error
        }
        if failure != nil || !CoverageCounts.unitsFit(sums.map(\.coverage)) {
            // Visiting them in their order throws the error of the first that cannot be counted.
            _ = try part.forEachBatch(in: rest, after: coverage) { _ in }
        }
        if let failure { throw failure }
        try Self.joinAll(&sums)
        swap(&self, &sums[0])
    }

    /// Counts a range of transactions.
    ///
    /// - Parameter threads: the number of threads that may count them together, each for some reports.
    private mutating func count(_ range: Range<Int>, of part: borrowing SettledLedger, threads: Int) throws {
        coverage = try part.forEachBatch(in: range, after: coverage, threads: threads) { transactions in
            reports.withUnsafeMutableBufferPointer { reports in
                concurrently(1 + reports.count, width: threads) { number in
                    if number == reports.count {
                        sales.count(transactions)
                    } else {
                        reports[number].update(with: transactions)
                    }
                }
            }
        }
    }

    /// The number of sums of the reports, with the parts of their keys.
    private var sumCount: Int { get throws { try reports.reduce(0) { try $0 + SumBuffer.count(of: $1) } } }

    /// Joins the sums of ranges in the first: pairs at the same time, then pairs of pairs.
    private static func joinAll(_ sums: inout [ReportSums]) throws {
        var distance = 1
        while distance < sums.count {
            let firsts = Array(stride(from: 0, to: sums.count - distance, by: 2 * distance))
            try sums.withUnsafeMutableBufferPointer { sums in
                _ = try concurrentMap(firsts.count, width: firsts.count) { place in
                    let (first, second) = (firsts[place], firsts[place] + distance)
                    try sums[first].join(sums[second])
                    sums[second] = sums[second].empty
                }
            }
            distance *= 2
        }
    }

    /// Joins the sums of transactions of the same part with larger numbers.
    private mutating func join(_ other: ReportSums) throws {
        try SumBuffer.join(other.coverage, into: &coverage)
        try SumBuffer.join(other.sales, into: &sales)
        for index in reports.indices { try reports[index].joinCopy(other.reports[index]) }
    }

    /// One of `count` shares of these sums; the joined shares equal these sums.
    public func share(_ number: Int, of count: Int, _ rules: LedgerRules) -> ReportSums {
        var share = number == 0 ? self : ReportSums(named: name, rules) ?? self
        share.reports = reports.map { $0.share(number, of: count, ReportRegistry.rules(for: type(of: $0), rules)) }
        return share
    }

    // MARK: Sections of a closed partial

    /// The section of all that does not belong to one report.
    public static let common = "ledger"

    /// The names of the sections: one of the ledger, and one for each report.
    public var sections: [String] { [Self.common] + reports.map { type(of: $0).name } }

    /// Rules that know the newest record of all parts, after ``common`` was read from each. Throws if the parts have
    /// ended an open period, or its comparison, at different days.
    public func knowingNewest(_ rules: LedgerRules) throws(Finding) -> LedgerRules {
        guard reports.contains(where: { type(of: $0).needs.contains(.dataEnd) }), let latest = newest.latest,
            let earliest = newest.earliest
        else { return rules }
        let (last, first) = (rules.knowing(newest: latest), rules.knowing(newest: earliest))
        guard last.countsSameDays(as: first) else {
            throw Finding(
                "report.as-of",
                "the newest record of one partial is of \(earliest), of another it is of \(latest), and the period is not "
                    + "over at both; write all partials with --as-of \(latest)"
            )
        }
        return last
    }

    /// Prepares the counts of the parts of a ledger for ``visit(_:_:)``.
    public mutating func close() throws {
        for index in reports.indices { try reports[index].closeParts() }
    }

    /// Gives the sums of a section to a coder.
    public mutating func visit(_ section: String, _ coder: inout some SumCoder) throws {
        guard section == Self.common else {
            for index in reports.indices where type(of: reports[index]).name == section {
                try reports[index].visitSums(&coder)
            }
            return
        }
        try coder.add(&uniqueTransactions)
        try coder.add(&pairedVerifications)
        guard uniqueTransactions >= 0, pairedVerifications >= 0 else { throw coder.refusal("a negative count") }
        try coder.earlier(&newest.earliest)
        try coder.later(&newest.latest)
        try coverage.visitSums(&coder)
        try sales.visitSums(&coder)
    }
}
