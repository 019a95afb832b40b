import Testing
import TillCore
import TillPricing
import TillTestSupport

@testable import TillReference

@Suite("Files of commissions")
struct RateScheduleFileTests {
    private static func read(_ text: String, zone: TimeZoneRules = .utc) throws -> RateSchedule {
        try RateScheduleFile.read(Array(text.utf8), of: .commission, name: "rates.csv", zone: zone)
    }

    private static let file = """
        from,until,product,type,storefront,rate
        2026-01-01,2026-06-30,,,,0.15
        2026-07-01,,,,,0.30
        2026-01-01,,,auto_renewable,,0.25
        2026-01-01,,,auto_renewable,DE,0.27
        2026-03-01,2026-03-31,pro,,USA,0.298431
        2026-03-01,2026-03-31,pro,,*,0.2
        2026-03-01,,,,FRA,0.11

        """

    /// Product, type, storefront and instant of a sale, and its rate in millionths.
    static let sales: [(String, ProductType?, String?, String, Int64?)] = [
        // The program's last day is whole, and the next day begins at midnight.
        ("coins", nil, nil, "2026-06-30T23:59:59.999Z", 150_000), ("coins", nil, nil, "2026-07-01", 300_000),
        ("coins", nil, nil, "2025-12-31T23:59:59.999Z", nil),
        // Product and storefront, product, type and storefront, type, storefront, all: the first of these that fits.
        ("pro", .autoRenewable, "USA", "2026-03-31T23:59:59Z", 298_431),
        ("pro", .autoRenewable, "DEU", "2026-03-05", 200_000),
        ("pro", .autoRenewable, nil, "2026-03-05", 200_000), ("pro", .autoRenewable, "USA", "2026-04-01", 250_000),
        ("gold", .autoRenewable, "DEU", "2026-03-05", 270_000), ("gold", .autoRenewable, "FRA", "2026-03-05", 250_000),
        ("coins", .consumable, "FRA", "2026-03-05", 110_000), ("coins", .consumable, "ITA", "2026-03-05", 150_000),
    ]

    @Test("The most specific row that holds is the rate of a sale", arguments: sales)
    func rates(_ product: String, _ type: ProductType?, _ storefront: String?, _ date: String, _ rate: Int64?) throws {
        let schedule = try Self.read(Self.file)
        let found = schedule.rate(
            ofProduct: product,
            type: type,
            territory: storefront.flatMap { Territory($0) },
            at: Timestamp(date)
        )
        #expect(found == rate)
    }

    @Test("A sale without a date takes rows without dates, and one without a storefront the default one's")
    func unknowns() throws {
        let bytes = Array("rate,storefront\n0.3,\n0.2,JPN\n".utf8)
        let schedule = try RateScheduleFile.read(bytes, of: .commission, name: "r", defaultTerritory: Territory("JP"))
        #expect(schedule.rate(ofProduct: nil, type: nil, territory: nil, at: nil) == 200_000)
        #expect(schedule.rate(ofProduct: nil, type: nil, territory: Territory("US"), at: nil) == 300_000)
        let dated = try Self.read(Self.file)
        #expect(dated.rate(ofProduct: "pro", type: nil, territory: nil, at: nil) == nil)
    }

    @Test("Days are those of the report's time zone", .needsTimeZones)
    func zones() throws {
        let zone = try TimeZoneRules.ofDatabase("America/Los_Angeles")
        let schedule = try Self.read("from,rate\n2026-03-01,0.3\n", zone: zone)
        #expect(schedule.rate(ofProduct: nil, type: nil, territory: nil, at: Timestamp("2026-03-01T07:59:59Z")) == nil)
        #expect(
            schedule.rate(ofProduct: nil, type: nil, territory: nil, at: Timestamp("2026-03-01T08:00:00Z")) == 300_000
        )
    }

    @Test("Semicolons go with decimal commas, and other names of columns are known")
    func otherForms() throws {
        let schedule = try Self.read("SKU;country;commission\npro;US;0,298431\n")
        #expect(schedule.rate(ofProduct: "pro", type: nil, territory: Territory("USA"), at: nil) == 298_431)
    }

    /// Texts of files, and what is wrong with each, line by line.
    static let broken: [(String, [String])] = [
        ("", ["rates.csv:1: it has no header that can be read [commission.header]"]),
        ("rate\n", ["rates.csv: there is no rate in it [commission.no-rates]"]),
        ("from,until\n2026-01-01,\n", ["rates.csv:1: the column rate is missing [commission.column]"]),
        (
            "rate,colour\n0.3,red\n",
            [
                "rates.csv:1: there is no column 'colour'; choose from, until, product, type, storefront, rate [commission.column]"
            ]
        ),
        ("rate,rate\n0.3,0.3\n", ["rates.csv:1: the column rate is repeated [commission.column]"]),
        (
            "product,rate\npro,1.5\npro,0.1234567\npro,\n",
            [
                "rates.csv:2: \"1.5\" is not a share from 0 to 1 with six decimals at most, such as 0.30 [commission.rate]",
                "rates.csv:3: \"0.1234567\" is not a share from 0 to 1 with six decimals at most, such as 0.30 [commission.rate]",
                "rates.csv:4: the rate is empty [commission.rate]",
            ]
        ),
        (
            "from,until,type,product,storefront,rate\n2026-02-30,x,gem,,ZZ,0.3\n2026-03-01,2026-02-28,,,,0.3\n,,consumable,pro,,0.3\n",
            [
                "rates.csv:2: there is no type 'gem'; choose consumable, non_consumable, auto_renewable, non_renewing [commission.type]",
                "rates.csv:2: \"ZZ\" is neither an ISO 3166-1 code nor * [commission.storefront]",
                "rates.csv:2: \"2026-02-30\" in from is neither YYYY-MM-DD nor an RFC 3339 instant [commission.date]",
                "rates.csv:2: \"x\" in until is neither YYYY-MM-DD nor an RFC 3339 instant [commission.date]",
                "rates.csv:3: until is before from [commission.interval]",
                "rates.csv:4: a row has a product or a type, not both [commission.scope]",
            ]
        ),
        ("rate\n0.3,0.2\n", ["rates.csv:2: 2 cells, but the header has 1 [commission.cells]"]),
        (
            "from,until,rate\n2026-01-01,2026-03-31,0.3\n2026-02-01,2026-02-28,0.3\n2026-03-31,,0.15\n2026-03-30,2026-03-30,0.2\n",
            [
                "rates.csv:4: another rate than in line 2 for the same sales at the same time [commission.contradiction]",
                "rates.csv:5: another rate than in line 2 for the same sales at the same time [commission.contradiction]",
            ]
        ),
        (
            "rate,from\n0.3,\n0.2,2026-01-01\n",
            ["rates.csv:3: another rate than in line 2 for the same sales at the same time [commission.contradiction]"]
        ),
    ]

    @Test("What is wrong with a file is told with its line", arguments: broken)
    func refuses(_ text: String, _ lines: [String]) throws {
        let error = try #require(throws: FileFindings.self) { _ = try Self.read(text) }
        #expect(error.lines == lines)
    }

    @Test(
        "Of rows in any order the rates are those of a search row by row",
        arguments: Seeds.some(of: UInt64(1)...60)
    )
    func model(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let days = (1...12).map { Timestamp(milliseconds: Int64($0) * Timestamp.millisecondsPerDay) }
        let rows = (1...8).map { line in
            RateSchedule.Row(
                line: line,
                from: generator.pick(days + [nil, nil]),
                until: generator.pick(days + [nil, nil]),
                productID: generator.pick([nil, nil, "pro"]),
                territory: generator.pick([nil, Territory("US")]),
                rate: generator.pick([100_000, 200_000])
            )
        }
        .filter { row in row.from.flatMap { from in row.until.map { from < $0 } } ?? true }
        func isHeld(_ row: RateSchedule.Row, _ instant: Timestamp) -> Bool {
            (row.from.map { $0 <= instant } ?? true) && (row.until.map { instant < $0 } ?? true)
        }
        func scope(_ row: RateSchedule.Row) -> [String?] { [row.productID, row.territory?.description] }
        var contradictions: [RateSchedule.Contradiction] = []
        let schedule = RateSchedule(rows, reporting: &contradictions)
        let contradicts = rows.contains { row in
            rows.contains { other in
                scope(row) == scope(other) && row.rate != other.rate
                    && (days + [Timestamp(milliseconds: 0)]).contains { isHeld(row, $0) && isHeld(other, $0) }
            }
        }
        #expect(contradictions.isEmpty == !contradicts)
        // Rows that contradict each other have no rates. The first seeds, which every run has, draw no such rows.
        guard !contradicts else { return #expect(seed > 3) }
        for instant in days {
            for (product, place) in [("pro", "US"), ("pro", "DE"), ("gold", "US"), ("gold", "DE")] {
                let territory = Territory(place)
                let fits = rows.filter { row in
                    isHeld(row, instant) && [nil, product].contains(row.productID)
                        && (row.territory == nil || row.territory == territory)
                }
                func weight(_ row: RateSchedule.Row) -> Int {
                    (row.productID == nil ? 0 : 2) + (row.territory == nil ? 0 : 1)
                }
                let best = fits.max { weight($0) < weight($1) }
                let found = schedule.rate(ofProduct: product, type: nil, territory: territory, at: instant)
                #expect(found == best?.rate)
            }
        }
    }
}
