import Testing
import TillCore
import TillPricing

@testable import TillReference

@Suite("Price list")
struct PriceListTests {
    static func list(_ csv: String) throws -> PriceList {
        try PriceList(csv: Array(csv.utf8), name: "prices.csv")
    }

    static func findings(in csv: [UInt8]) throws -> [Finding] {
        try #require(throws: FileFindings.self) { try PriceList(csv: csv, name: "prices.csv") }.findings
    }

    // MARK: Accepted

    static let accepted: [(String, Int64)] = [
        ("product_id,currency,price\na,EUR,1.99\n", 1_990_000),
        ("product_id,currency,price\na,EUR,1.99", 1_990_000),
        ("\u{FEFF}product_id,currency,price\r\na,EUR,1.99\r\n", 1_990_000),
        ("product_id,currency,price\ra,EUR,1.99\r", 1_990_000),
        ("product_id;currency;price\na;EUR;1,99\n", 1_990_000),
        ("product_id;currency;price\na;EUR;1.99\n", 1_990_000),
        ("product_id\tcurrency\tprice\na\tEUR\t1,99\n", 1_990_000),
        ("\"product_id\";currency;price\n\"a\";\"EUR\";\"1,99\"\n", 1_990_000),
        ("SKU, Currency ,customer_price\n a , EUR , 1.99 \n", 1_990_000),
        ("\r\nproduct_id; currency; price\n\"a\" ; \"EUR\"; \"1,99\" \n", 1_990_000),
        ("price,product_id,currency\n0,a,EUR\n", 0),
        ("product_id,currency,price,note\na,EUR,1.99,\"said \"\"now\"\",\r\nthen; left\"\n", 1_990_000),
        ("product_id,currency,price,note,\na,EUR,1.99\n,,,,\n\n", 1_990_000),
        ("sku,storefront,currency,price,start_date\na,*,EUR,1.99,2020-01-01\n", 1_990_000),
        ("sku,country,currency,price,start_date\na,*,EUR,1.99,2020-01-01T00:00:00+02:00\n", 1_990_000),
        (
            "product_id,currency,price,period,commission,tax_rate,tax_included\na,EUR,1,P1Y2M3W4D,0.15,0.19,TRUE",
            1_000_000
        ),
        ("product_id,currency,price,preserved_from,commission\na,EUR,1e2,2021-02-03,1\n", 100_000_000),
        ("product_id,currency,price\na,KWD,0.125\n", 125_000),
        ("product_id,currency,price\na,JPY,160.00\n", 160_000_000),
    ]

    @Test("Separators, quotes, line ends, aliases and short rows of spreadsheets are read", arguments: accepted)
    func accepts(_ csv: String, _ price: Int64) throws {
        let prices = try #require(try Self.list(csv).prices(for: "a"))
        let point = prices.price(
            at: Timestamp(milliseconds: 1_700_000_000_000),
            storefront: nil,
            currency: nil,
            bundleID: nil,
            offerID: nil
        )
        #expect(point?.price == price)
    }

    @Test("A list of no rows has no prices")
    func headerOnly() throws {
        #expect(try Self.list("product_id,currency,price\n").prices(for: "a") == nil)
    }

    @Test("The product type comes from any row that names it", arguments: ProductType.allCases)
    func type(_ type: ProductType) throws {
        let list = try Self.list("product_id,currency,price,type\na,EUR,1,\na,USD,1,\(type.rawValue)\nb,USD,1,\n")
        #expect(list.prices(for: "a")?.type == type)
        #expect(list.prices(for: "b")?.type == nil)
    }

    // MARK: Rejected

    static let full =
        "product_id,bundle_id,territory,currency,price,effective_from,effective_to,type,period,"
        + "intro_price,intro_mode,offer_id,offer_price,commission,tax_rate,tax_included,preserved_from,note\n"

    static let rejected: [(String, [(Int, String)])] = [
        ("", [(1, "prices.empty")]),
        ("\n\n,,\n", [(1, "prices.empty")]),
        ("product_id,currency\na,EUR\n", [(1, "prices.missing-column")]),
        ("note\nx\n", [(1, "prices.missing-column"), (1, "prices.missing-column"), (1, "prices.missing-column")]),
        (
            "product_id,currency,price,colour,size\na,EUR,1,red,XL\n",
            [(1, "prices.unknown-column"), (1, "prices.unknown-column")]
        ),
        ("product_id,sku,currency,price\na,b,EUR,1\n", [(1, "prices.repeated-column")]),
        ("product_id,currency,price\na,EUR,1,99\n", [(2, "prices.cells")]),
        ("product_id,currency,price\na,EUR,\"1,99\"\n", [(2, "prices.decimal")]),
        ("product_id;currency;price\na;EUR;1.234,50\nb;EUR;1,2,3\n", [(2, "prices.decimal"), (3, "prices.decimal")]),
        (
            "product_id,currency,price\na,EUR,€1\nb,EUR,1.0000001\nc,EUR,-\n",
            [(2, "prices.decimal"), (3, "prices.decimal"), (4, "prices.decimal")]
        ),
        (
            "product_id,currency,price\na,EUR,249.000\nb,JPY,3.990\nc,KWD,0.500\nd,USD,\"249,000\"\ne,IDR,159.00\n",
            [(2, "prices.unclear"), (3, "prices.unclear"), (5, "prices.unclear")]
        ),
        ("product_id;currency;price;intro_price\na;EUR;9,99;1,249\n", [(2, "prices.unclear")]),
        ("product_id,currency,price\na,EUR,-0.01\n", [(2, "prices.negative")]),
        (
            "product_id,currency,price\na,JPY,160.50\nb,EUR,0.9999\nc,KWD,0.0005\n",
            [(2, "prices.exponent"), (3, "prices.exponent"), (4, "prices.exponent")]
        ),
        (
            "product_id,currency,price\na,eur,1\nb,EURO,1\nc,€,1\n",
            [(2, "prices.currency"), (3, "prices.currency"), (4, "prices.currency")]
        ),
        (
            "product_id,currency,price\n,EUR,1\na,,1\na,EUR,\n",
            [(2, "prices.missing"), (3, "prices.missing"), (4, "prices.missing")]
        ),
        ("product_id,currency,price\n\"a\"b,EUR,1\nc\"d,EUR,1\ne,EUR,1\n", [(2, "prices.quote"), (3, "prices.quote")]),
        ("product_id,currency,price\n\na,EUR,\"1\nb,EUR,1\n", [(3, "prices.quote")]),
        ("product_id,currency,price,note\na,EUR,1,\"x\r\ny\n\rz\"\nb,EUR,-1\n", [(6, "prices.negative")]),
        (full + "a,,Germany,EUR,1\na,,UK,GBP,1\n", [(2, "prices.territory"), (3, "prices.territory")]),
        (full + "a,,,EUR,1,2020-02-30\na,,,EUR,1,,01/02/2020\n", [(2, "prices.date"), (3, "prices.date")]),
        (
            full + "a,,,EUR,1,2020-02-01,2020-02-01\na,,,EUR,1,2020-02-02,2020-02-01\n",
            [(2, "prices.interval"), (3, "prices.interval")]
        ),
        (full + "a,,,EUR,1,,,Consumable\na,,,EUR,1,,,,1 month\n", [(2, "prices.type"), (3, "prices.period")]),
        (
            full + "a,,,EUR,1,,,,P1D1M\na,,,EUR,1,,,,P\na,,,EUR,1,,,,PM\n",
            [(2, "prices.period"), (3, "prices.period"), (4, "prices.period")]
        ),
        (
            full + "a,,,EUR,1,,,,,-1,trial\na,,,EUR,1,,,,,1,free\n",
            [(2, "prices.intro-mode"), (2, "prices.negative"), (3, "prices.intro-price")]
        ),
        (full + "a,,,JPY,1,,,,,0.5,,x,0.5\n", [(2, "prices.exponent"), (2, "prices.exponent")]),
        (
            full + "a,,,EUR,1,,,,,,,,,1.01\na,,,EUR,1,,,,,,,,,-0.1\n",
            [(2, "prices.commission"), (3, "prices.commission")]
        ),
        (
            full + "a,,,EUR,1,,,,,,,,,,19,maybe,soon\n",
            [(2, "prices.boolean"), (2, "prices.date"), (2, "prices.tax-rate")]
        ),
    ]

    @Test("Every defect of a row is told, with its line", arguments: rejected)
    func rejects(_ csv: String, _ expected: [(Int, String)]) throws {
        let found = try Self.findings(in: Array(csv.utf8))
        #expect(found.map(\.offset) == expected.map(\.0))
        #expect(found.map(\.code) == expected.map(\.1))
    }

    static let contradictory: [(String, [(Int, String)])] = [
        ("a,,,EUR,1\na,,,EUR,2\na,,*,EUR,3\n", [(3, "prices.duplicate"), (4, "prices.duplicate")]),
        ("a,,DE,EUR,1,2020-01-01\na,,DEU,EUR,2,2020-01-01T00:00:00Z\n", [(3, "prices.duplicate")]),
        ("a,,,EUR,1,2020-01-01,2021-01-01\na,,,EUR,2,2020-12-31\n", [(3, "prices.overlap")]),
        ("a,,,EUR,2,2020-12-31\na,,,EUR,1,2020-01-01,2021-01-01\n", [(2, "prices.overlap")]),
        (
            "a,,,EUR,1,,2021-01-01\na,,,EUR,1,2020-01-01,2020-02-01\na,,,EUR,1,2020-05-01\n",
            [(3, "prices.overlap"), (4, "prices.overlap")]
        ),
        ("a,,DE,EUR,1\na,,DE,DEM,2\n", [(3, "prices.two-currencies")]),
        ("a,,DE,DEM,1,,2002-01-01\na,,DE,EUR,2,2001-01-01\n", [(3, "prices.two-currencies")]),
        ("a,,,EUR,1,,,consumable\na,,,USD,1,,,non_consumable\n", [(3, "prices.two-types")]),
        (
            "b,,,EUR,-1\na,,,EUR,1\na,,,EUR,1\nb,,,EUR,x\n",
            [(2, "prices.negative"), (4, "prices.duplicate"), (5, "prices.decimal")]
        ),
    ]

    @Test("Rows that contradict one another are told at the later one", arguments: contradictory)
    func rejectsTogether(_ rows: String, _ expected: [(Int, String)]) throws {
        let found = try Self.findings(in: Array((Self.full + rows).utf8))
        #expect(found.map(\.offset) == expected.map(\.0))
        #expect(found.map(\.code) == expected.map(\.1))
    }

    static let compatible: [String] = [
        "a,,,EUR,1,2020-01-01,2021-01-01\na,,,EUR,2,2021-01-01,2022-01-01\n",
        "a,,,EUR,1\na,,,EUR,2,2021-01-01\na,,,EUR,3,2022-01-01\n",
        "a,,,EUR,1\na,,,USD,2\n",
        "a,,DE,EUR,1\na,,AT,EUR,2\na,,*,EUR,3\n",
        "a,,,EUR,1\na,x,,EUR,2\na,y,,EUR,3\n",
        "a,,,EUR,1\na,,,EUR,1,,,,,,,o\na,,,EUR,1,,,,,,,p\n",
        "a,,BG,BGN,1,,2026-01-01\na,,BG,EUR,2,2026-01-01\n",
        "a,,BG,BGN,1\na,,BG,EUR,2,2026-01-01\n",
        "a,,,EUR,1\nA,,,EUR,1\n",
    ]

    @Test(
        "Rows that differ in one part of their key, or only touch, do not contradict one another",
        arguments: compatible
    )
    func acceptsTogether(_ rows: String) throws {
        _ = try Self.list(Self.full + rows)
    }

    @Test("Text in another encoding is told as such, once")
    func encodings() throws {
        let header = Array("product_id,currency,price,note\n".utf8)
        let latin1 = try Self.findings(in: header + Array("a,EUR,1,".utf8) + [0xFC] + Array("\nb,EUR,x\n".utf8))
        #expect(latin1.map(\.code) == ["prices.encoding"])
        #expect(latin1.map(\.offset) == [2])
        // An executable has quotes and line feeds among its bytes.
        let binary = header + Array("a,\"b\"c".utf8) + [0xFF] + Array("\n\"x\"y,".utf8) + [0xFE, 0x0A, 0xFD, 0x0A]
        #expect(try Self.findings(in: binary).map(\.code) == ["prices.encoding"])
        #expect(try Self.findings(in: [0xFF, 0xFE, 0x61, 0x00]).map(\.code) == ["prices.encoding"])
        #expect(try Self.findings(in: [0xFE, 0xFF, 0x00, 0x61]).map(\.code) == ["prices.encoding"])
    }

    @Test("A limit that is passed ends the reading and is named")
    func limits() {
        let csv = Array("product_id,currency,price\na,EUR,1\n\nb,EUR,x\nc,EUR,1\n".utf8)
        let rows = PriceListReader(csv, maximumRowCount: 2)
        #expect(rows.problems.map(\.code) == ["prices.decimal", "prices.too-many-rows"])
        #expect(rows.problems.last?.offset == 5)
        #expect(rows.problems.last?.reason.contains(" 2 rows") == true)

        let bytes = PriceListReader(csv, maximumByteCount: csv.count - 1)
        #expect(bytes.problems.map(\.code) == ["prices.too-large"])
        #expect(PriceListReader(csv, maximumByteCount: csv.count, maximumRowCount: 3).problems.count == 1)
    }

    @Test("The error prints one line for each problem, in their order, with file, line and code")
    func description() throws {
        let csv =
            "product_id,currency,price,effective_from\na,EUR,1,\na,EUR,\"1\u{1B}[2J\n\",\nb,EUR,-1,soon\na,EUR,2,\n"
        let error = try #require(throws: FileFindings.self) { try Self.list(csv) }
        #expect(
            error.description == """
                prices.csv:3: "1\\u{1B}[2J\\n" in price is not a decimal number [prices.decimal]
                prices.csv:5: "soon" in effective_from is neither YYYY-MM-DD nor an RFC 3339 instant [prices.date]
                prices.csv:5: price is below zero [prices.negative]
                prices.csv:6: begins together with line 2 [prices.duplicate]
                """
        )
    }

    @Test("Unknown columns are named")
    func namesColumns() throws {
        let found = try Self.findings(in: Array("product_id,currency,price,Colour\n".utf8))
        #expect(found.map(\.reason) == ["a price list has no column \"Colour\""])
    }

    @Test("A list names products; of two names that of the price that takes effect last counts, with a warning")
    func namesProducts() throws {
        let csv = """
            product_id,currency,price,effective_from,name
            a,USD,2,2025-01-01,New
            a,USD,1,2024-01-01,Old
            a,EUR,1,2025-01-01,
            b,USD,1,,First
            b,EUR,1,,Second
            c,USD,1,,
            d,USD,1,,Same
            d,EUR,1,,Same
            """
        let list = try Self.list(csv)
        #expect(list.names == ["a": "New", "b": "Second", "d": "Same"])
        let warnings = list.warnings.filter { $0.code == "prices.two-names" }
        // Line 2 takes effect after line 3; lines 5 and 6 hold from ever on, and line 6 comes later.
        #expect(warnings.map(\.offset) == [2, 6])
    }

    @Test("Other tools' headings of names are read", arguments: ["name", "product_name", "Display_Name"])
    func readsNameHeadings(_ heading: String) throws {
        #expect(try Self.list("product_id,currency,price,\(heading)\na,USD,1,Coins\n").names == ["a": "Coins"])
    }
}
