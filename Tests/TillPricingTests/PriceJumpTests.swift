import Testing
import TillCore

@testable import TillPricing

@Suite("Doubtful prices and currencies")
struct PriceJumpTests {
    private static func row(
        _ line: Int,
        _ price: Int64,
        _ currency: String,
        offer: String? = nil
    ) throws -> PriceListRow {
        PriceListRow(
            line: line,
            productID: "pro",
            bundleID: nil,
            territory: nil,
            offerID: offer,
            type: nil,
            period: nil,
            effectiveFrom: nil,
            effectiveTo: nil,
            point: PricePoint(currency: try #require(CurrencyCode(currency)), price: price)
        )
    }

    @Test("A price ten times that of the row before it is told, and so is a tenth; 9.99 times is not")
    func jumps() throws {
        let rows = try [
            Self.row(2, 999_000, "USD"), Self.row(3, 9_990_000, "USD"), Self.row(4, 99_700_000, "USD"),
            Self.row(5, 9_970_000, "USD"),
        ]
        #expect(PriceJumps.problems(in: rows.shuffled()).map(\.offset) == [3, 5])
    }

    @Test("Prices in other currencies, of offers, and of 0 are not compared")
    func others() throws {
        let rows = try [
            Self.row(2, 1_000_000, "USD"), Self.row(3, 160_000_000, "JPY"), Self.row(4, 99_000_000, "USD", offer: "x"),
            Self.row(5, 0, "USD"), Self.row(6, 2_000_000, "USD"),
        ]
        #expect(PriceJumps.problems(in: rows).isEmpty)
    }

    @Test(
        "ISO 4217 lists money of today and of the years of the App Store, and nothing else",
        arguments: [
            ("EUR", true), ("BGN", true), ("ZWR", true), ("EUD", false), ("XXX", false), ("XAU", false), ("DEM", true),
            ("CHR", false),
        ]
    )
    func listed(_ code: String, isListed: Bool) throws {
        #expect(try #require(CurrencyCode(code)).isListed == isListed)
    }
}
