import TillColumns
import TillCore
import TillLedger
import TillPricing
public import TillReportModel

/// Apple's figures alone, without a comparison.
public enum AppleFiguresReport {
    /// A month, product, country and currency.
    struct Row: Sendable {
        let period: ReportedPeriod
        let product: String
        let country: String
        let currency: CurrencyCode
        let proceedsCurrency: CurrencyCode?
        let amounts: AppleReport.Amounts

        static func precedes(_ left: Row, _ right: Row) -> Bool {
            func keys(_ row: Row) -> [String] {
                let proceeds = row.proceedsCurrency?.description ?? ""
                return [
                    row.period.kind.rawValue, row.period.name, row.product, row.country, row.currency.description,
                    proceeds,
                ]
            }
            return zip(keys(left), keys(right)).first { $0 != $1 }.map { Order.precedes($0, $1) } ?? false
        }
    }

    /// The report: units, amounts, proceeds and Apple's share.
    public static func document(of apple: AppleFigures, isForPeople: Bool) -> ReportDocument {
        let rows = apple.rows
        var time = CoveredTime()
        for row in rows { time.include(row.period.name) }
        let files = apple.subscriptionSection + [apple.fileSection] + apple.straySection
        let totals = Section(
            name: "totals",
            title: "Totals",
            columns: [
                ReportColumn("kind", "Report", isKey: true) { .word($0.period.kind.rawValue, $0.period.kind.title) },
                ReportColumn("currency", "Currency", isKey: true) { .text($0.currency.description) },
            ] + measures,
            rows: totals(of: rows)
        )
        let table = Section(
            name: "proceeds",
            title: "By month, product, country and currency",
            columns: [
                ReportColumn("kind", "Report", isKey: true) { .word($0.period.kind.rawValue, $0.period.kind.title) },
                ReportColumn(GroupKey.month.heading) { .text($0.period.name) },
                ReportColumn("product_id", "Product", isKey: true) { .text($0.product) },
                ReportColumn("storefront", "Country", isKey: true) { .text($0.country) },
                ReportColumn("currency", "Currency", isKey: true) { .text($0.currency.description) },
            ] + measures,
            rows: rows
        )
        .called("All rows")
        return ReportDocument(
            name: ReconciliationReport.name,
            title: "Apple's reports",
            period: time.period,
            sections: (isForPeople ? apple.hasSales ? [totals, table] : [] : [table, totals]) + files,
            notes: [
                "Gross is what customers paid, proceeds what Apple owes. Kept is 1 − proceeds ÷ gross, tax and commission "
                    + "together, where both are of one currency."
            ].filter { _ in apple.hasSales } + apple.notes + apple.subscriptions.notes
        )
    }

    private static let measures: [ReportColumn<Row>] = [
        ReportColumn("units", "Units") { .count($0.amounts.units) },
        ReportColumn("refunded_units", "Refunded") { .count($0.amounts.refundedUnits) },
        ReportColumn("gross", "Gross") { .money($0.amounts.gross, $0.currency) },
        ReportColumn("refunds", "Refunds") { .money($0.amounts.refunds, $0.currency) },
        ReportColumn("net", "Customer sales") { .money($0.amounts.net, $0.currency) },
        ReportColumn("proceeds", "Proceeds") { .money($0.amounts.proceeds, $0.proceedsCurrency) },
        ReportColumn("proceeds_currency", "Paid in") { .text($0.proceedsCurrency?.description) },
        ReportColumn("effective_rate", "Kept") { row in
            guard row.proceedsCurrency == row.currency else { return .absent }
            return row.amounts.keptMillionths.map { .ratio($0, of: 1_000_000) } ?? .absent
        },
    ]

    /// One row for each kind of report and pair of currencies; its other keys are those of its first row.
    private static func totals(of rows: [Row]) -> [Row] {
        var totals: [[String]: Row] = [:]
        for row in rows {
            let key = [
                row.period.kind.rawValue, row.currency.description, row.proceedsCurrency?.description ?? "",
            ]
            var amounts = totals[key]?.amounts ?? AppleReport.Amounts()
            amounts += row.amounts
            totals[key] = Row(
                period: row.period,
                product: "",
                country: "",
                currency: row.currency,
                proceedsCurrency: row.proceedsCurrency,
                amounts: amounts
            )
        }
        return totals.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }
}

extension AppleFigures {
    /// All groups with the texts of their keys, sorted by them.
    var rows: [AppleFiguresReport.Row] {
        groups.filter { isShown(periods[$0.period]) }.map { group in
            AppleFiguresReport.Row(
                period: periods[group.period],
                product: products.text(of: group.product),
                country: countries[group.country],
                currency: group.currency,
                proceedsCurrency: group.proceedsCurrency,
                amounts: group.amounts
            )
        }.sorted(by: AppleFiguresReport.Row.precedes)
    }
}

extension AppleReport.Amounts {
    /// Apple's share of customer prices, 1 − proceeds ÷ gross, in millionths, rounded half-even.
    ///
    /// Sales and refunds count upwards alike, so that a month with many refunds has the rate of its rows. `nil` if
    /// nothing was paid.
    var keptMillionths: Int64? {
        let paid = gross + refunds
        guard paid > 0 else { return nil }
        let kept = paid - saleProceeds - refundProceeds
        let (product, isTooLarge) = kept.multipliedReportingOverflow(by: 1_000_000)
        guard !isTooLarge, paid < Int128.max / 2 else { return nil }
        var quotient = product / paid
        var rest = product % paid
        if rest < 0 { (quotient, rest) = (quotient - 1, rest + paid) }
        let isUp = rest * 2 > paid || rest * 2 == paid && quotient % 2 != 0
        return Int64(exactly: isUp ? quotient + 1 : quotient)
    }
}
