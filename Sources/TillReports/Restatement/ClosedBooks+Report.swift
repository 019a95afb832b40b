public import TillLedger

extension ClosedBooks {
    /// The books that a revenue report makes of a ledger.
    ///
    /// - Parameters:
    ///   - rules: with the period that is booked, if not all.
    ///   - tellsTransactions: whether bookings are kept.
    ///   - index: gets the groups and transactions that it lacks.
    public init(
        _ ledger: borrowing SettledLedger,
        by rules: LedgerRules,
        tellsTransactions: Bool,
        _ index: inout BookingIndex
    ) throws {
        var report = RevenueReport(rules, hasTrend: false)
        if tellsTransactions { report.log = BookingLog() }
        var bookings: [RevenueBooking] = []
        /// By the number of a group in the report: its number in the index.
        var groups: [Int32] = []
        var counts = CoverageCounts()
        try ledger.forEachPartition { part in
            counts = try part.forEachBatch(after: counts) { report.update(with: $0) }
            let entries = report.log?.takeEntries() ?? []
            for group in groups.count..<report.book.all.count {
                groups.append(index.group(report.book.all.names(of: group, in: part)))
            }
            for entry in entries {
                let key = index.key(of: entry.transaction, in: part)
                bookings.append(RevenueBooking(key, group: groups[entry.group], entry.figures))
            }
        }
        var rows: [[String?]: PrintedRevenue] = [:]
        let printed = try report.book.rows(ledger)
        for group in printed.groups {
            rows[printed.keys.indices.map { printed.name(of: group, at: $0) }] = PrintedRevenue(group, of: printed)
        }
        self.init(rows: rows, bookings: bookings)
    }
}

/// The bookings of a revenue report in a part of the ledger, one by one.
struct BookingLog: Sendable {
    struct Entry {
        /// The number of the transaction, valid within its part.
        let transaction: Int
        /// The number of the group in the report.
        let group: Int
        let figures: RevenueFigures
    }

    private var entries: [Entry] = []

    mutating func add(_ figures: RevenueFigures, of transaction: SettledTransaction, in group: Int) {
        entries.append(Entry(transaction: transaction.number, group: group, figures: figures))
    }

    /// The entries since the last call.
    mutating func takeEntries() -> [Entry] {
        defer { entries = [] }
        return entries
    }
}

extension Cube {
    /// The names of the keys of a group, before all groups have names.
    fileprivate func names(of group: Int, in ledger: borrowing SettledLedger) -> [String?] {
        var names: [String?] = []
        for (index, key) in keys.enumerated() { names.append(ledger.name(of: code(of: group, at: index), by: key)) }
        return names
    }
}

extension PrintedRevenue {
    /// A row whose amounts are rounded.
    fileprivate init(_ group: Int, of rows: Cube) {
        let figures = RevenueFigures(of: rows[group, 0])
        guard rows.sides.count > 1 else {
            self.init(figures)
            return
        }
        let values = rows[group, 1]
        let unconverted = values[RevenueField.unconverted.rawValue]
        let converted = Converted(
            gross: values[RevenueField.gross.rawValue],
            refunds: values[RevenueField.refunds.rawValue]
        )
        self.init(
            figures,
            converted: unconverted == 0 ? converted : nil,
            unconverted: Int64(clamping: unconverted)
        )
    }
}
