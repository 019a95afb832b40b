import TillCore
import TillLedger
import TillReportModel

/// A row of deferred revenue: a group in a month or week, or a total.
struct DeferredRow: Sendable {
    /// The keys without the unit of time.
    let group: Group
    /// ``GroupCode/unknown`` if bookings have no date.
    let unit: Int64
    /// The name of the unit; `nil` if it is not known.
    let time: String?
    let currency: CurrencyCode?
    var figures = DeferredFigures()
    /// In the base currency; `nil` if nothing is converted.
    var converted: ConvertedDeferral?

    /// For an error: `2026-03, pro, USD`.
    var description: String { "\(time ?? "unknown"), \(group.description)" }

    mutating func add(_ other: DeferredRow) {
        figures += other.figures
        if let more = other.converted {
            var sum = converted ?? ConvertedDeferral()
            sum.add(more)
            converted = sum
        }
    }
}

/// The amounts of a row in the base currency, each rounded once; earned is the remainder.
struct ConvertedDeferral: Sendable {
    var figures = DeferredFigures()
    /// Sales, refunds and reversals whose amount has no rate. They are in no converted figure.
    var unconverted: Int64 = 0
    var hasConverted = false
    /// Whether there are amounts that have no rate, such as those that are earned in a later month than they were
    /// billed.
    var lacksRates = false

    /// Whether the figures are known: without a rate for any amount they are not known, and not 0.
    var isKnown: Bool { hasConverted || !lacksRates }

    mutating func add(_ other: ConvertedDeferral) {
        figures += other.figures
        unconverted += other.unconverted
        hasConverted = hasConverted || other.hasConverted
        lacksRates = lacksRates || other.lacksRates
    }
}

/// A row of the schedule: the part of the closing balance that is earned in a later month or week.
struct ScheduledRow: Sendable {
    let currency: CurrencyCode
    /// `nil` for all that comes after the last unit that is listed.
    let time: String?
    var earned: Int128 = 0
    /// In the base currency; `nil` if nothing is converted.
    var converted: Int128?
}

extension DeferredRow {
    /// The measures, beside the keys.
    ///
    /// - Parameter balancesAddUp: whether opening and closing balances of different rows may be added, and not only
    ///   movements.
    static func columns(base: CurrencyCode?, balancesAddUp: Bool) -> [ReportColumn<DeferredRow>] {
        (measures.map(column) + (base.map(convertedColumns) ?? [])).adding(balances: balancesAddUp)
    }

    /// The equation of every row.
    static let balanceCheck = Section.RowCheck(
        [Measure.opening.rawValue, Measure.billed.rawValue],
        equals: [Measure.refunds.rawValue, Measure.earned.rawValue, Measure.closing.rawValue]
    )

    static let closing = column(.closing)

    enum Measure: String, CaseIterable, Sendable {
        case opening, billed, refunds, earned, closing

        /// The term of an accountant.
        var title: String {
            switch self {
            case .opening: "Opening balance"
            case .billed: "Billed"
            case .refunds: "Refunds"
            case .earned: "Earned"
            case .closing: "Closing balance"
            }
        }

        /// Whether it stays longest in a table that is too wide.
        var isMain: Bool {
            switch self {
            case .billed, .earned, .closing: true
            case .opening, .refunds: false
            }
        }

        func value(of figures: DeferredFigures) -> Int128 {
            switch self {
            case .opening: figures.opening
            case .billed: figures.billed
            case .refunds: figures.refunds
            case .earned: figures.earned
            case .closing: figures.closing
            }
        }
    }

    private static let measures = Measure.allCases

    private static func column(_ measure: Measure) -> ReportColumn<DeferredRow> {
        ReportColumn(measure.rawValue, measure.title, isMain: measure.isMain) {
            .money(measure.value(of: $0.figures), $0.currency)
        }
    }

    private static func convertedColumns(_ base: CurrencyCode) -> [ReportColumn<DeferredRow>] {
        let columns = measures.map { measure in
            let title = "\(measure.title) (\(base))"
            return ReportColumn<DeferredRow>("converted_\(measure.rawValue)", title, isMain: measure.isMain) {
                converted(measure, of: $0, base)
            }
        }
        return columns + [
            ReportColumn("unconverted_transactions", "Without a rate") { .count($0.converted?.unconverted ?? 0) }
        ]
    }

    /// The closing balance in the base currency, for the chart.
    static func convertedClosing(_ base: CurrencyCode) -> ReportColumn<DeferredRow> {
        ReportColumn("converted_closing", "\(Measure.closing.title) (\(base))") { converted(.closing, of: $0, base) }
    }

    /// Absent where no amount has a rate.
    private static func converted(_ measure: Measure, of row: DeferredRow, _ base: CurrencyCode) -> Cell {
        guard let converted = row.converted, converted.isKnown else { return .absent }
        return .money(measure.value(of: converted.figures), base)
    }

    /// The movements in the base currency alone, all currencies together.
    static func baseColumns(_ base: CurrencyCode, balancesAddUp: Bool) -> [ReportColumn<DeferredRow>] {
        let columns: [ReportColumn<DeferredRow>] = measures.map { measure in
            ReportColumn(measure.rawValue, measure.title, isMain: measure.isMain) {
                converted(measure, of: $0, base)
            }
        }
        return columns.adding(balances: balancesAddUp)
    }
}

extension [ReportColumn<DeferredRow>] {
    /// The columns with those marked that may be added.
    fileprivate func adding(balances: Bool) -> Self {
        map { column in
            let isBalance = ["opening", "closing"].contains { column.heading.name.hasSuffix($0) }
            return isBalance && !balances ? column : column.additive
        }
    }
}
