import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// What Apple pays for a row, or for several.
enum AppleProceeds: Equatable, Sendable {
    /// Apple has no row.
    case none
    /// In millionths; without a currency where Apple names none, as for free products.
    case amount(Int128, CurrencyCode?)
    /// Apple pays in several currencies, so that there is no sum.
    case mixed

    var currency: CurrencyCode? {
        if case .amount(_, let currency) = self { currency } else { nil }
    }

    var cell: Cell {
        if case .amount(let amount, let currency) = self { .money(amount, currency) } else { .absent }
    }

    static func + (left: Self, right: Self) -> Self {
        switch (left, right) {
        case (.mixed, _), (_, .mixed): .mixed
        case (.none, let other), (let other, .none): other
        case (.amount(let first, let currency), .amount(let second, let other)):
            if let currency, let other, currency != other {
                .mixed
            } else {
                .amount(first + second, currency ?? other)
            }
        }
    }
}

/// Our figures, Apple's figures, and the differences.
///
/// A difference is ours less Apple's. Units and amounts of refunds are counted upwards.
struct ReconciliationMeasures: Sendable {
    var units: Int64 = 0
    var appleUnits: Int64 = 0
    var refundedUnits: Int64 = 0
    var appleRefundedUnits: Int64 = 0
    /// Millionths; `nil` if a sale of ours has no price.
    var gross: Int128? = 0
    var appleGross: Int128 = 0
    var refunds: Int128? = 0
    var appleRefunds: Int128 = 0
    var proceeds = AppleProceeds.none

    var unitsDifference: Int64 { units - appleUnits }
    var refundedUnitsDifference: Int64 { refundedUnits - appleRefundedUnits }
    var grossDifference: Int128? { gross.map { $0 - appleGross } }
    var refundsDifference: Int128? { refunds.map { $0 - appleRefunds } }
    var appleNet: Int128 { appleGross - appleRefunds }

    /// The equation of every row with a price.
    static let grossCheck = Section.RowCheck(["gross"], equals: ["apple_gross", "gross_difference"])

    /// The columns of the JSON contract, all money in the currency of customers but the proceeds.
    ///
    /// - Parameter ofTotals: whether a difference counts sales of ours without a price as nothing, as totals do.
    static func columns<Row>(
        ofTotals: Bool = false,
        _ measures: @escaping @Sendable (Row) -> ReconciliationMeasures,
        currency: @escaping @Sendable (Row) -> CurrencyCode?
    ) -> [ReportColumn<Row>] {
        func count(_ name: String, _ title: String, _ of: @escaping @Sendable (Self) -> Int64) -> ReportColumn<Row> {
            ReportColumn(name, title) { .count(of(measures($0))) }.additive
        }
        func money(
            _ name: String,
            _ title: String,
            isMain: Bool = false,
            _ of: @escaping @Sendable (Self) -> Int128?
        ) -> ReportColumn<Row> {
            ReportColumn(name, title, isMain: isMain) { row in
                of(measures(row)).map { .money($0, currency(row)) } ?? .absent
            }
            .additiveIfKnown
        }
        return [
            count("units", "Units") { $0.units },
            count("apple_units", "Apple's units") { $0.appleUnits },
            count("units_difference", "Units ±") { $0.unitsDifference },
            count("refunded_units", "Refunded") { $0.refundedUnits },
            count("apple_refunded_units", "Apple's refunded") { $0.appleRefundedUnits },
            money("gross", "Gross") { $0.gross },
            money("apple_gross", "Apple's gross") { $0.appleGross },
            money("gross_difference", "Gross ±", isMain: true) {
                ofTotals ? ($0.gross ?? 0) - $0.appleGross : $0.grossDifference
            },
            money("refunds", "Refunds") { $0.refunds },
            money("apple_refunds", "Apple's refunds") { $0.appleRefunds },
            money("refunds_difference", "Refunds ±") {
                ofTotals ? ($0.refunds ?? 0) - $0.appleRefunds : $0.refundsDifference
            },
            ReportColumn("proceeds", "Proceeds") { measures($0).proceeds.cell },
            ReportColumn("proceeds_currency", "Paid in") { .text(measures($0).proceeds.currency?.description) },
        ]
    }
}

/// A period, product and currency, and the country if it is requested and ours is known.
struct ReconciliationRow: Sendable {
    let period: ReportedPeriod
    /// `nil` if our transactions name none.
    let product: String?
    let storefront: String?
    /// `nil` if we have no price and Apple has several currencies, or none.
    let currency: CurrencyCode?
    var measures: ReconciliationMeasures
    var cause = ReconciliationCause.equal

    static func columns(byStorefront: Bool) -> [ReportColumn<ReconciliationRow>] {
        var keys = [
            ReportColumn<ReconciliationRow>("kind", "Report", isKey: true) {
                .word($0.period.kind.rawValue, $0.period.kind.title)
            },
            ReportColumn(GroupKey.month.heading) { .text($0.period.name) },
            ReportColumn("product_id", "Product", isKey: true) { .text($0.product) },
        ]
        if byStorefront { keys.append(ReportColumn("storefront", "Storefront", isKey: true) { .text($0.storefront) }) }
        keys.append(ReportColumn("currency", "Currency", isKey: true) { .text($0.currency?.description) })
        return keys + ReconciliationMeasures.columns({ $0.measures }, currency: { $0.currency })
            + [ReportColumn("cause", "Cause") { .text($0.cause.rawValue) }]
    }

    /// The columns in formats for people, which show rows with differences.
    static func shortColumns(byKind: Bool, byStorefront: Bool) -> [ReportColumn<ReconciliationRow>] {
        let names = [
            byKind ? "kind" : nil, "month", "product_id", "storefront", "currency", "units", "apple_units", "gross",
            "apple_gross", "gross_difference", "refunds_difference",
        ].compactMap(\.self)
        return columns(byStorefront: byStorefront).filter { names.contains($0.heading.name) }
            + [ReportColumn("cause", "Cause", isMain: true) { .text($0.cause.title) }]
    }

    /// By report, month, product, storefront and currency, unknown ones last.
    static func precedes(_ left: ReconciliationRow, _ right: ReconciliationRow) -> Bool {
        func keys(_ row: ReconciliationRow) -> [String?] {
            [row.period.kind.rawValue, row.period.name, row.product, row.storefront, row.currency?.description]
        }
        for (mine, other) in zip(keys(left), keys(right)) where mine != other { return Order.precedes(mine, other) }
        return false
    }
}

/// Why a row differs; of several causes that fit, the first.
enum ReconciliationCause: String, CaseIterable, Sendable {
    case equal, unpriced, price, cutoff
    case refundTiming = "refund_timing"
    case missingHere = "missing_here"
    case missingAtApple = "missing_at_apple"
    case mixed

    /// A heading for people.
    var title: String {
        switch self {
        case .equal: "equal"
        case .unpriced: "unpriced"
        case .price: "price"
        case .cutoff: "cut-off"
        case .refundTiming: "refund timing"
        case .missingHere: "missing here"
        case .missingAtApple: "missing at Apple"
        case .mixed: "mixed"
        }
    }

    /// Its usual meaning.
    var meaning: String {
        switch self {
        case .equal: "both say the same"
        case .unpriced: "we have no price for it; a price list (--prices) gives one"
        case .price: "the same units at another price: a price change, an offer, a preserved price"
        case .cutoff: "sold near a month's end; Apple has it in the month before or after"
        case .refundTiming: "the same sales; refunds are reported in another month"
        case .missingHere: "purchases whose receipts are not in the input"
        case .missingAtApple: "purchases that Apple does not report: not paid, or duplicates"
        case .mixed: "the same units sold, but refunds and amounts differ"
        }
    }

    /// The cause of a row.
    ///
    /// - Parameter isCutOff: whether the differences of the row are undone in the period before or after.
    init(_ row: ReconciliationMeasures, isCutOff: Bool) {
        guard let gross = row.grossDifference, let refunds = row.refundsDifference else {
            self = .unpriced
            return
        }
        let (units, refunded) = (row.unitsDifference, row.refundedUnitsDifference)
        if units == 0, refunded == 0 {
            self = gross == 0 && refunds == 0 ? .equal : .price
        } else if units != 0, isCutOff {
            self = .cutoff
        } else if units == 0, gross == 0 {
            self = .refundTiming
        } else {
            self = units < 0 ? .missingHere : units > 0 ? .missingAtApple : .mixed
        }
    }
}

extension ReconciliationMeasures {
    /// Whether all four differences of two rows add up to nothing.
    func isUndone(by other: Self) -> Bool {
        guard let gross = grossDifference, let refunds = refundsDifference, let otherGross = other.grossDifference,
            let otherRefunds = other.refundsDifference
        else { return false }
        return unitsDifference + other.unitsDifference == 0
            && refundedUnitsDifference + other.refundedUnitsDifference == 0
            && gross + otherGross == 0 && refunds + otherRefunds == 0
    }
}
