import Testing
import TillCore
import TillLedger
import TillPricing
import TillTestSupport

@testable import TillReference

@Suite("Files of exchange rates")
struct ExchangeRateFileTests {
    private static let envelope = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" \
        xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
        <gesmes:subject>Reference rates</gesmes:subject>
        """

    private static func xml(_ cubes: String) -> String { envelope + "<Cube>" + cubes + "</Cube></gesmes:Envelope>" }

    private static func rates(_ texts: String...) throws -> ExchangeRates {
        var rates = ExchangeRates()
        for (index, text) in texts.enumerated() {
            try ExchangeRateFile.read(Array(text.utf8), name: "folder/rates\(index)", into: &rates)
        }
        return rates
    }

    /// What 100.00 in `currency` are in euros on a day, in cents.
    private static func converted(_ rates: ExchangeRates, _ currency: String, _ day: String) throws -> Int128 {
        let conversion = Conversion(to: try #require(CurrencyCode("EUR")), rates: rates)
        let code = conversion.rateCode(purchase: Timestamp(day), booking: nil, in: .usual)
        let rate = try conversion.rate(of: try #require(CurrencyCode(currency)), at: code, in: .usual)
        var sum = FractionSum()
        let isHeld = sum.add(100_000_000, times: rate)
        #expect(isHeld)
        return sum.rounded(to: 10_000, .halfEven) / 10_000
    }

    /// All say that one euro is 1.25 dollars and 160 yen: 100.00 USD are 80.00 EUR.
    static let forms = [
        xml("<Cube time='2026-03-02'><Cube currency='USD' rate='1.25'/><Cube currency=\"JPY\" rate=\"160\"/></Cube>"),
        "\u{FEFF}" + xml("<Cube time='2026-03-02'><Cube currency='USD' rate='1.2500'/></Cube>"),
        "Date,USD,JPY,RUB,\n2026-03-02,1.25,160,N/A,\n",
        "date,currency,per_eur\n2026-03-02,USD,1.25\n",
        "date;currency;per_eur\r\n2026-03-02;USD;1,25\r\n",
        "date,base,quote,rate,source\n2026-03-02,EUR,USD,1.25,house\n",
        "date,base,quote,rate,source\n2026-03-02,USD,EUR,0.8,house\n",
        "quote\tbase\trate\tdate\nUSD\tEUR\t1.25\t2026-03-02\n",
    ]

    @Test("The bank's forms and our own say the same", arguments: forms)
    func reads(_ text: String) throws {
        #expect(try Self.converted(Self.rates(text), "USD", "2026-03-02") == 8000)
    }

    @Test("Files are put together, and what they say alike is said once")
    func merges() throws {
        let rates = try Self.rates(
            "date,currency,per_eur\n2026-03-02,USD,1.25\n",
            "date,base,quote,rate,source\n2026-03-02,USD,TWD,32,bank\n2026-03-02,EUR,USD,1.250,bank\n"
        )
        #expect(rates.sources == ["rates0", "rates1"])
        // 100 TWD = 100/32 USD = 3.125 USD; / 1.25 = 2.50 EUR.
        #expect(try Self.converted(rates, "TWD", "2026-03-02") == 250)
    }

    static let rejected: [(String, String, Int)] = [
        ("", "fx.header", 1),
        ("date,currency\n", "fx.header", 1),
        ("a,b\n1,2\n", "fx.header", 1),
        ("date,currency,per_eur\n", "fx.no-rates", 0),
        ("date,currency,per_eur\n02.03.2026,USD,1.25\n", "fx.date", 2),
        ("date,currency,per_eur\n2026-03-02,usd,1.25\n", "fx.currency", 2),
        ("date,currency,per_eur\n2026-03-02,EUR,1\n", "fx.currency", 2),
        ("date,currency,per_eur\n2026-03-02,USD,0\n", "fx.rate", 2),
        ("date,currency,per_eur\n2026-03-02,USD,-1\n", "fx.rate", 2),
        ("date,currency,per_eur\n2026-03-02,USD,1.0000000000001\n", "fx.rate", 2),
        ("date,currency,per_eur\n2026-03-02,USD,\n", "fx.rate", 2),
        ("date,currency,per_eur\n2026-03-02,USD,\"1\n", "fx.text", 2),
        ("date,currency,per_eur\n2026-03-02,USD,1.25\n2026-03-02,USD,1.26\n", "fx.conflict", 3),
        ("PK\u{3}\u{4}", "fx.zip", 0),
        ("<html><body>503</body></html>", "fx.no-rates", 0),
        (xml(""), "fx.no-rates", 0),
        (xml("<Cube time='2026-03-02'></Cube>"), "fx.empty-day", 4),
        (xml("<Cube time='2026-03-02'/>"), "fx.empty-day", 4),
        (xml("<Cube currency='USD' rate='1.25'/>"), "fx.date", 4),
        (xml("<Cube time='yesterday'><Cube currency='USD' rate='1.25'/></Cube>"), "fx.date", 4),
        (xml("<Cube time='2026-03-02'><Cube currency='USD' rate='1,25'/></Cube>"), "fx.rate", 4),
        (xml("<Cube time='2026-03-02'><Cube currency='USD' rate='1.25'/>"), "fx.xml", 4),
        ("<Cube><Cube time='2026-03-02'><Cube currency='USD' rate='1.25'/></Cube></Cube>", "fx.no-rates", 0),
        ("<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "fx.xml", 1),
        ("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>", "fx.xml", 1),
    ]

    @Test("What is wrong with a file is told with its line and code", arguments: rejected)
    func rejects(_ text: String, _ code: String, _ line: Int) throws {
        let error = try #require(throws: FileFindings.self) { try Self.rates(text) }
        let finding = try #require(error.findings.first)
        #expect(finding.code == code)
        // Lines of XML are those to which the parser has read.
        #expect(abs(finding.offset - line) <= (line == 0 ? 0 : 1))
    }

    @Test("All errors of a file are told at once")
    func tellsAll() throws {
        let text = "date,currency,per_eur\n2026-03-02,usd,1.25\nx,USD,1\n2026-03-04,USD,zero\n"
        let error = try #require(throws: FileFindings.self) { try Self.rates(text) }
        #expect(error.findings.map(\.offset) == [2, 3, 4])
        #expect(error.description.split(separator: "\n").count == 3)
    }
}
