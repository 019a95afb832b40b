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

    /// Amount in millionths, share in thousandths of a percent, and the share of it in millionths.
    static let shares: [(Int64, String, Int64, Int64)] = [
        // 9.99 × 0.67932 = 6.7864068; 9.99 × 0.5 = 4.995, the tie goes to the even cent; 4.95 × 0.5 = 2.475
        (9_990_000, "USD", 67_932, 6_790_000), (9_990_000, "USD", 50_000, 5_000_000),
        (4_950_000, "USD", 50_000, 2_480_000),
        // 4.97 × 0.5 = 2.485, and 160 × 0.33333 = 53.3328 yen; 0.300 × 0.5 = 0.150 dinars
        (4_970_000, "USD", 50_000, 2_480_000), (160_000_000, "JPY", 33_333, 53_000_000),
        (300_000, "KWD", 50_000, 150_000),
        (9_990_000, "USD", 0, 0), (9_990_000, "USD", 100_000, 9_990_000), (-9_990_000, "USD", 50_000, -5_000_000),
        // All of an amount finer than a cent; half of 0.005 is nothing, half of 0.015 is 0.0075
        (1_005_000, "USD", 100_000, 1_005_000), (5_000, "USD", 50_000, 0), (15_000, "USD", 50_000, 10_000),
    ]

    @Test("A share of an amount is rounded once, half to even, to the minor unit", arguments: shares)
    func takesShares(_ millionths: Int64, _ currency: String, _ share: Int64, _ expected: Int64) throws {
        let money = Money(millionths: Int128(millionths), currency: try #require(CurrencyCode(currency)))
        #expect(money.share(share).millionths == Int128(expected))
        #expect(money.share(share).currency == money.currency)
    }

    static let coarse: [(Int64, String, Int64)] = [
        (1_005_000, "USD", 1_000_000), (1_015_000, "USD", 1_020_000), (1_015_001, "USD", 1_020_000),
        (-1_005_001, "USD", -1_010_000), (500_000, "JPY", 0), (1_500_000, "JPY", 2_000_000), (1_500, "KWD", 2_000),
        (9_990_000, "USD", 9_990_000),
    ]

    @Test("Amounts finer than the minor unit are rounded half to even", arguments: coarse)
    func rounds(_ millionths: Int64, _ currency: String, _ expected: Int64) throws {
        let money = Money(millionths: Int128(millionths), currency: try #require(CurrencyCode(currency)))
        #expect(money.roundedToMinorUnit.millionths == Int128(expected))
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
        ("4.9900000000000002", 3, .dropNoise, 4990),
        ("-4.98999999999999999", 3, .dropNoise, -4990),
        ("99.9999999999999999", 3, .dropNoise, 100_000),
        ("4.9900000001", 3, .dropNoise, 4990), ("114.98999999999997952", 3, .dropNoise, 114_990),
        ("2.98999999999999", 3, .dropNoise, 2990), ("0.00000000001", 3, .dropNoise, 0),
        ("0.00001", 3, .dropNoise, nil), ("-0.9999999", 3, .dropNoise, -1000), ("1.2349", 3, .dropNoise, nil),
        ("1234567890123456", 3, .dropNoise, 1_234_567_890_123_456_000),
        ("1234567890123.4569", 3, .dropNoise, nil),
    ]

    @Test("Decimal text becomes an integer at a scale, or nothing", arguments: decimals)
    func scales(_ text: String, _ scale: Int, _ excess: ScaledDecimal.Excess, _ value: Int64?) {
        #expect(ScaledDecimal.parse(Array(text.utf8).span.bytes, scale: scale, excess: excess) == value)
    }
}
