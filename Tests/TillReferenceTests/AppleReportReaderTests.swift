import Testing
import TillCore
import TillPricing
import TillTestSupport

@testable import TillReference

/// Rows of a report by the names of its columns, in the order of the header.
private struct Sheet {
    var header: [String]
    var rows: [[String: String]]
    var separator = "\n"

    static let sales = [
        "Provider", "SKU", "Product Type Identifier", "Units", "Developer Proceeds", "Begin Date", "End Date",
        "Customer Currency", "Country Code", "Currency of Proceeds", "Customer Price",
    ]
    static let financial = [
        "Start Date", "End Date", "Vendor Identifier", "Quantity", "Partner Share", "Extended Partner Share",
        "Partner Share Currency", "Sales or Return", "Product Type Identifier", "Country Of Sale", "Customer Price",
        "Customer Currency",
    ]
    static let detail = [
        "Transaction Date", "Settlement Date", "SKU", "Product Type Identifier", "Country of Sale", "Quantity",
        "Extended Partner Share", "Partner Share Currency", "Customer Price", "Customer Currency", "Sale or Return",
    ]

    /// A sale of one unit at 9.99 USD on 2 March 2026, with some cells changed.
    static func sale(_ changes: [String: String] = [:]) -> [String: String] {
        [
            "Provider": "APPLE", "SKU": "pro", "Product Type Identifier": "IA1", "Units": "1",
            "Developer Proceeds": "7.00",
            "Begin Date": "03/02/2026", "End Date": "03/02/2026", "Customer Currency": "USD", "Country Code": "US",
            "Currency of Proceeds": "USD", "Customer Price": "9.99",
        ].merging(changes) { $1 }
    }

    /// The same in March of the fiscal year, 1 to 28 March 2026.
    static func share(_ changes: [String: String] = [:]) -> [String: String] {
        [
            "Start Date": "03/01/2026", "End Date": "03/28/2026", "Vendor Identifier": "pro", "Quantity": "1",
            "Partner Share": "7.00", "Extended Partner Share": "7.00", "Partner Share Currency": "USD",
            "Sales or Return": "S", "Product Type Identifier": "IA1", "Country Of Sale": "US", "Customer Price": "9.99",
            "Customer Currency": "USD", "Transaction Date": "03/02/2026", "Settlement Date": "03/04/2026", "SKU": "pro",
            "Country of Sale": "US", "Sale or Return": "S",
        ].merging(changes) { $1 }
    }

    var text: String {
        let lines =
            [header.joined(separator: "\t")]
            + rows.map { row in
                header.map { row[$0] ?? " " }.joined(separator: "\t")
            }
        return lines.map { $0 + separator }.joined()
    }
}

private func sheet(_ rows: [String: String]...) -> String { Sheet(header: Sheet.sales, rows: rows).text }
private func financial(_ rows: [String: String]...) -> String { Sheet(header: Sheet.financial, rows: rows).text }

/// Financial Detail of 1 to 28 March 2026 with its preamble.
private func detail(_ rows: [String: String]..., block: String = "") -> String {
    "Vendor Name\tExample GmbH\nStart Date\t03/01/2026\nEnd Date\t03/28/2026\n"
        + Sheet(header: Sheet.detail, rows: rows).text + block
}

private func read(_ bytes: [UInt8], chunk: Int = .max) throws -> AppleReport {
    var reader = AppleReportReader(name: "file.txt")
    var (kept, position): ([UInt8], Int) = ([], 0)
    repeat {
        let end = chunk < bytes.count - position ? position + chunk : bytes.count
        kept += bytes[position..<end]
        position = end
        let used = try reader.read(kept.span.bytes, isLast: position == bytes.count)
        kept.removeFirst(used)
    } while position < bytes.count
    switch try reader.finish() {
    case .sales(let report): return report
    case .subscriptions(let report): throw NotSales(kind: report.kind)
    }
}

private struct NotSales: Error {
    let kind: AppleSubscriptionReport.Kind
}

private func read(_ text: String, chunk: Int = .max) throws -> AppleReport { try read(Array(text.utf8), chunk: chunk) }

private func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
    CivilDate(year: year, month: month, day: day).daysSinceEpoch
}

private func millionths(_ hundredths: Int128) -> Int128 { hundredths * 10_000 }

@Suite("Apple's reports of sales")
struct AppleReportReaderTests {
    @Test("Summary Sales adds up units and amounts, refunds upwards")
    func sales() throws {
        // Three units at 9.99 and one refund of one unit: 29.97 paid, 9.99 returned; 21.00 owed, 7.00 taken back.
        let refund = Sheet.sale(["Units": "-1", "Customer Price": "-9.99"])
        let report = try read(sheet(Sheet.sale(["Units": "2"]), refund, Sheet.sale()))
        #expect(report.kind == .salesSummary)
        #expect(report.spans == [day(2026, 3, 2)...day(2026, 3, 2)])
        #expect((report.rowCount, report.otherRowCount) == (3, 0))
        let entry = try #require(report.entries.first)
        #expect(report.entries.count == 1)
        #expect((report.products, report.countries) == (["pro"], ["USA"]))
        #expect((entry.amounts.units, entry.amounts.refundedUnits) == (3, 1))
        #expect((entry.amounts.gross, entry.amounts.refunds) == (millionths(2997), millionths(999)))
        #expect((entry.amounts.saleProceeds, entry.amounts.refundProceeds) == (millionths(2100), millionths(700)))
    }

    @Test("A financial report tells the share of the whole row, below zero for a return, at a price above zero")
    func financialRows() throws {
        // Four sold and one returned: 4 × 9.99 = 39.96 and 9.99; shares 28.00 and −7.00.
        let sold = Sheet.share(["Quantity": "4", "Extended Partner Share": "28.00"])
        let returned = Sheet.share(["Quantity": "-1", "Extended Partner Share": "-7.00", "Sales or Return": "R"])
        let report = try read(financial(sold, returned) + "\nTotal_Rows\t2\nTotal_Amount\t21.00\nTotal_Units\t3\n")
        #expect(report.kind == .financial)
        #expect(report.spans == [day(2026, 3, 1)...day(2026, 3, 28)])
        #expect(report.rowCount == 2)
        let amounts = try #require(report.entries.first).amounts
        #expect((amounts.units, amounts.refundedUnits) == (4, 1))
        #expect((amounts.gross, amounts.refunds) == (millionths(3996), millionths(999)))
        #expect((amounts.saleProceeds, amounts.refundProceeds) == (millionths(2800), millionths(700)))
        #expect(amounts.proceeds == millionths(2100))
    }

    @Test("Financial Detail keeps the day of each transaction, and its period is that of the lines above the header")
    func detailRows() throws {
        let later = Sheet.share([
            "Transaction Date": "02/27/2026", "Quantity": "-1", "Extended Partner Share": "-7.00",
            "Customer Price": "-9.99",
            "Sale or Return": "R",
        ])
        let block = "\nCountry Of Sale\tPartner Share Currency\tQuantity\tExtended Partner Share\nUS\tUSD\t0\t0.00\n"
        let report = try read(detail(Sheet.share(), later, block: block))
        #expect(report.kind == .financialDetail)
        #expect(report.spans == [day(2026, 3, 1)...day(2026, 3, 28)])
        #expect(report.rowCount == 2)
        #expect(report.entries.map(\.days) == [day(2026, 3, 2)...day(2026, 3, 2), day(2026, 2, 27)...day(2026, 2, 27)])
        #expect(report.entries[1].amounts.refunds == millionths(999))
    }

    @Test("Columns are told by their names, in any order, case and spacing, and others are passed over")
    func anyOrder() throws {
        let text = sheet(Sheet.sale(["Units": "2.00"]))
        let expected = try read(text)
        var header = Array(Sheet.sales.reversed())
        header.insert("New Column of Apple", at: 3)
        let shuffled = Sheet(header: header, rows: [Sheet.sale(["Units": "2.00"])], separator: "\r\n").text
        let other = try read(
            "\u{FEFF}"
                + shuffled.replacing("Country Code", with: "COUNTRY  code").replacing(
                    "Customer Price",
                    with: " customer price "
                )
        )
        #expect(other.entries.map(\.amounts) == expected.entries.map(\.amounts))
        #expect(other.entries.first?.amounts.units == 2)
    }

    @Test("However the bytes are cut into chunks, the report is the same")
    func chunks() throws {
        let text = detail(
            Sheet.share(),
            Sheet.share(["SKU": "coins", "Customer Price": "0.99"]),
            block: "\nEnd\tof\tfile"
        )
        let whole = try read(text)
        for chunk in 1...64 {
            let report = try read(text, chunk: chunk)
            #expect(report.entries.map(\.amounts) == whole.entries.map(\.amounts), "chunks of \(chunk)")
            #expect(report.products == whole.products)
        }
    }

    @Test("Rows that are no sale of an in-app purchase are counted, and their amounts need not be readable")
    func otherRows() throws {
        let report = try read(
            sheet(
                Sheet.sale(),
                Sheet.sale(["Product Type Identifier": "IA3", "Customer Price": "0"]),
                Sheet.sale(["Product Type Identifier": "1F", "Customer Price": " ", "Customer Currency": " "]),
                Sheet.sale(["Product Type Identifier": "7"]),
                Sheet.sale(["Product Type Identifier": "IAC"]),
                Sheet.sale(["Product Type Identifier": "IAY-M"]),
                Sheet.sale(["Product Type Identifier": "FI1"])
            )
        )
        #expect((report.rowCount, report.otherRowCount) == (3, 4))
    }

    @Test("A free row may name no currency: it has that of the country's store")
    func freeRows() throws {
        let free = Sheet.sale([
            "Customer Price": "0", "Customer Currency": " ", "Developer Proceeds": "0", "Currency of Proceeds": " ",
            "Country Code": "JP",
        ])
        let report = try read(sheet(free))
        #expect(report.entries.first?.currency == CurrencyCode("JPY"))
        #expect(report.entries.first?.proceedsCurrency == nil)
    }

    @Test("A price below zero is that of a refund only where the units are below zero too")
    func signs() throws {
        let report = try read(sheet(Sheet.sale(["Customer Price": "-9.99"])))
        let amounts = try #require(report.entries.first).amounts
        #expect((amounts.units, amounts.gross, amounts.refundedUnits) == (1, millionths(999), 0))
    }

    @Test("A file with a header only is a report without rows and days")
    func headerOnly() throws {
        let report = try read(sheet())
        #expect((report.rowCount, report.spans.count, report.kind) == (0, 0, .salesSummary))
        let totals = try read(financial() + "Total_Rows\t0\n")
        #expect((totals.rowCount, totals.spans.count, totals.kind) == (0, 0, .financial))
        #expect(try read(detail()).spans == [day(2026, 3, 1)...day(2026, 3, 28)])
    }

    @Test("Apple's number of a product is that of its first row, where it is a number")
    func appleIDs() throws {
        let header = Sheet.sales + ["Apple Identifier"]
        let rows = [
            Sheet.sale(["Apple Identifier": "1500000001"]), Sheet.sale(["Apple Identifier": "2"]),
            Sheet.sale(["SKU": "coins", "Apple Identifier": " "]),
            Sheet.sale(["SKU": "gold", "Apple Identifier": "123456789012345678901"]),
            Sheet.sale(["SKU": "gems", "Apple Identifier": "15e8"]),
        ]
        let report = try read(Sheet(header: header, rows: rows).text)
        #expect(report.products == ["pro", "coins", "gold", "gems"])
        #expect(report.appleIDs == ["1500000001", nil, nil, nil])
        #expect(try read(sheet(Sheet.sale())).appleIDs == [nil])
    }

    @Test("An amount may have many decimals that are zero")
    func decimals() throws {
        let report = try read(sheet(Sheet.sale(["Customer Price": "9.990000000000", "Units": "+1.0"])))
        #expect(report.entries.first?.amounts.gross == millionths(999))
    }

    static let rejected: [(String, String, Int)] = [
        ("", "apple.header", 0),
        ("a,b,c\n1,2,3\n", "apple.header", 2),
        (sheet(Sheet.sale(["Units": "1.5"])), "apple.units", 2),
        (sheet(Sheet.sale(["Units": " "])), "apple.units", 2),
        (sheet(Sheet.sale(["Units": "9999999999"])), "apple.units", 2),
        (sheet(Sheet.sale(["Customer Price": "1,99"])), "apple.amount", 2),
        (sheet(Sheet.sale(["Customer Price": "1e3"])), "apple.amount", 2),
        (sheet(Sheet.sale(["Customer Price": "0.0000001"])), "apple.amount", 2),
        (sheet(Sheet.sale(["Customer Price": "1000000001"])), "apple.amount", 2),
        (sheet(Sheet.sale(["Developer Proceeds": "seven"])), "apple.amount", 2),
        (sheet(Sheet.sale(["Begin Date": "02/30/2026"])), "apple.date", 2),
        (sheet(Sheet.sale(["Begin Date": "2.3.2026"])), "apple.date", 2),
        (sheet(Sheet.sale(["End Date": "03/01/2026"])), "apple.date", 2),
        (sheet(Sheet.sale(), Sheet.sale(["Customer Currency": "usd"])), "apple.currency", 3),
        (sheet(Sheet.sale(["Customer Currency": " "])), "apple.currency", 2),
        (sheet(Sheet.sale(["Currency of Proceeds": " "])), "apple.currency", 2),
        (sheet(Sheet.sale(["Country Code": "U1"])), "apple.country", 2),
        (sheet(Sheet.sale(["SKU": " "])), "apple.product", 2),
        (sheet(Sheet.sale()).replacing("\tUSD\t9.99\n", with: "\tUSD\t9.99\textra\n"), "apple.cells", 2),
        (String(sheet(Sheet.sale()).dropLast(6)), "apple.cells", 2),
        (sheet().replacing("Units", with: "Pieces"), "apple.missing-column", 1),
        (sheet().replacing("Provider", with: "Units"), "apple.repeated-column", 1),
        (financial(Sheet.share(["Sales or Return": "X"])), "apple.direction", 2),
        (financial(Sheet.share()) + "03/01/2026\t03/28/2026\tcoi", "apple.direction", 3),
        (detail(Sheet.share()).replacing("Start Date\t", with: "From\t"), "apple.period", 0),
        (detail(Sheet.share()).replacing("End Date\t03/28/2026", with: "End Date\tsoon"), "apple.date", 3),
        (detail(Sheet.share(["Transaction Date": "13/01/2026"])), "apple.date", 5),
    ]

    @Test("A file with a defect is refused with its line", arguments: rejected)
    func rejects(_ text: String, _ code: String, _ line: Int) throws {
        let error = try #require(throws: FileFindings.self) { try read(text) }
        #expect(error.findings.first?.code == code, "\(error)")
        #expect(error.findings.first?.offset ?? 0 == line, "\(error)")
    }

    @Test("Text that is not UTF-8 is refused where it is the product, and passed over elsewhere")
    func encoding() throws {
        var bytes = Array(sheet(Sheet.sale(["SKU": "p?o", "Provider": "?"])).utf8)
        for index in bytes.indices where bytes[index] == UInt8(ascii: "?") { bytes[index] = 0xFF }
        let error = try #require(throws: FileFindings.self) { try read(bytes) }
        #expect(error.findings.first?.code == "apple.encoding")
        var other = Array(sheet(Sheet.sale(["Provider": "?"])).utf8)
        for index in other.indices where other[index] == UInt8(ascii: "?") { other[index] = 0xFF }
        #expect(try read(other).rowCount == 1)
    }

    @Test("A line without an end is refused at its limit, not kept")
    func longLine() throws {
        var reader = AppleReportReader(name: "file.txt")
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: AppleReportReader.longestLine + 1)
        let error = try #require(throws: FileFindings.self) { _ = try reader.read(bytes.span.bytes) }
        #expect(error.findings.first?.code == "apple.line-length")
    }

    @Test("At most twenty problems of a file are told")
    func manyProblems() throws {
        let rows = Array(repeating: Sheet.sale(["Units": "x"]), count: 50)
        let error = try #require(throws: FileFindings.self) {
            try read(Sheet(header: Sheet.sales, rows: rows).text)
        }
        #expect(error.findings.count == AppleReportReader.mostProblems)
    }

    @Test("Random rows add up to what a plain reader says")
    func random() throws {
        var random = SplitMix64(seed: 20)
        var rows: [[String: String]] = []
        var expected: [String: (units: Int64, refunded: Int64, gross: Int128, refunds: Int128, proceeds: Int128)] = [:]
        for _ in 0..<2000 {
            let product = "p\(Int.random(in: 0..<7, using: &random))"
            let (currency, country) =
                [("USD", "US"), ("EUR", "DE"), ("EUR", "FR")].randomElement(using: &random) ?? ("USD", "US")
            let units = Int64.random(in: -3...5, using: &random)
            let (price, share) = (
                Int128.random(in: 0...9999, using: &random), Int128.random(in: 0...9999, using: &random)
            )
            func text(_ value: Int128) -> String { "\(value / 100).\(value % 100 < 10 ? "0" : "")\(value % 100)" }
            rows.append(
                Sheet.sale([
                    "SKU": product, "Customer Currency": currency, "Country Code": country,
                    "Currency of Proceeds": currency,
                    "Units": "\(units)", "Customer Price": (units < 0 ? "-" : "") + text(price),
                    "Developer Proceeds": text(share),
                ])
            )
            var sum = expected["\(product) \(country)"] ?? (0, 0, 0, 0, 0)
            if units < 0 {
                sum.refunded -= units
                sum.refunds += Int128(-units) * price
            } else {
                sum.units += units
                sum.gross += Int128(units) * price
            }
            sum.proceeds += Int128(units) * share
            expected["\(product) \(country)"] = sum
        }
        let report = try read(Sheet(header: Sheet.sales, rows: rows).text, chunk: 1000)
        #expect(report.entries.count == expected.count)
        for entry in report.entries {
            let code = ["USA": "US", "DEU": "DE", "FRA": "FR"][report.countries[entry.country]] ?? ""
            let sum = try #require(expected["\(report.products[entry.product]) \(code)"])
            #expect((entry.amounts.units, entry.amounts.refundedUnits) == (sum.units, sum.refunded))
            #expect(entry.amounts.gross == millionths(sum.gross))
            #expect(entry.amounts.refunds == millionths(sum.refunds))
            #expect(entry.amounts.proceeds == millionths(sum.proceeds))
        }
    }
}
