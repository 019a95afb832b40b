import TillCore
import TillPricing

/// Exchange rates as separated values, in the bank's form or in one of our own; see ``ExchangeRateFile``.
///
/// Separators, quotes and decimal commas are those of a price list.
struct ExchangeRateTable {
    private enum Form {
        /// A column for each currency, in units for one euro.
        case wide([(column: Int, currency: String)])
        /// Columns of `date`, `currency`, `per_eur`.
        case perEuro(currency: Int, rate: Int)
        /// Columns of `date`, `base`, `quote`, `rate`.
        case pair(base: Int, quote: Int, rate: Int)
    }

    /// The largest number of reported problems of one file. A file of another kind has a problem in every line.
    private static let mostProblems = 100

    private let allowsDecimalComma: Bool
    private let dateColumn: Int
    private let form: Form
    private var problems: [Finding] = []
    private var count = 0

    static func read(_ bytes: [UInt8], name: String, into rates: inout ExchangeRates) throws(FileFindings) {
        var records = SeparatedValues(bytes)
        guard let header = records.next(), header.defect == nil else {
            throw FileFindings(name, [.init("fx.header", at: 1, "it has no header that can be read")])
        }
        guard var table = ExchangeRateTable(header.cells, separator: records.separator) else {
            let forms = "date,currency,per_eur or date,base,quote,rate,source or the bank's Date,USD,JPY,…"
            throw FileFindings(name, [.init("fx.header", at: header.line, "its columns are not \(forms)")])
        }
        while let record = records.next(), table.problems.count < mostProblems { table.read(record, into: &rates) }
        if table.count == 0, table.problems.isEmpty {
            table.problems.append(.init("fx.no-rates", "there is no rate in it"))
        }
        guard table.problems.isEmpty else { throw FileFindings(name, table.problems) }
    }

    private init?(_ header: [String], separator: UInt8) {
        allowsDecimalComma = separator != UInt8(ascii: ",")
        let names = header.map { $0.lowercased() }
        guard let dateColumn = names.firstIndex(of: "date") else { return nil }
        self.dateColumn = dateColumn
        if let rate = names.firstIndex(of: "rate"), let base = names.firstIndex(of: "base"),
            let quote = names.firstIndex(of: "quote")
        {
            form = .pair(base: base, quote: quote, rate: rate)
        } else if let rate = names.firstIndex(of: "per_eur"), let currency = names.firstIndex(of: "currency") {
            form = .perEuro(currency: currency, rate: rate)
        } else {
            let currencies = header.enumerated().filter { $0.offset != dateColumn && !$0.element.isEmpty }
            guard !currencies.isEmpty, currencies.allSatisfy({ CurrencyCode($0.element) != nil }) else { return nil }
            form = .wide(currencies.map { ($0.offset, $0.element) })
        }
    }

    private mutating func read(_ record: SeparatedValues.Record, into rates: inout ExchangeRates) {
        guard record.defect == nil else {
            return report("fx.text", record, "a quote is not closed or is inside a cell, or the text is not UTF-8")
        }
        func cell(_ index: Int) -> String { index < record.cells.count ? record.cells[index] : "" }
        let date = cell(dateColumn)
        guard let midnight = Timestamp.parseDay(date.utf8.span.bytes), let euro = CurrencyCode("EUR") else {
            return report("fx.date", record, "\(Finding.excerpt(date)) is not a day such as 2026-03-02")
        }
        let day = Int(midnight.milliseconds / Timestamp.millisecondsPerDay)
        switch form {
        case .wide(let columns):
            for (column, currency) in columns {
                let text = cell(column)
                // The bank writes N/A for currencies that it does not quote on a day.
                guard !text.isEmpty, text.uppercased() != "N/A" else { continue }
                add(record, day, euro, currency, text, &rates)
            }
        case .perEuro(let currency, let rate): add(record, day, euro, cell(currency), cell(rate), &rates)
        case .pair(let base, let quote, let rate):
            guard let currency = CurrencyCode(cell(base)) else {
                let text = Finding.excerpt(cell(base))
                return report("fx.currency", record, "\(text) is not a currency code, three capital letters")
            }
            add(record, day, currency, cell(quote), cell(rate), &rates)
        }
    }

    private mutating func add(
        _ record: SeparatedValues.Record,
        _ day: Int,
        _ base: CurrencyCode,
        _ quote: String,
        _ rate: String,
        _ rates: inout ExchangeRates
    ) {
        count += 1
        let isDecimalComma = allowsDecimalComma && rate.contains(",") && !rate.contains(".")
        let decimal = isDecimalComma ? String(rate.map { $0 == "," ? "." : $0 }) : rate
        do throws(Finding) {
            try rates.add(day: day, base: base, quote: quote, rate: decimal)
        } catch {
            problems.append(error.at(record.line))
        }
    }

    private mutating func report(_ code: String, _ record: SeparatedValues.Record, _ message: String) {
        problems.append(.init(code, at: record.line, message))
    }
}
