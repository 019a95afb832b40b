import Testing
import TillCore

@Suite("Money")
struct MoneyTests {
    static let written: [(Int128, String, String)] = [
        (1_234_500_000, "USD", "1234.50"),
        (980_000_000, "JPY", "980"),
        (-300_000, "USD", "-0.30"),
        (300_000, "KWD", "0.300"),
        (0, "EUR", "0.00"),
        (9_995_000, "USD", "9.995"),
        (1, "JPY", "0.000001"),
    ]

    @Test("Amounts have the currency's own decimals, and more only where exactness needs them", arguments: written)
    func writes(_ millionths: Int128, _ currency: String, _ text: String) throws {
        let code = try #require(CurrencyCode(currency))
        #expect(Money(millionths: millionths, currency: code).decimalText == text)
    }

    @Test("A currency code is three capital letters", arguments: ["", "US", "usd", "USDT", "U$D"])
    func refuses(_ text: String) {
        #expect(CurrencyCode(text) == nil)
    }

    static let decimals: [(String, Int, ScaledDecimal.Excess, Int64?)] = [
        ("0.99", 6, .reject, 990_000),
        ("-12", 3, .reject, -12_000),
        ("1697679936049.7297", 0, .truncate, 1_697_679_936_049),
        ("1.2345678", 6, .reject, nil),
        ("1.230000000", 2, .reject, 123),
        ("1e3", 0, .reject, 1000),
        ("1.5e-1", 3, .reject, 150),
        ("9223372036854775807", 0, .reject, .max),
        ("9223372036854775808", 0, .reject, nil),
        ("-9223372036854775808", 0, .reject, .min),
        ("1e400", 0, .reject, nil),
        ("1e99999999999", 0, .reject, nil),
        ("0e99", 0, .reject, 0),
        ("", 0, .reject, nil),
        ("-", 0, .reject, nil),
        (".", 0, .reject, nil),
        ("1 ", 0, .reject, nil),
        ("0x10", 0, .reject, nil),
    ]

    @Test("Decimal text becomes an integer at a scale, or nothing", arguments: decimals)
    func scales(_ text: String, _ scale: Int, _ excess: ScaledDecimal.Excess, _ value: Int64?) {
        #expect(ScaledDecimal.parse(Array(text.utf8).span.bytes, scale: scale, excess: excess) == value)
    }
}
