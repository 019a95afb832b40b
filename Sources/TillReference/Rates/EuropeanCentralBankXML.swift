import TillCore
import TillPricing

/// The euro reference rates as the European Central Bank publishes them: nested elements called `Cube`.
///
///     <Cube>
///       <Cube time='2019-06-13'>
///         <Cube currency='USD' rate='1.1289'/>         one euro is 1.1289 US dollars
///
/// The elements are those of the bank's namespace, whatever their prefix. A document without a dated `Cube`, or with a
/// dated `Cube` without rates, is refused: an error page must not count as a day without rates.
enum EuropeanCentralBankXML {
    private static let namespace = "http://www.ecb.int/vocabulary/2002-08-01/eurofxref"

    static func read(_ bytes: [UInt8], name: String, into rates: inout ExchangeRates) throws(FileFindings) {
        var problems: [Finding] = []
        do throws(Finding) {
            var events = try XMLEvents(bytes, code: "fx.xml")
            problems = try read(&events, into: &rates)
        } catch {
            problems.append(error)
        }
        guard problems.isEmpty else { throw FileFindings(name, problems) }
    }

    private static func read(
        _ events: inout XMLEvents,
        into rates: inout ExchangeRates
    ) throws(Finding) -> [Finding] {
        var problems: [Finding] = []
        var depth = 0
        var day: (depth: Int, number: Int, line: Int, count: Int)?
        var dayCount = 0
        guard let euro = CurrencyCode("EUR") else { return problems }
        while let event = try events.next() {
            switch event {
            case .text: break
            case .end:
                if let open = day, open.depth == depth {
                    if open.count == 0 {
                        problems.append(.init("fx.empty-day", at: open.line, "a day without a single rate"))
                    }
                    day = nil
                }
                depth -= 1
            case .start(let name, let namespace, let attributes):
                depth += 1
                guard name == "Cube", namespace == Self.namespace else { continue }
                if let time = attributes["time"] {
                    guard let number = Self.day(time) else {
                        problems.append(.init("fx.date", at: events.line, "\(Finding.excerpt(time)) is not a day"))
                        continue
                    }
                    day = (depth, number, events.line, 0)
                    dayCount += 1
                } else if attributes["currency"] != nil || attributes["rate"] != nil {
                    guard let open = day else {
                        problems.append(.init("fx.date", at: events.line, "a rate without a day above it"))
                        continue
                    }
                    day?.count += 1
                    let quote = attributes["currency"] ?? ""
                    do throws(Finding) {
                        try rates.add(day: open.number, base: euro, quote: quote, rate: attributes["rate"] ?? "")
                    } catch {
                        problems.append(error.at(events.line))
                    }
                }
            }
        }
        if dayCount == 0, problems.isEmpty {
            problems.append(.init("fx.no-rates", "there is no dated rate of the European Central Bank in it"))
        }
        return problems
    }

    private static func day(_ text: String) -> Int? {
        Timestamp.parseDay(text.utf8.span.bytes).map { Int($0.milliseconds / Timestamp.millisecondsPerDay) }
    }
}

extension ExchangeRates {
    /// Adds a rate from its texts; throws their defect.
    mutating func add(day: Int, base: CurrencyCode, quote: String, rate: String) throws(Finding) {
        guard let quote = CurrencyCode(quote) else {
            throw Finding("fx.currency", "\(Finding.excerpt(quote)) is not a currency code, three capital letters")
        }
        guard let value = Self.rate(rate) else {
            throw Finding(
                "fx.rate",
                "\(Finding.excerpt(rate)) is not a rate: a decimal above 0 with at most 12 decimals"
            )
        }
        guard base != quote else { throw Finding("fx.currency", "a rate of \(base) to itself") }
        try add(day: day, base: base, quote: quote, rate: value)
    }
}
