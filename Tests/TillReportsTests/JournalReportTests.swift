import Foundation
import Testing
import TillCore
import TillLedger
import TillPricing
import TillReference
import TillRender
import TillReportModel
import TillRows
import TillTestSupport

@testable import TillReports

@Suite("Journal")
struct JournalReportTests {
    private static let input = InputSummary(documents: 1, accepted: 1, rejected: 0, bytes: 1)

    private static func document(_ name: String, _ rows: Rows, _ rules: LedgerRules) throws -> ReportDocument {
        try #require(try ReportRegistry.document(named: name, of: rows.settled(rules: rules), input: input))
    }

    private static func journal(_ rows: Rows, _ rules: LedgerRules) throws -> String {
        let document = try document("journal", rows, rules)
        return String(decoding: LedgerRenderer().render(document, options: RenderOptions()), as: UTF8.self)
    }

    /// 30 days of 1.00 from 16 March, refunded on 5 April.
    private static let refunded: Row<TransactionColumn> = [
        .transactionID: "1", .productID: "pro", .purchaseDate: "2026-03-16", .expiresDate: "2026-04-15",
        .environment: "production", .price: 30_000, .currency: "USD", .cancellationDate: "2026-04-05",
    ]

    @Test("A price finer than the minor unit is booked as the revenue report prints it")
    func finePrices() throws {
        let sale: Row<TransactionColumn> = [
            .transactionID: "1", .productID: "pro", .purchaseDate: "2026-03-16", .environment: "production",
            .price: 12_345,
            .currency: "USD",
        ]
        // 12.345 is 12.34, half to even.
        let journal = try Self.journal(Rows(transactions: [sale]), LedgerRules())
        #expect(journal.contains("assets:receivable:apple        USD 12.34\n"))
    }

    @Test("Each month has entries of what was billed, earned and refunded, and estimates are marked")
    func entries() throws {
        var rules = LedgerRules()
        rules.commission = 300_000
        rules.hasNoTax = true
        rules.accounts[.revenue] = "Income:App Store"
        // March: 16 of the 30 days are earned. April: 30.00 are refunded and -16.00 earned, so 14.00 are released into
        // revenue, and 30 % of -30.00 come back.
        #expect(
            try Self.journal(Rows(transactions: [Self.refunded]), rules) == """
                ; Journal

                2026-03-31 * Billed, 2026-03
                    assets:receivable:apple        USD 30.00
                    liabilities:deferred revenue  USD -30.00

                2026-03-31 * Earned, 2026-03
                    liabilities:deferred revenue   USD 16.00
                    Income:App Store              USD -16.00

                2026-03-31 ! Commission of Apple, 2026-03  ; estimate
                    expenses:commission       USD 9.00
                    assets:receivable:apple  USD -9.00

                2026-04-30 * Earned, 2026-04
                    liabilities:deferred revenue   USD 14.00
                    Income:App Store              USD -14.00

                2026-04-30 * Refunds, 2026-04
                    revenues:refunds          USD 30.00
                    assets:receivable:apple  USD -30.00

                2026-04-30 ! Commission of Apple, 2026-04  ; estimate
                    expenses:commission      USD -9.00
                    assets:receivable:apple   USD 9.00

                """
        )
    }

    @Test("Tax is remitted by Apple, and a sale of unknown commission takes the estimates of its month away")
    func tax() throws {
        // 12.00 with 20 % tax in it: 10.00 without; commission 3.00, tax 2.00.
        let header = "product_id,territory,currency,price,commission,tax_rate\n"
        let sale: Row<TransactionColumn> = [
            .transactionID: "1", .productID: "coins", .purchaseDate: "2026-03-16", .environment: "production",
        ]
        let list = try PriceList(
            csv: Array((header + "coins,*,USD,12,0.30,0.20\ngems,*,USD,1,,\n").utf8),
            name: "prices.csv"
        )
        let rules = LedgerRules(prices: list)
        let journal = try Self.journal(Rows(transactions: [sale]), rules)
        #expect(
            journal.contains("revenues:tax remitted by apple   USD 2.00\n    assets:receivable:apple         USD -2.00")
        )
        #expect(journal.contains("expenses:commission       USD 3.00"))
        let other = sale.with([.transactionID: "2", .productID: "gems"])
        let document = try Self.document("journal", Rows(transactions: [sale, other]), rules)
        #expect(document.journal.allSatisfy { $0.isBalanced })
        #expect(document.journal.count == 2)
        #expect(document.notes.contains { $0.hasSuffix("no entries of commission and tax for 2026-03 USD.") })
    }

    @Test("What has no date has no entry and is listed")
    func undated() throws {
        var sale = Self.refunded
        sale[.purchaseDate] = nil
        let document = try Self.document("journal", Rows(transactions: [sale]), LedgerRules())
        // The refund of April, and the -30.00 that it takes back of what was earned: nothing is released.
        #expect(document.journal.map(\.description) == ["Refunds, 2026-04"])
        #expect(try document.rows(of: "undated").count == 1)
    }

    @Test("A period that ends within a month dates its entries on its last day")
    func period() throws {
        var rules = LedgerRules()
        rules.period = try rules.calendar.period(since: "2026-03-10", until: "2026-03-20")
        let journal = try Self.journal(Rows(transactions: [Self.refunded]), rules)
        #expect(journal.contains("2026-03-20 * Earned, 2026-03\n    liabilities:deferred revenue   USD 5.00"))
    }

    @Test("Other reports have no entries, in a journal that can be read all the same")
    func others() throws {
        for type in ReportRegistry.all where type.name != "journal" {
            let document = try Self.document(type.name, Rows(), LedgerRules())
            let text = String(decoding: LedgerRenderer().render(document, options: RenderOptions()), as: UTF8.self)
            #expect(text == "; \(type.title)\n; This report has no entries.\n")
        }
    }

    // MARK: - Second implementations

    /// A plain reader of plain-text journals: the sum of each account and currency, in hundredths; every entry must
    /// balance.
    private static func accounts(of journal: String) throws -> [String: Int] {
        var accounts: [String: Int] = [:]
        var open: [String: Int] = [:]
        for line in journal.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("    ") else {
                #expect(open.values.allSatisfy { $0 == 0 }, "before \(line)")
                open = [:]
                continue
            }
            let words = line.split(separator: "  ").map { $0.trimmingPrefix(" ") }
            let amount = words[words.count - 1].split(separator: " ")
            let hundredths = try #require(Int(amount[1].replacing(".", with: "")))
            accounts["\(words[0]) \(amount[0])", default: 0] += hundredths
            open[String(amount[0]), default: 0] += hundredths
        }
        return accounts
    }

    private static func sales(_ generator: inout SplitMix64) -> Rows {
        Rows(
            transactions: (1...30).map { id in
                let start = 20_454 + Int64(generator.below(200))
                func day(_ later: Int) -> RowValue { .number((start + Int64(later)) * Timestamp.millisecondsPerDay) }
                var sale = refunded.with([
                    .transactionID: "\(id)", .purchaseDate: day(0), .expiresDate: day(generator.pick([7, 31, 366])),
                    .price: .number(Int64(generator.below(9999)) * 10),
                    .currency: .text(generator.pick(["USD", "EUR"])),
                    .refundPercentage: .number(Int64(generator.below(101)) * 1000),
                ])
                sale[.cancellationDate] = generator.once(in: 3) ? day(generator.below(60)) : nil
                return sale
            }
        )
    }

    @Test(
        "Accounts move as the reports say: receivable by estimated proceeds, deferred revenue by its balance",
        arguments: Seeds.some(of: UInt64(1)...40)
    )
    func accountsAreThoseOfReports(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var rules = LedgerRules(refundDating: generator.pick([.refund, .purchase]))
        rules.commission = 300_000
        rules.hasNoTax = true
        let rows = Self.sales(&generator)
        let accounts = try Self.accounts(of: Self.journal(rows, rules))
        let deferred = try DeferredTexts(rows, rules)
        // A journal has the rounded rows of its months, whose sum may differ from a total by a cent.
        rules.keys = [.month]
        let object = try JSONSerialization.jsonObject(with: Data(json("revenue", rows, rules: rules).utf8))
        let months = try #require((object as? [String: Any])?["revenue"] as? [[String: Any]])
        #expect(!months.isEmpty)
        for currency in ["EUR", "USD"] {
            func cents(_ name: String) throws -> Int {
                try months.filter { $0["currency"] as? String == currency }.reduce(0) { sum, month in
                    sum + Int((try #require(month[name] as? NSNumber).doubleValue * 100).rounded())
                }
            }
            #expect(accounts["assets:receivable:apple \(currency)"] == (try cents("proceeds")))
            #expect(accounts["expenses:commission \(currency)"] == (try cents("commission")))
            #expect(accounts["revenues:refunds \(currency)"] ?? 0 == (try cents("refunds")))
            let last = try #require(deferred.totals.last { $0.contains(" \(currency):") })
            let amount = last.split(separator: " ").last.map { $0.replacing(".", with: "") } ?? ""
            let closing = try #require(Int(amount))
            #expect(accounts["liabilities:deferred revenue \(currency)"] == -closing)
        }
    }

    private static let hledger = ["/usr/bin/hledger", "/usr/local/bin/hledger"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test(
        "hledger reads the journal, and its accounts balance to zero",
        .enabled(if: hledger != nil, "hledger is not installed (apt-get install hledger): NOT TESTED with it")
    )
    func hledgerReads() throws {
        var generator = SplitMix64(seed: 7)
        var rules = LedgerRules()
        rules.commission = 300_000
        let journal = try Self.journal(Self.sales(&generator), rules)
        let path = FileManager.default.temporaryDirectory.appending(path: "tillroll-\(UUID()).journal")
        try journal.write(to: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: path) }
        let process = Process()
        process.executableURL = URL(filePath: try #require(Self.hledger))
        process.arguments = ["-f", path.path, "balance", "--flat", "-O", "csv"]
        process.environment = ["LANG": "C.UTF-8", "HOME": NSTemporaryDirectory()]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let lines = output.split(separator: "\n").map(String.init)
        #expect(lines.last == "\"total\",\"0\"")
        // Each account has the amounts that the plain reader finds.
        let accounts = try Self.accounts(of: journal)
        #expect(!accounts.isEmpty)
        for (account, hundredths) in accounts {
            let words = account.split(separator: " ")
            let (name, currency) = (words.dropLast().joined(separator: " "), String(words[words.count - 1]))
            let text = "\(currency) \(DeferralModel.text(hundredths, currency))"
            #expect(lines.contains { $0.hasPrefix("\"\(name)\",") && $0.contains(text) }, "\(account) \(text)")
        }
    }
}
