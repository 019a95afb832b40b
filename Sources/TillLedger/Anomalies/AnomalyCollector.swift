import TillColumns
import TillCore
import TillRows

/// The anomalies in the parts of a ledger seen so far.
///
/// Most anomalies are in one transaction or one chain. Others need all sales of a line item or an account, across
/// chains. With several parts, these sales are partitioned again by line item and account (``SharedSales``). If the
/// ledger is a share of all chains, they are noted (``LedgerRules/share``).
public struct AnomalyCollector: Sendable {
    private var anomalies: [Anomaly: AnomalyCount] = [:]
    private var conflicts: [String: AnomalyCount] = [:]
    private var accounts = AccountRanking()
    private var shared: (any SharedSales)?
    private var noted = NotedSales()
    /// Whether ``noted`` waits for the sales of other shares.
    private var keepsNotes = false

    /// Starts without findings; one collector takes the parts of one ledger, one after the other.
    public init() {}

    /// Finds the anomalies in a part of the ledger, whose counted transactions were noted.
    ///
    /// Duplicates are checked in all environments, because a conflict about the environment can remove a transaction
    /// from the figures. Sales are checked only in the selected environments. Cost: some passes over the transactions
    /// and a sort of the sales.
    public mutating func collect(_ part: borrowing SettledLedger, _ sales: SaleNotes) throws {
        var odd = OddTransactions()
        part.judge(sales, &odd)
        if part.rules.share != nil {
            keepsNotes = true
            noted.add(sales, of: part)
            return add(odd, part.texts)
        }
        guard let partitions = part.origin?.partitions else {
            for word in part.repeatedLines(among: sales) { odd.add(.sameLineItem, word) }
            for bucket in part.accountBuckets(of: sales) {
                var accountSales = part.accountSales(among: sales, in: bucket)
                accounts.rank(&accountSales, part.texts)
            }
            return add(odd, part.texts)
        }
        add(odd, part.texts)
        let shared = try self.shared ?? partitions.makeSharedSales()
        try shared.add(sales, of: part)
        self.shared = shared
    }

    /// Compares the line items and accounts of all parts, after the last one.
    public mutating func closeParts() throws {
        if !keepsNotes {
            var noted = noted
            self.noted = NotedSales()
            noted.take { lines, sales, texts in compare(&lines, &sales, texts) }
        }
        guard let shared else { return }
        self.shared = nil
        try shared.forEachGroup { lines, sales, texts in compare(&lines, &sales, texts) }
    }

    private mutating func compare(
        _ lines: inout [LineItemSale],
        _ sales: inout [AccountSale],
        _ texts: borrowing TextDictionary
    ) {
        var odd = OddTransactions()
        for word in LineItemSale.repeated(&lines) { odd.add(.sameLineItem, word) }
        add(odd, texts)
        accounts.rank(&sales, texts)
    }

    /// Takes over the notes of another collector for the comparison in one of `count` shares.
    public mutating func takeNotes(of other: AnomalyCollector, in share: Int, of count: Int) {
        noted = other.noted.kept(in: share, of: count)
        keepsNotes = true
    }

    /// Passes the findings so far to a coder; a reader joins them.
    ///
    /// Sales of partitions that ``closeParts()`` has not compared yet are not among them.
    public mutating func visitSums(_ coder: inout some SumCoder) throws {
        try coder.table(&anomalies, blank: Anomaly.sameLineItem) { anomaly, coder in
            var name = anomaly.rawValue
            try coder.value(&name)
            guard let known = Anomaly(rawValue: name) else { throw coder.refusal("there is no anomaly \(name)") }
            anomaly = known
        }
        try coder.table(&conflicts, blank: "") { column, coder in try coder.value(&column) }
        try accounts.visitSums(&coder)
        try noted.visitSums(&coder)
    }

    /// Ends the collection. Returns the findings.
    public consuming func finish() throws -> AnomalyFindings {
        keepsNotes = false
        try closeParts()
        var findings = AnomalyFindings()
        for anomaly in Anomaly.allCases { findings.anomalies[anomaly] = anomalies[anomaly] ?? AnomalyCount() }
        for (column, count) in conflicts.sorted(by: { $0.key < $1.key }) { findings.conflicts.append((column, count)) }
        findings.accountCount = accounts.count
        findings.accounts = accounts.worst.map(\.anomaly)
        return findings
    }

    private mutating func add(_ odd: OddTransactions, _ texts: borrowing TextDictionary) {
        for (anomaly, words) in odd.anomalies {
            anomalies[anomaly, default: AnomalyCount()].add(AnomalyCount(of: words, texts))
        }
        for (column, words) in odd.conflicts {
            conflicts[column, default: AnomalyCount()].add(AnomalyCount(of: words, texts))
        }
    }
}

/// Words of the ids of transactions by anomaly.
struct OddTransactions {
    private(set) var anomalies: [Anomaly: [Int64]] = [:]
    private(set) var conflicts: [String: [Int64]] = [:]

    mutating func add(_ anomaly: Anomaly, _ word: Int64) { anomalies[anomaly, default: []].append(word) }
    mutating func add(conflict column: String, _ word: Int64) { conflicts[column, default: []].append(word) }
}

extension AnomalyCount {
    init(of words: [Int64], _ texts: borrowing TextDictionary) {
        self.init(transactions: words.count, examples: Self.examples(of: words, texts))
    }

    /// The first ids, each once, by length, then by text.
    static func examples(of words: [Int64], _ texts: borrowing TextDictionary) -> [String] {
        var ids: [Identifier] = []
        for word in words where word != TransactionEntry.unknown {
            let id = Identifier(word: word)
            // Most ids are no better than the worst kept one.
            if ids.count == AnomalyFindings.exampleCount, let last = ids.last, !id.precedes(last, in: texts) {
                continue
            }
            guard !ids.contains(id) else { continue }
            let place = ids.firstIndex { id.precedes($0, in: texts) } ?? ids.count
            ids.insert(id, at: place)
            if ids.count > AnomalyFindings.exampleCount { ids.removeLast() }
        }
        return ids.map { $0.text(in: texts) }
    }

    mutating func add(_ other: AnomalyCount) {
        transactions += other.transactions
        if examples.isEmpty {
            examples = other.examples
            return
        }
        let sorted = Set(examples).union(other.examples).sorted(by: Identifier.precedes)
        examples = Array(sorted.prefix(AnomalyFindings.exampleCount))
    }
}
