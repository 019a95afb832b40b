public import TillCore

extension ExchangeRates {
    /// Refuses rates that their currencies cannot have, most often because a file has them the other way round: rates
    /// twenty times away from the rate of the day before in the files, or from the usual size of the currency. The usual
    /// size is known only for currencies of the App Store.
    ///
    /// Over the years the rates of a currency may lie further apart: the lira lost 97 % of its value from 2008 to 2025.
    ///
    /// - Throws: `rates.inverted`, with the first such pair by code, the rate and the file.
    public func checkPlausible() throws(Finding) {
        for (pair, days) in entries.sorted(by: { $0.key < $1.key }) {
            let usual = Self.usual(pair)
            var previous: (day: Int, rate: Ratio)?
            for (day, entry) in days.sorted(by: { $0.key < $1.key }) {
                if let usual, Self.isFar(entry.rate, from: usual) {
                    let rate = Self.text(pair, entry.rate, on: day)
                    throw inverted("\(rate), where some \(Self.text(usual)) are usual: this rate looks", entry.source)
                }
                if let previous, Self.isFar(entry.rate, from: previous.rate) {
                    let before = Self.text(pair, previous.rate, on: previous.day)
                    let rate = Self.text(pair, entry.rate, on: day)
                    throw inverted("\(before), and \(rate): one of the two looks", entry.source)
                }
                previous = (day, entry.rate)
            }
        }
    }

    private func inverted(_ what: String, _ source: Int) -> Finding {
        Finding("rates.inverted", "\(sources[source]): \(what) inverted; --fx-any accepts all rates")
    }

    private static func isFar(_ rate: Ratio, from other: Ratio) -> Bool {
        // No rate of a file has more than 64 bits above or below, and 20 takes five.
        let times: UInt128 = 20
        let (one, two) = (rate.numerator * other.denominator, other.numerator * rate.denominator)
        return one / times >= two || two / times >= one
    }

    /// `1 EUR is 161.2 JPY on 2026-03-09`.
    private static func text(_ pair: Pair, _ rate: Ratio, on day: Int) -> String {
        let name = BookingCalendar.usual.name(of: Int64(day), by: .day)
        return "1 \(pair.base) is \(text(rate)) \(pair.quote) on \(name)"
    }

    /// With as many decimals as four digits need.
    private static func text(_ rate: Ratio) -> String {
        var (decimals, scale) = (0, UInt128(1))
        while decimals < 12, rate.numerator * scale < 1000 * rate.denominator {
            (decimals, scale) = (decimals + 1, scale * 10)
        }
        let digits = String(rate.numerator * scale / rate.denominator)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return decimals == 0 ? padded : "\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
    }

    /// The usual rate of a pair; `nil` where the size of a currency is not known.
    private static func usual(_ pair: Pair) -> Ratio? {
        guard let base = perDollar["\(pair.base)"], let quote = perDollar["\(pair.quote)"] else { return nil }
        return Ratio(quote, base)
    }

    /// About how many hundredths of a currency a US dollar cost between 2010 and 2026. Of a currency that fell, the
    /// middle of its highest and its lowest rate, as a factor.
    private static let perDollar: [String: UInt128] = [
        "USD": 100, "AED": 367, "AUD": 135, "BGN": 175, "BRL": 350, "CAD": 130, "CHF": 95, "CLP": 70_000, "CNY": 680,
        "COP": 300_000, "CZK": 2_200, "DKK": 660, "EGP": 1_600, "EUR": 90, "GBP": 75, "HKD": 780, "HUF": 29_000,
        "IDR": 1_300_000, "ILS": 360, "INR": 7_000, "JPY": 11_500, "KRW": 120_000, "KZT": 30_000, "MXN": 1_700,
        "MYR": 400, "NGN": 50_000, "NOK": 850, "NZD": 150, "PEN": 340, "PHP": 5_000, "PKR": 16_000, "PLN": 375,
        "QAR": 364, "RON": 420, "RUB": 6_000, "SAR": 375, "SEK": 900, "SGD": 135, "THB": 3_300, "TRY": 800,
        "TWD": 3_000, "TZS": 220_000, "VND": 2_300_000, "ZAR": 1_500,
    ]
}
