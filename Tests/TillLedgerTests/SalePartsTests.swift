import Testing
import TillCore
import TillPricing
import TillTestSupport

@testable import TillLedger

@Suite("Parts of a sale")
struct SalePartsTests {
    private static func money(_ millionths: Int128, _ currency: String) throws -> Money {
        Money(millionths: millionths, currency: try #require(CurrencyCode(currency)))
    }

    @Test("Tax and proceeds are rounded for each unit, as Apple rounds its Developer Proceeds")
    func worked() throws {
        let fees = SettledTransaction.Fees(includedTax: 190_000, commission: 300_000)
        let one = SaleParts(try Self.money(9_990_000, "EUR"), fees, .halfEven)
        #expect(one.withoutTax == 8_390_000 && one.proceeds == 5_880_000)
        let three = SaleParts(try Self.money(29_970_000, "EUR"), units: 3, fees, .halfEven)
        #expect(three.withoutTax == 25_170_000 && three.proceeds == 17_640_000)
        let yearly = SettledTransaction.Fees(includedTax: 190_000, commission: 150_000)
        let plan = SaleParts(try Self.money(119_000_000, "EUR"), yearly, .halfEven)
        #expect(plan.withoutTax == 100_000_000 && plan.proceeds == 85_000_000)
    }

    @Test("An unknown part is not 0, but of an amount of 0 everything is known")
    func unknown() throws {
        let nothing = SettledTransaction.Fees(includedTax: nil, commission: nil)
        let untaxed = SettledTransaction.Fees(includedTax: nil, commission: 300_000)
        let taxed = SettledTransaction.Fees(includedTax: 200_000, commission: nil)
        let amount = try Self.money(1_200_000, "EUR")
        for fees in [nothing, untaxed] {
            let parts = SaleParts(amount, fees, .halfEven)
            #expect(parts.withoutTax == nil && parts.proceeds == nil)
        }
        let parts = SaleParts(amount, taxed, .halfEven)
        #expect(parts.withoutTax == 1_000_000 && parts.proceeds == nil)
        let zero = SaleParts(try Self.money(0, "EUR"), units: 5, nothing, .halfEven)
        #expect(zero.withoutTax == 0 && zero.proceeds == 0)
    }

    /// The quotient of two integers, rounded by looking at the two integers beside it.
    private static func plain(_ dividend: Int128, _ divisor: Int128, _ rounding: Rounding) -> Int128 {
        let below = dividend / divisor
        let (toBelow, toAbove) = (dividend - below * divisor, (below + 1) * divisor - dividend)
        if toBelow != toAbove { return toBelow < toAbove ? below : below + 1 }
        return rounding == .halfUp || below % 2 != 0 ? below + 1 : below
    }

    @Test("Parts equal a plain computation, and lie between 0 and the amount", arguments: Seeds.some(of: 1...20))
    func random(seed: Int) throws {
        var numbers = SplitMix64(seed: UInt64(seed))
        for _ in 0..<500 {
            let currency = ["EUR", "JPY", "KWD"][Int.random(in: 0..<3, using: &numbers)]
            let quantum = try Self.money(0, currency).currency.quantum
            let units = Int64([1, 1, 1, 2, 3, 7, 1000][Int.random(in: 0..<7, using: &numbers)])
            let each = Int128(Int64.random(in: 1...100_000, using: &numbers)) * quantum
            let amount = each * Int128(units)
            let tax = Int64.random(in: 0...300_000, using: &numbers) / 1000 * 1000
            let commission = [0, 150_000, 300_000, 1_000_000][Int.random(in: 0..<4, using: &numbers)]
            let rounding: Rounding = Bool.random(using: &numbers) ? .halfEven : .halfUp
            let fees = SettledTransaction.Fees(includedTax: tax, commission: Int64(commission))
            let parts = SaleParts(try Self.money(amount, currency), units: units, fees, rounding)
            let divisor = quantum * Int128(1_000_000 + tax)
            let taxOfUnit = Self.plain(each * Int128(tax), divisor, rounding) * quantum
            let proceedsOfUnit = Self.plain(each * Int128(1_000_000 - commission), divisor, rounding) * quantum
            #expect(parts.withoutTax == amount - taxOfUnit * Int128(units))
            #expect(parts.proceeds == proceedsOfUnit * Int128(units))
            let withoutTax = try #require(parts.withoutTax)
            #expect(0...amount ~= withoutTax)
        }
    }
}
