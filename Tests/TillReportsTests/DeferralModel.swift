import Foundation
import TillCore
import TillLedger
import TillPricing
import TillRows
import TillTestSupport

/// A second, plain implementation of deferral: a loop over the days of each sale.
struct DeferralModel {
    struct Sale {
        var id: Int
        var product: String
        var currency: String
        /// Minor units of the currency; `nil` for a sale without a price.
        var price: Int?
        var purchased: Date?
        var expires: Date?
        var refunded: Date?
        var reversed: Date?
        /// Of the price; `nil` for all of it.
        var refundPercent: Int?
    }

    struct Figures {
        var billed = 0
        var refunds = 0
        var earned = 0
    }

    var sales: [Sale]
    var zone = TimeZone.gmt
    var isFiscal = false
    var isByPurchase = false
    /// Local days since 1970, both included.
    var since: Int?
    var until: Int?

    func day(_ date: Date) -> Int {
        Int(((date.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: date))) / 86_400).rounded(.down))
    }

    /// A number for the month that holds a day, and its name.
    func month(_ day: Int) -> (number: Int, name: String) {
        func digits(_ number: Int, _ width: Int) -> String {
            String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
        }
        if isFiscal {
            let year = Calendar.utc.component(.year, from: Date(timeIntervalSince1970: Double(day) * 86_400))
            for month in (year...year + 1).flatMap(AppleFiscalCalendar.months)
            where month.firstDay...month.lastDay ~= day {
                return (month.year * 12 + month.number, "FY\(digits(month.year % 100, 2))-\(digits(month.number, 2))")
            }
        }
        let date = Calendar.utc.dateComponents(
            [.year, .month],
            from: Date(timeIntervalSince1970: Double(day) * 86_400)
        )
        let (year, month) = (date.year ?? 0, date.month ?? 0)
        return (year * 12 + month, "\(digits(year, 4))-\(digits(month, 2))")
    }

    private struct Booking {
        var day: Int?
        var billed = 0
        var refunds = 0
    }

    private func bookings(_ sale: Sale) -> [Booking] {
        let price = sale.price ?? 0
        let refund = sale.refundPercent.map { Self.earned(price, $0, of: 100) } ?? price
        let purchase = sale.purchased.map(day)
        var all = [Booking(day: purchase, billed: price)]
        if isByPurchase {
            if sale.refunded != nil, sale.reversed == nil { all.append(Booking(day: purchase, refunds: refund)) }
        } else {
            // A refund is booked with its purchase where it is dated before it.
            if let refunded = sale.refunded {
                all.append(Booking(day: max(day(refunded), purchase ?? .min), refunds: refund))
            }
            if let reversed = sale.reversed { all.append(Booking(day: day(reversed), refunds: -refund)) }
        }
        return all.filter { booking in
            guard let day = booking.day else { return since == nil && until == nil }
            return day <= until ?? .max
        }
    }

    /// amount × k / n, half to even.
    private static func earned(_ amount: Int, _ days: Int, of all: Int) -> Int {
        if days <= 0 { return 0 }
        if days >= all { return amount }
        let exact = abs(amount) * days
        let floor = exact / all
        let twice = 2 * (exact - floor * all)
        let up = twice > all || twice == all && floor % 2 == 1
        return (amount < 0 ? -1 : 1) * (floor + (up ? 1 : 0))
    }

    /// Minor units as a decimal.
    static func text(_ minor: Int, _ currency: String) -> String {
        let digits = ["JPY": 0, "KWD": 3][currency] ?? 2
        guard digits > 0 else { return String(minor) }
        let text = String(abs(minor))
        let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
        return (minor < 0 ? "-" : "") + padded.dropLast(digits) + "." + padded.suffix(digits)
    }

    private struct Key: Hashable, Comparable {
        var month: Int
        var product: String
        var currency: String

        static func < (left: Key, right: Key) -> Bool {
            (left.month, left.product, left.currency) < (right.month, right.product, right.currency)
        }
    }

    /// The rows and the schedule as texts, like those of ``DeferredTexts``.
    func texts() -> (rows: [String], schedule: [String]) {
        var movements: [Key: Figures] = [:]
        var openings: [Key: Int] = [:]
        var later: [String: [Int: Int]] = [:]
        var names: [Int: String] = [:]
        let booked = sales.flatMap(bookings).compactMap(\.day).filter { $0 >= since ?? .min }
        let last = (until ?? booked.max() ?? since).map(month)
        for sale in sales where sale.price ?? 0 != 0 {
            let bookings = bookings(sale)
            for booking in bookings where sale.purchased == nil {
                guard booking.day ?? .max >= since ?? .min else { continue }
                let month = booking.day.map(month) ?? (.max, "null")
                names[month.number] = month.name
                let key = Key(month: month.number, product: sale.product, currency: sale.currency)
                movements[key, default: Figures()].billed += booking.billed
                movements[key, default: Figures()].refunds += booking.refunds
                movements[key, default: Figures()].earned += booking.billed - booking.refunds
            }
            guard let purchased = sale.purchased, let last, !bookings.isEmpty else { continue }
            let first = day(purchased)
            let count = max(1, sale.expires.map { day($0) - first } ?? 1)
            let days = bookings.compactMap(\.day)
            var (net, earned) = (0, 0)
            for day in min(first, days.min() ?? first)...max(first + count - 1, days.max() ?? first) {
                var figures = Figures()
                for booking in bookings where booking.day == day {
                    figures.billed += booking.billed
                    figures.refunds += booking.refunds
                }
                net += figures.billed - figures.refunds
                figures.earned = Self.earned(net, day - first + 1, of: count) - earned
                earned += figures.earned
                let month = month(day)
                names[month.number] = month.name
                var key = Key(month: month.number, product: sale.product, currency: sale.currency)
                if day < since ?? .min {
                    key.month = 0
                    openings[key, default: 0] += figures.billed - figures.refunds - figures.earned
                } else if until.map({ day <= $0 }) ?? (month.number <= last.number) {
                    movements[key, default: Figures()].billed += figures.billed
                    movements[key, default: Figures()].refunds += figures.refunds
                    movements[key, default: Figures()].earned += figures.earned
                } else {
                    later[sale.currency, default: [:]][min(month.number, last.number + 121), default: 0] +=
                        figures.earned
                }
            }
        }
        return (rows(movements, openings, names), schedule(later, names, last?.number ?? 0))
    }

    private func rows(_ movements: [Key: Figures], _ openings: [Key: Int], _ names: [Int: String]) -> [String] {
        var balances = openings
        return movements.sorted { $0.key < $1.key }.compactMap { key, figures in
            var start = key
            start.month = 0
            let opening = key.month == .max ? 0 : balances[start] ?? 0
            let closing = opening + figures.billed - figures.refunds - figures.earned
            if key.month != .max { balances[start] = closing }
            let all = [opening, figures.billed, figures.refunds, figures.earned, closing]
            guard all.contains(where: { $0 != 0 }) else { return nil }
            let texts = all.map { Self.text($0, key.currency) }
            return
                "\(names[key.month] ?? "") \(key.product) \(key.currency): \(texts[0]) + \(texts[1]) - \(texts[2]) - "
                + "\(texts[3]) = \(texts[4])"
        }
    }

    private func schedule(_ later: [String: [Int: Int]], _ names: [Int: String], _ last: Int) -> [String] {
        later.sorted { $0.key < $1.key }.flatMap { currency, months in
            months.sorted { $0.key < $1.key }.filter { $0.value != 0 }.map { month, earned in
                "\(currency) \(month > last + 120 ? "later" : names[month] ?? "") \(Self.text(earned, currency))"
            }
        }
    }
}

extension Calendar {
    fileprivate static let utc = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
}
