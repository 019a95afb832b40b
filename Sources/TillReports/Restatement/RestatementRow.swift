import TillColumns
import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The effect of one cause on the printed row of a group of closed months.
struct RestatementRow {
    /// The names of the key values.
    let names: [String?]
    let cause: RestatementCause
    let currency: CurrencyCode?
    var revenue = PrintedRevenue()
    /// Net as printed less the exact net of the transactions, in millionths.
    var rounding: Int128 = 0

    /// The rows in the order of their keys and causes; those without a figure are left out.
    static func rows(
        of changes: ClosedChanges,
        _ index: BookingIndex,
        _ keys: [GroupKey],
        tellsTransactions: Bool
    ) -> [RestatementRow] {
        let place = keys.firstIndex(of: .currency) ?? 0
        var rows: [[String?]: [RestatementCause: RestatementRow]] = [:]
        func change(_ names: [String?], _ cause: RestatementCause, _ body: (inout RestatementRow) -> Void) {
            let currency = names[place].flatMap { CurrencyCode($0) }
            body(
                &rows[names, default: [:]][
                    cause,
                    default: RestatementRow(names: names, cause: cause, currency: currency)
                ]
            )
        }
        for row in changes.rows {
            change(row.names, row.cause) {
                $0.revenue.add(row.revenue, times: 1)
                if tellsTransactions { $0.rounding += row.revenue.figures.net }
            }
        }
        for transaction in changes.transactions {
            let booking = transaction.booking
            change(index.groups[Int(booking.group)], transaction.cause) { $0.rounding -= booking.figures.net }
        }
        return rows.sorted { precedes($0.key, $1.key) }.flatMap { _, causes in
            RestatementCause.allCases.compactMap { causes[$0] }.filter { !$0.revenue.isZero || $0.rounding != 0 }
        }
    }

    /// The sums of rows by currency and cause, in this order.
    static func totals(of rows: [RestatementRow]) -> [RestatementRow] {
        var totals: [String?: [RestatementCause: RestatementRow]] = [:]
        for row in rows {
            let name = row.currency?.description
            let empty = RestatementRow(names: [name], cause: row.cause, currency: row.currency)
            totals[name, default: [:]][row.cause, default: empty].revenue.add(row.revenue, times: 1)
            totals[name, default: [:]][row.cause, default: empty].rounding += row.rounding
        }
        return totals.sorted { Order.precedes($0.key, $1.key) }.flatMap { _, causes in
            RestatementCause.allCases.compactMap { causes[$0] }
        }
    }

    /// By the first key in which two groups differ.
    static func precedes(_ left: [String?], _ right: [String?]) -> Bool {
        for (first, second) in zip(left, right) where first != second { return Order.precedes(first, second) }
        return false
    }

    /// - Parameter base: the currency of converted amounts; `nil` if they are not restated.
    static func columns(
        _ keys: [GroupKey],
        _ base: CurrencyCode?,
        tellsTransactions: Bool
    ) -> [ReportColumn<RestatementRow>] {
        var columns = keys.enumerated().map { index, key in
            ReportColumn<RestatementRow>(key.heading) { .text($0.names[index]) }
        }
        columns.append(ReportColumn("cause", "Cause", isKey: true) { $0.cause.cell })
        columns += figureColumns.map { $0.of { ($0.revenue.figures, $0.currency) } }
        if tellsTransactions {
            columns.append(ReportColumn("rounding", "Rounding") { .money($0.rounding, $0.currency) }.additive)
        }
        if let base { columns += convertedColumns(base) }
        return columns
    }

    /// The measures of a difference, in the currency of the sales.
    static let figureColumns: [ReportColumn<(RevenueFigures, CurrencyCode?)>] = [
        ReportColumn("transactions", "Transactions") { .count($0.0.transactions) }.additive,
        ReportColumn("units", "Units") { .count($0.0.units) }.additive,
        ReportColumn("gross", "Gross") { .money($0.0.gross, $0.1) }.additive,
        ReportColumn("refunded_transactions", "Refunded") { .count($0.0.refundedTransactions) }.additive,
        ReportColumn("refunds", "Refunds") { .money($0.0.refunds, $0.1) }.additive,
        ReportColumn("net", "Customer sales", isMain: true) { .money($0.0.net, $0.1) }.additive,
        ReportColumn("unpriced_units", "Unpriced units") { .count($0.0.unpricedUnits) }.additive,
    ]

    private static func convertedColumns(_ base: CurrencyCode) -> [ReportColumn<RestatementRow>] {
        func column(
            _ name: String,
            _ title: String,
            _ amount: @escaping @Sendable (PrintedRevenue.Converted) -> Int128
        ) -> ReportColumn<RestatementRow> {
            ReportColumn(name, title) { row in
                guard row.currency != nil, let converted = row.revenue.converted else { return .absent }
                return .money(amount(converted), base)
            }.additive
        }
        return [
            column("converted_gross", "Gross (\(base))") { $0.gross },
            column("converted_refunds", "Refunds (\(base))") { $0.refunds },
            column("converted_net", "Customer sales (\(base))") { $0.gross - $0.refunds },
            ReportColumn("unconverted_transactions", "Without a rate") { .count($0.revenue.unconverted) }.additive,
        ]
    }
}

/// The effect of one cause on the exact figures of a transaction in a group.
struct RestatedTransaction {
    /// `nil` for all transactions without a unique id.
    let identifier: String?
    let cause: RestatementCause
    let names: [String?]
    let currency: CurrencyCode?
    let figures: RevenueFigures

    static func section(of changes: ClosedChanges, _ index: BookingIndex, _ keys: [GroupKey]) -> Section {
        let place = keys.firstIndex(of: .currency) ?? 0
        let rows = changes.transactions.map { change in
            let names = index.groups[Int(change.booking.group)]
            return RestatedTransaction(
                identifier: index.identifier(of: change.booking.transaction),
                cause: change.cause,
                names: names,
                currency: names[place].flatMap { CurrencyCode($0) },
                figures: change.booking.figures
            )
        }
        return Section(
            name: "restated_transactions",
            title: "Restated transactions",
            columns: [
                ReportColumn("transaction_id", "Transaction", isKey: true) { .text($0.identifier) },
                ReportColumn("cause", "Cause", isKey: true) { $0.cause.cell },
            ]
                + keys.enumerated().map { index, key in
                    ReportColumn<RestatedTransaction>(key.heading) { .text($0.names[index]) }
                } + RestatementRow.figureColumns.map { $0.of { ($0.figures, $0.currency) } },
            rows: rows.sorted(by: precedes)
        )
        .totalled()
    }

    /// By group, id and cause; ids by length, then by text, unknown ones last.
    private static func precedes(_ left: RestatedTransaction, _ right: RestatedTransaction) -> Bool {
        if left.names != right.names { return RestatementRow.precedes(left.names, right.names) }
        guard left.identifier != right.identifier else { return left.cause.rank < right.cause.rank }
        guard let first = left.identifier else { return false }
        return right.identifier.map { Identifier.precedes(first, $0) } ?? true
    }
}

extension RestatementCause {
    /// As programs and as people read it.
    fileprivate var cell: Cell { .word(rawValue, rawValue.replacing("_", with: " ")) }

    /// Its place among all causes.
    fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
