public import TillLedger
import TillThreads

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
    /// Transactions that were counted, after joining duplicates.
    public private(set) var uniqueTransactions = 0
    /// 21007s that a success followed.
    public private(set) var pairedVerifications = 0

    /// `nil` if there is no report of the name.
    public init?(named name: String, _ rules: LedgerRules) {
        let types = ReportRegistry.reports(named: name)
        guard !types.isEmpty else { return nil }
        self.name = name
        reports = types.map { $0.init(ReportRegistry.rules(for: $0, rules)) }
    }

    /// Counts all transactions of a ledger, in one pass.
    ///
    /// - Parameters:
    ///   - rangeSize: the fewest transactions that a thread counts alone.
    ///   - mostSums: the most sums for each transaction with which threads do that.
    public mutating func count(_ ledger: borrowing SettledLedger, rangeSize: Int = 65_536, mostSums: Int = 4) throws {
        try ledger.forEachPartition { part in
            try countTransactions(of: part, rangeSize: rangeSize, mostSums: mostSums)
            let outcomes = reports.withUnsafeMutableBufferPointer { reports in
                concurrentMap(reports.count, width: part.jobs) { number in
                    Result { try reports[number].finishPart(part) }
                }
            }
            for outcome in outcomes { try outcome.get() }
        }
        uniqueTransactions += ledger.uniqueCount
        pairedVerifications += ledger.pairedVerifications
    }

    /// Counts the transactions of a part: at first all threads together, each for some reports, and then each thread a range
    /// of transactions for all reports.
    ///
    /// Each thread has sums of its own, so ranges are counted only if the transactions have few groups. Otherwise joining
    /// the sums would take as long as counting, and much memory.
    private mutating func countTransactions(
        of part: borrowing SettledLedger,
        rangeSize: Int,
        mostSums: Int
    ) throws {
        let first = 0..<min(rangeSize, part.uniqueCount)
        coverage = try part.forEachBatch(in: first, after: coverage) { count($0, width: part.jobs) }
        let rest = first.upperBound..<part.uniqueCount
        var ranges = [rest]
        if part.jobs > 1, rest.count / 2 >= rangeSize, try sumCount / rangeSize < mostSums {
            ranges = rest.divided(by: min(part.jobs, rest.count / rangeSize))
        }
        guard ranges.count > 1, let nothing = ReportSums(named: name, part.rules) else {
            coverage = try part.forEachBatch(in: rest, after: coverage) { count($0, width: part.jobs) }
            return
        }
        let start = self
        let outcomes = concurrentMap(ranges.count, width: ranges.count) { number in
            Result {
                var sums = number == 0 ? start : nothing
                sums.coverage = try part.forEachBatch(in: ranges[number], after: sums.coverage, threads: 1) {
                    sums.count($0, width: 1)
                }
                return sums
            }
        }
        let coverages = outcomes.compactMap { try? $0.get().coverage }
        if coverages.count < outcomes.count || !CoverageCounts.unitsFit(coverages) {
            // Visiting them in their order throws the error of the first that cannot be counted.
            _ = try part.forEachBatch(in: rest, after: coverage) { _ in }
        }
        var counted = try outcomes.map { try $0.get() }
        try Self.joinAll(&counted)
        self = counted[0]
    }

    /// The number of sums of the reports, with the parts of their keys.
    private var sumCount: Int { get throws { try reports.reduce(0) { try $0 + SumTape.count(of: $1) } } }

    /// Joins the sums of ranges in the first: pairs at the same time, then pairs of pairs.
    private static func joinAll(_ counted: inout [ReportSums]) throws {
        var distance = 1
        while distance < counted.count {
            let firsts = Array(stride(from: 0, to: counted.count - distance, by: 2 * distance))
            let outcomes = counted.withUnsafeMutableBufferPointer { counted in
                concurrentMap(firsts.count, width: firsts.count) { place in
                    Result { try counted[firsts[place]].join(counted[firsts[place] + distance]) }
                }
            }
            for outcome in outcomes { try outcome.get() }
            distance *= 2
        }
    }

    private mutating func count(_ transactions: [SettledTransaction], width: Int) {
        reports.withUnsafeMutableBufferPointer { reports in
            concurrently(1 + reports.count, width: width) { number in
                if number == reports.count {
                    sales.count(transactions)
                } else {
                    reports[number].update(with: transactions)
                }
            }
        }
    }

    /// Joins the sums of transactions of the same part with larger numbers.
    private mutating func join(_ other: ReportSums) throws {
        try SumTape.join(other.coverage, into: &coverage)
        try SumTape.join(other.sales, into: &sales)
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
    private static let common = "ledger"

    /// The names of the sections: one of the ledger, and one for each report.
    public var sections: [String] { [Self.common] + reports.map { type(of: $0).name } }

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
        try coverage.visitSums(&coder)
        try sales.visitSums(&coder)
    }
}

extension Range<Int> {
    /// Ranges of about equal size, one after the other.
    fileprivate func divided(by parts: Int) -> [Range<Int>] {
        (0..<parts).map { lowerBound + count * $0 / parts..<lowerBound + count * ($0 + 1) / parts }
    }
}
