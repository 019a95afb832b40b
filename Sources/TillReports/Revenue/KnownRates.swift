import TillCore
import TillLedger
import TillPricing

/// The exchange rates that a report needs: each currency and day, or month, is looked up once.
struct KnownRates {
    private struct Key: Hashable {
        let currency: CurrencyCode
        let code: Int64?
    }

    let conversion: Conversion
    private let calendar: BookingCalendar
    private var rates: [Key: Result<Ratio, RateGap>] = [:]

    init(_ conversion: Conversion, in calendar: BookingCalendar) {
        (self.conversion, self.calendar) = (conversion, calendar)
    }

    /// The rate of a day or month, or why there is none.
    ///
    /// - Throws: where no rate is near the day and ``Conversion/GapRule/fail`` allows no amount without one.
    mutating func rate(of currency: CurrencyCode, at code: Int64?) throws(Finding) -> Result<Ratio, RateGap> {
        let key = Key(currency: currency, code: code)
        let rate =
            rates[key]
            ?? Result { () throws(RateGap) in
                try conversion.rate(of: currency, at: code, in: calendar)
            }
        rates[key] = rate
        if case .failure(.noRateNearDay) = rate, conversion.gapRule == .fail { throw gap(key) }
        return rate
    }

    /// The lowest and the highest rate that was found of each currency.
    var ranges: [CurrencyCode: ClosedRange<RateDecimal>] {
        var ranges: [CurrencyCode: ClosedRange<RateDecimal>] = [:]
        for (key, rate) in rates {
            guard case .success(let ratio) = rate else { continue }
            let decimal = RateDecimal(ratio)
            let known = ranges[key.currency] ?? decimal...decimal
            ranges[key.currency] = min(known.lowerBound, decimal)...max(known.upperBound, decimal)
        }
        return ranges
    }

    private func gap(_ key: Key) -> Finding {
        let time = key.code.map { calendar.name(of: $0, by: conversion.rateUnit) } ?? "an unknown day"
        return Finding(
            "fx.gap",
            "there is no rate of \(key.currency) for \(time), and --fx-gap fail allows no rate of another day"
        )
    }
}

extension Conversion {
    /// The unit of time of which one rate is taken.
    var rateUnit: CalendarUnit { dateRule == .purchaseDate ? .day : .month }
}
