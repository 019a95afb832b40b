import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The figures of one month or week and currency that a journal books.
struct JournalMonth: Sendable {
    let unit: Int64
    /// The name of the unit; `nil` if bookings have no date.
    let time: String?
    let currency: CurrencyCode
    var figures = DeferredFigures()
    /// Tax and commission; `nil` if they are not known of a sale.
    var estimate: (tax: Int128, commission: Int128)? = (0, 0)

    private struct Key: Hashable {
        let unit: Int64
        let currency: CurrencyCode

        /// Unknown units are the last.
        static func precedes(_ left: Key, _ right: Key) -> Bool {
            func order(_ key: Key) -> Int64 { key.unit == GroupCode.unknown ? .max : key.unit }
            return (order(left), left.currency) < (order(right), right.currency)
        }
    }

    /// The months of both reports, in the order of time and currency.
    ///
    /// Throws if billed and refunds are not gross and refunds of the revenue report: an error of tillroll's, or of a damaged
    /// closed partial.
    static func months(
        of statement: DeferralStatement,
        _ rows: Cube,
        knowsFees: Bool
    ) throws(Finding) -> [JournalMonth] {
        var months: [Key: JournalMonth] = [:]
        for total in statement.totals {
            guard let currency = total.currency else { continue }
            let month = JournalMonth(unit: total.unit, time: total.time, currency: currency, figures: total.figures)
            months[Key(unit: total.unit, currency: currency)] = month
        }
        let revenue = rows.rollup(to: [rows.keys[0], .currency])
        var sold: [Key: (time: String?, values: CubeGroup)] = [:]
        for group in revenue.groups {
            guard let currency = revenue.currency(of: group) else { continue }
            let key = Key(unit: revenue.code(of: group, at: 0), currency: currency)
            let values = revenue[group, 0]
            sold[key] = (revenue.name(of: group, at: 0), values)
            guard knowsFees else { continue }
            let estimate = (RevenueMeasure.tax.value(of: values), RevenueMeasure.commission.value(of: values))
            if case (let tax?, let commission?) = estimate {
                months[key]?.estimate = (tax, commission)
            } else {
                months[key]?.estimate = nil
            }
        }
        for key in Set(months.keys).union(sold.keys).sorted(by: Key.precedes) {
            let (booked, sold) = (months[key], sold[key])
            func amount(_ field: RevenueField) -> Int128 { sold?.values[field.rawValue] ?? 0 }
            guard booked?.figures.billed ?? 0 == amount(.gross), booked?.figures.refunds ?? 0 == amount(.refunds) else {
                throw .unbalanced("journal of \(booked?.time ?? sold?.time ?? "unknown"), \(key.currency)")
            }
        }
        return months.sorted { Key.precedes($0.key, $1.key) }.map(\.value)
    }

    /// The entries, without those of amount 0.
    func lines(_ calendar: DeferralCalendar, _ accounts: JournalAccounts) -> [JournalLine] {
        let released = figures.earned + figures.refunds
        let lines = [
            line(.billed, figures.billed, from: .deferredRevenue, to: .receivable),
            line(.earned, released, from: .revenue, to: .deferredRevenue),
            line(.refunds, figures.refunds, from: .receivable, to: .refunds),
            line(.commission, estimate?.commission ?? 0, from: .receivable, to: .commission),
            line(.tax, estimate?.tax ?? 0, from: .receivable, to: .tax),
        ]
        return lines.compactMap { $0?(calendar, accounts) }
    }

    /// - Parameters:
    ///   - from: the account that is credited.
    ///   - to: the account that is debited.
    private func line(
        _ kind: JournalLine.Kind,
        _ amount: Int128,
        from: JournalAccounts.Account,
        to: JournalAccounts.Account
    ) -> ((DeferralCalendar, JournalAccounts) -> JournalLine)? {
        guard amount != 0, let time else { return nil }
        return { calendar, accounts in
            let entry = JournalEntry(
                day: calendar.nameOfLastDay(of: unit),
                description: "\(kind.title), \(time)",
                isEstimated: kind.isEstimated,
                postings: [
                    .init(account: accounts[to], amount: Money(millionths: amount, currency: currency)),
                    .init(account: accounts[from], amount: Money(millionths: -amount, currency: currency)),
                ]
            )
            return JournalLine(time: time, kind: kind, entry: entry)
        }
    }
}

/// An entry and its amounts.
struct JournalLine: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        case billed, earned, refunds, commission, tax

        var title: String {
            switch self {
            case .billed: "Billed"
            case .earned: "Earned"
            case .refunds: "Refunds"
            case .commission: "Commission of Apple"
            case .tax: "Tax remitted by Apple"
            }
        }

        var isEstimated: Bool {
            switch self {
            case .billed, .earned, .refunds: false
            case .commission, .tax: true
            }
        }
    }

    /// The month or week.
    let time: String
    let kind: Kind
    let entry: JournalEntry
}
