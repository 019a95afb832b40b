import Testing
import TillCore
import TillReportModel

@testable import TillRender

@Suite("The workbook of a close")
struct ClosingWorkbookTests {
    private static func money(_ cents: Int64, _ currency: String = "EUR") -> Cell {
        SampleDocuments.money(Int128(cents) * 10_000, currency)
    }

    private static func additive(_ name: String, _ title: String) -> Column {
        var column = Column(name, title)
        column.isAdditive = true
        return column
    }

    private static func rows(_ section: Section) throws -> TableRows {
        let rows: TableRows? = if case .table(let rows) = section.content { rows } else { nil }
        return try #require(rows, "the section \(section.name) is not a table")
    }

    private static func section(
        _ name: String,
        _ title: String,
        _ columns: [Column],
        _ rows: [[Cell]],
        totals: Section.Totals = .all
    ) -> Section {
        var section = Section(name: name, title: title, columns: columns, content: .table(rows))
        section.totals = totals
        return section
    }

    private static func calculator(_ document: ReportDocument) throws -> WorkbookCalculator {
        try WorkbookCalculator(Archive(XLSXRenderer().render(document, options: RenderOptions())))
    }

    private static let net = additive("net", "Net (EUR)")
    private static let products = section(
        "products",
        "Revenue by product, EUR",
        [Column("product_id", "Product", isKey: true), net],
        [[.text("pro"), money(100_10)], [.text("coins"), money(20_20)], [.text("=1+1"), money(-5_05)]]
    )
    /// The same net in two currencies: 80.10 + 35.15.
    private static let detail = section(
        "revenue",
        "By product and currency",
        [
            Column("product_id", "Product", isKey: true), Column("currency", "Currency", isKey: true),
            additive("own", "Net"), additive("converted_net", "Converted net"),
        ],
        [
            [.text("pro"), .text("USD"), money(90_00, "USD"), money(80_10)],
            [.text("pro"), .text("JPY"), money(3_000_00, "JPY"), money(20_00)],
            [.text("coins"), .text("JPY"), money(2_500_00, "JPY"), money(20_20)],
            [.text("=1+1"), .text("JPY"), money(-600_00, "JPY"), money(-5_05)],
            [.text("gem"), .absent, .absent, .absent],
        ],
        totals: .perCurrency(column: 1)
    )

    private static func document(
        _ schedules: [Schedule],
        _ tieOuts: [TieOut],
        details: [Section] = []
    ) -> ReportDocument {
        var document = ReportDocument(name: "revenue", title: "Revenue", sections: details)
        document.closing = { ClosingSchedules(schedules, tieOuts: tieOuts) }
        return document
    }

    private static let tie = TieOut(
        "Net: products and all rows",
        [.init("net", in: "products")],
        [.init("converted_net", in: "revenue")]
    )

    @Test("A workbook that is too large for memory, which is written row by row, has its totals too")
    func largeBook() throws {
        // 2 × 100,500 cells are more than the 200,000 that are kept in memory.
        let rows = (0..<100_500).map { [Cell.text("p\($0)"), Self.money(1)] }
        let products = Self.section("products", "Revenue by product, EUR", Self.products.columns, rows)
        let book = try Self.calculator(Self.document([Schedule(.products, products)], [], details: [Self.detail]))
        #expect(book.formula("B100505", of: "Revenue by product, EUR") == "SUM(B5:B100504)")
        #expect(book.value("B100505", of: "Revenue by product, EUR") == .number(1005))
        #expect(book.value("C8", of: "By product and currency") == .number(4900))
    }

    @Test("Totals are formulas with their values: of all rows, and of the rows of each currency")
    func addsUp() throws {
        let book = try Self.calculator(
            Self.document([Schedule(.products, Self.products)], [Self.tie], details: [Self.detail])
        )
        #expect(book.names == ["Summary", "Revenue by product, EUR", "Sign-off", "By product and currency"])
        // 100.10 + 20.20 - 5.05
        #expect(book.formula("B8", of: "Revenue by product, EUR") == "SUM(B5:B7)")
        #expect(book.value("B8", of: "Revenue by product, EUR") == .number(115.25))
        let detail = "By product and currency"
        #expect(
            book.formula("C8", of: detail) == "SUMIFS(C2:C6,B2:B6,B8)" && book.value("B8", of: detail) == .text("JPY")
        )
        // 3000 + 2500 - 600
        #expect(book.value("C8", of: detail) == .number(4900))
        #expect(book.value("C7", of: detail) == .number(90) && book.value("B7", of: detail) == .text("USD"))
        // Yen and dollars have no sum; 80.10 + 20.00 + 20.20 - 5.05
        #expect(book.value("C9", of: detail) == nil && book.value("D9", of: detail) == .number(115.25))
        #expect(!book.formulas.isEmpty)
        #expect(
            book.formulas.allSatisfy { formula in
                book.calculated(formula).map { abs($0 - formula.cached) < 1e-9 } ?? false
            }
        )
        #expect(book.formula("D6", of: "Summary") == "ROUND(B6-C6,2)" && book.value("D6", of: "Summary") == .number(0))
        #expect(book.formula("B6", of: "Summary") == "'Revenue by product, EUR'!$B$8")
    }

    @Test("A tie-out that does not agree shows the exact difference")
    func showsDifferences() throws {
        var products = Self.products
        products.content = .table([[.text("pro"), Self.money(115_26)]])
        let book = try Self.calculator(
            Self.document([Schedule(.products, products)], [Self.tie], details: [Self.detail])
        )
        #expect(book.value("D6", of: "Summary") == .number(0.01))
        #expect(book.formulas.first { $0.sheet == "Summary" && $0.cell == "D6" }.flatMap(book.calculated) == 0.01)
    }

    @Test("Of several currencies a tie-out compares each")
    func comparesCurrencies() throws {
        var other = Self.detail
        (other.name, other.title) = ("other", "Other")
        let tie = TieOut("Own", [.init("own", in: "revenue")], [.init("own", in: "other")], isPerCurrency: true)
        let book = try Self.calculator(Self.document([Schedule(.refunds, other)], [tie], details: [Self.detail]))
        #expect(book.value("B6", of: "Summary") == .text("2 currencies"))
        let formula = try #require(book.formula("D6", of: "Summary"))
        #expect(
            formula
                == "ROUND(ABS('By product and currency'!$C$7-'Other'!$C$10)+ABS('By product and currency'!$C$8-'Other'!$C$11),2)"
        )
        #expect(book.value("D6", of: "Summary") == .number(0))
    }

    @Test("A column that is unknown with an absent cell has no total of the rows that it is in")
    func leavesOutUnknownTotals() throws {
        var strict = Self.detail
        strict.columns[2].isUnknownIfAbsent = true
        let rows = try Self.rows(strict)
        strict.content = .table(Array(rows) + [[.text("tip"), .text("USD"), .absent, .absent]])
        let book = try Self.calculator(Self.document([], [], details: [strict]))
        let sheet = strict.title
        // Totals of dollars, yen and all rows stand below six rows and a heading.
        #expect(book.value("B8", of: sheet) == .text("USD") && book.value("C8", of: sheet) == nil)
        #expect(book.value("B9", of: sheet) == .text("JPY") && book.value("C9", of: sheet) == .number(4900))
    }

    @Test("A currency that one side of a tie-out lacks counts as 0 there")
    func comparesMissingCurrencies() throws {
        var other = Self.detail
        (other.name, other.title) = ("other", "Other")
        let rows = try Self.rows(other)
        other.content = .table(rows.filter { $0[1] != .text("USD") })
        let sides = [TieOut.Figure("own", in: "revenue"), .init("own", in: "other")]
        for (left, right) in [(sides[0], sides[1]), (sides[1], sides[0])] {
            let tie = TieOut("Own", [left], [right], isPerCurrency: true)
            let book = try Self.calculator(Self.document([Schedule(.refunds, other)], [tie], details: [Self.detail]))
            #expect(book.value("B6", of: "Summary") == .text("2 currencies"))
            #expect(book.value("D6", of: "Summary") == .number(90))
        }
    }

    @Test(
        "A sum that a spreadsheet would round is a value, and the workbook says so",
        arguments: [
            // The first is a text of 17 digits; the second is a number of 15 digits, whose double is not exact after
            // three additions.
            [1_234_567_890_123_456_78, 1], [9_999_999_999_999_98, 9_999_999_999_999_98, -9_999_999_999_999_98],
        ]
    )
    func keepsLongSums(_ cents: [Int64]) throws {
        var products = Self.products
        products.content = .table(cents.map { [.text("pro"), Self.money($0)] })
        let book = try Self.calculator(Self.document([Schedule(.products, products)], []))
        let (sheet, row) = ("Revenue by product, EUR", 5 + cents.count)
        #expect(book.formula("B\(row)", of: sheet) == nil)
        let expected =
            cents.count == 2 ? WorkbookCalculator.Value.text("1234567890123456.79") : .number(9_999_999_999_999.98)
        #expect(book.value("B\(row)", of: sheet) == expected)
        #expect(book.texts("A", of: "Sign-off").contains { $0.hasPrefix("1 totals are values and not formulas") })
    }

    /// A linear congruential generator (Knuth's MMIX), of which the upper bits are used.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            func half() -> UInt64 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return state >> 32
            }
            return half() << 32 | half()
        }
    }

    @Test("Every formula of random tables comes to its value, and no cell of them is an error")
    func isCalculatedAgain() throws {
        var numbers = Numbers(state: 20)
        for _ in 0..<40 {
            let rows = (0..<Int.random(in: 1...30, using: &numbers)).map { index -> [Cell] in
                let currency = ["USD", "JPY", "KWD"].randomElement(using: &numbers) ?? "USD"
                let isKnown = Bool.random(using: &numbers)
                let cents = Int64.random(in: -1_000_000_000...1_000_000_000, using: &numbers)
                return [
                    .text("p\(index)"), isKnown ? .text(currency) : .absent,
                    isKnown
                        ? SampleDocuments.money(Int128(cents) * (currency == "JPY" ? 1_000_000 : 10_000), currency)
                        : .absent,
                    .count(Int64.random(in: 0...1000, using: &numbers)), Self.money(cents),
                ]
            }
            let columns = [
                Column("product_id", "Product", isKey: true), Column("currency", "Currency", isKey: true),
                Self.additive("own", "Net"), Self.additive("units", "Units"), Self.net,
            ]
            let table = Self.section("all", "All", columns, rows, totals: .perCurrency(column: 1))
            let ties = ["own", "units", "net"].map {
                TieOut($0, [.init($0, in: "all")], [.init($0, in: "again")], isPerCurrency: $0 == "own")
            }
            var again = table
            (again.name, again.title) = ("again", "It's again")
            let book = try Self.calculator(
                Self.document([Schedule(.products, table), Schedule(.refunds, again)], ties)
            )
            #expect(!book.formulas.isEmpty)
            for formula in book.formulas {
                let value = try #require(book.calculated(formula), "\(formula.text)")
                #expect(abs(value - formula.cached) < 1e-6, "\(formula.sheet)!\(formula.cell) \(formula.text)")
                if formula.text.hasPrefix("ROUND") { #expect(formula.cached == 0) }
            }
        }
    }

    @Test("An equation is checked in every row that knows its figures")
    func checksRows() throws {
        let names = ["opening", "billed", "earned", "closing"]
        var section = Self.section(
            "deferred",
            "Deferred",
            [Column("product_id", "Product", isKey: true)] + names.map { Self.additive($0, $0) },
            [
                [.text("a"), Self.money(1_00), Self.money(2_00), Self.money(50), Self.money(2_50)],
                [.text("b"), Self.money(1_00), Self.money(2_00), Self.money(50), Self.money(2_51)],
                [.text("c"), .absent, Self.money(2_00), Self.money(50), Self.money(2_51)],
            ]
        )
        section.rowCheck = Section.RowCheck(["opening", "billed"], equals: ["earned", "closing"])
        let book = try Self.calculator(Self.document([Schedule(.deferred, section)], []))
        #expect(book.formula("F5", of: "Deferred") == "ROUND(B5+C5-D5-E5,2)")
        #expect(
            ["F5", "F6", "F7", "F8"].map { book.value($0, of: "Deferred") } == [
                .number(0), .number(-0.01), nil, .number(0.01),
            ]
        )
        #expect(book.formula("F8", of: "Deferred") == "SUMPRODUCT(ABS(F5:F7))")
    }

    @Test("Months and days are dates, and rates are numbers; what looks different stays text")
    func readsTexts() throws {
        let columns = [
            Column("month", "Month", texts: .dates), Column("rate", "Rate", texts: .numbers), Column("word", "Word"),
        ]
        let rows = [
            ["2026-03", "0.006142", "2026-03"], ["2026-02-28", "1.0000", "1"], ["FY26-06", "1e5", "0x1"],
            ["2026-02-29", "-1", "=1"], ["2026-13", "", "1.5"],
        ]
        let table = Self.section("t", "T", columns, rows.map { $0.map(Cell.text) })
        let book = try Self.calculator(ReportDocument(name: "x", title: "X", sections: [table]))
        // 1 March 2026 is day 46082 and 28 February day 46081 since 30 December 1899.
        #expect([book.value("A2", of: "T"), book.value("A3", of: "T")] == [.number(46_082), .number(46_081)])
        #expect(
            ["A4", "A5", "A6"].map { book.value($0, of: "T") }
                == ["FY26-06", "2026-02-29", "2026-13"].map { .text($0) }
        )
        #expect([book.value("B2", of: "T"), book.value("B3", of: "T")] == [.number(0.006142), .number(1)])
        #expect([book.value("B4", of: "T"), book.value("B5", of: "T")] == [.text("1e5"), .text("-1")])
        #expect(book.texts("C", of: "T") == ["Word", "2026-03", "1", "0x1", "=1", "1.5"])
    }

    @Test("Sheets are in the order of a close, a schedule stands for the section of its name, and no sheet is empty")
    func isInOrder() throws {
        let empty = Self.section("empty", "Empty", [Column("a", "A")], [])
        var long = Self.detail
        (long.name, long.title, long.shortTitle) = ("long", "A title of more than thirty-one characters", "Short")
        var document = Self.document(
            [Schedule(.refunds, long), Schedule(.products, Self.products), Schedule(.deferred, empty)],
            [],
            details: [Self.detail, Self.products, long, empty]
        )
        document.origin = ReportOrigin(
            program: "tillroll 1.2.3",
            files: [.init(name: "march.ndjson", byteCount: 12, digest: String(repeating: "a", count: 64))]
        )
        let book = try Self.calculator(document)
        #expect(book.names == ["Summary", "Revenue by product, EUR", "Short", "Sign-off", "By product and currency"])
        #expect(book.texts("A", of: "Sign-off").contains("Prepared by"))
        #expect(book.texts("A", of: "Sign-off").contains("march.ndjson"))
        #expect(book.texts("B", of: "Sign-off").contains(String(repeating: "a", count: 64)))
        #expect(book.texts("A", of: "Summary").contains("No exceptions."))
    }

    @Test("A table is printed a page wide below its repeated header, landscape where it is wide")
    func prints() throws {
        let book = try Self.calculator(Self.document([Schedule(.products, Self.products)], [], details: [Self.detail]))
        let sheet = try #require(book.markup["Revenue by product, EUR"])
        #expect(sheet.contains(#"<pageSetup fitToHeight="0" orientation="portrait"/>"#))
        #expect(sheet.contains(#"ySplit="4""#) && sheet.contains(#"<autoFilter ref="A4:B7"/>"#))
        #expect(sheet.contains("<oddHeader>&amp;LRevenue&amp;R&amp;A</oddHeader>"))
        let columns = (0..<12).map { Column("c\($0)", "A rather long title") }
        let wide = Self.section("w", "W", columns, [columns.map { _ in .count(1) }])
        let other = try Self.calculator(ReportDocument(name: "x", title: "A & B", sections: [wide]))
        #expect(try #require(other.markup["W"]).contains(#"orientation="landscape""#))
        #expect(try #require(other.markup["W"]).contains("<oddHeader>&amp;LA &amp;&amp; B&amp;R&amp;A</oddHeader>"))
    }
}
