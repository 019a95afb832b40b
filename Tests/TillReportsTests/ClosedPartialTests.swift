import Testing
import TillCore
import TillLedger
import TillPricing
import TillRender
import TillReportModel
import TillRows
import TillStorage
import TillTestSupport

@testable import TillReports

@Suite("Closed partials")
struct ClosedPartialTests {
    static let seeds: ClosedRange<UInt64> = 1...12
    static let input = InputSummary(documents: 5, accepted: 4, rejected: 1, bytes: 1000)

    // MARK: Rows and rules

    /// Rows of a few hundred transactions in many chains, which seldom meet.
    static func rows(_ generator: inout SplitMix64) -> Rows {
        let transactions = RandomRows.transactions(260, from: &generator).enumerated().map { number, row in
            var row = row
            let id = generator.below(150)
            row[.transactionID] = generator.pick([nil, "\(1000 + id)", "\(1000 + id)", "\(1000 + id)", "t\(id)"])
            row[.originalTransactionID] = generator.pick([nil, "\(1000 + id % 40)", "\(1000 + id % 40)", "t\(id)"])
            row[.webOrderLineItemID] = generator.pick([nil, "\(50 + generator.below(1500))"])
            row[.accountToken] = generator.pick([nil, nil, nil, nil, nil, nil, "account \(generator.below(60))"])
            row[.quantity] = generator.pick([nil, 0, 1, 1, 2, 11])
            row[.price] = generator.pick([nil, nil, 0, 2000, 12_345])
            row[.currency] = generator.pick([nil, "USD", "JPY", "EUR", "ZZZ"])
            let bought = Int64(20_100 + generator.below(420)) * Timestamp.millisecondsPerDay
            row[.purchaseDate] = generator.pick([nil, .number(bought), .number(bought), .number(bought + 1234)])
            let length = generator.pick([7, 30, 31, 365, 2000]) * Timestamp.millisecondsPerDay
            row[.expiresDate] = generator.pick([nil, nil, .number(bought + length)])
            row[.document] = .number(Int64(number / 3))
            row[.row] = .number(Int64(number % 3 + 1))
            return row
        }
        let documents = RandomRows.documents(60, from: &generator).enumerated().map { number, row in
            row.with([.document: .number(Int64(number + 1)), .source: "documents.ndjson"])
        }
        let events = RandomRows.events(200, from: &generator).enumerated().map { number, row in
            row.with([.document: .number(Int64(number + 1)), .source: "events.ndjson"])
        }
        let renewals = RandomRows.renewals(10, from: &generator).map { row in
            var row = row
            row[.originalTransactionID] = .text("\(1000 + generator.below(40))")
            return row
        }
        return Rows(transactions: transactions, documents: documents, events: events, renewals: renewals)
    }

    private static func conversion(_ generator: inout SplitMix64) throws -> Conversion {
        var rates = ExchangeRates()
        rates.begin(source: "rates.csv")
        let euro = try #require(CurrencyCode("EUR"))
        for code in ["USD", "JPY"] {
            for day in stride(from: 20_100, to: 20_560, by: 1 + generator.below(3)) {
                let rate = try #require(
                    ExchangeRates.rate("\(1 + generator.below(150)).\(1000 + generator.below(9000))")
                )
                try rates.add(day: day, base: euro, quote: #require(CurrencyCode(code)), rate: rate)
            }
        }
        var conversion = Conversion(to: euro, rates: rates)
        conversion.dateRule = generator.pick(Conversion.DateRule.allCases)
        return conversion
    }

    static func rules(_ generator: inout SplitMix64) throws -> LedgerRules {
        var rules = LedgerRules(
            refundDating: generator.pick([.refund, .purchase]),
            prices: try PriceList(rows: RandomRows.prices)
        )
        rules.period = generator.pick([nil, nil, try BookingCalendar.usual.month("2025-11")])
        if generator.once(in: 2) { rules.conversion = try conversion(&generator) }
        rules.comparison = generator.pick([nil, .month, .year])
        if rules.comparison == nil {
            rules.keys = generator.pick([
                nil, [.day, .appVersion, .currency], [.week, .storefront, .saleKind], [.bundleID],
            ])
        }
        if generator.once(in: 3) { rules.commission = 300_000 }
        rules.exampleCount = generator.pick([0, 2, 10])
        return rules
    }

    // MARK: Partials

    /// A closed partial without its container: the blocks of one.
    typealias Blocks = [(kind: PartialBlock, bytes: [UInt8])]

    static func blocks(_ ledger: borrowing SettledLedger, _ sums: ReportSums) throws -> Blocks {
        var closed = sums
        try closed.close()
        let sections = closed.sections.map { name in
            (
                name: name,
                visit: { [closed] (writer: inout SumWriter) in
                    var sums = closed
                    try sums.visit(name, &writer)
                }
            )
        }
        var blocks: Blocks = []
        try SumEncoding.encode(ledger, sections) { blocks.append(($0, $1)) }
        return blocks
    }

    private static func leaf(_ rows: Rows, of report: String, _ rules: LedgerRules) throws -> Blocks {
        let ledger = rows.settled(rules: rules, needs: ReportRegistry.needs(of: report))
        var sums = try #require(ReportSums(named: report, ledger.rules))
        try sums.count(ledger)
        return try blocks(ledger, sums)
    }

    /// Gives what some partials come to to `body`.
    static func joining<Result>(
        _ partials: [Blocks],
        _ report: String,
        _ rules: LedgerRules,
        _ body: (borrowing SettledLedger, ReportSums) throws -> Result
    ) throws -> Result {
        var ledger = SpillingLedger(Ledger(needs: ReportRegistry.needs(of: report)))
        let all = try partials.map { partial in
            var decoder = PartialDecoder()
            for block in partial {
                try decoder.decode(block.kind, block.bytes.span.bytes, offset: 0, into: &ledger.ledger)
            }
            return try decoder.finish(offset: 0)
        }
        func read(_ names: [String], into sums: inout ReportSums) throws {
            var allowance = SumAllowance()
            for sections in all {
                for name in names {
                    try sections.read(name, within: &allowance) { reader in try sums.visit(name, &reader) }
                }
            }
        }
        // As in a merge: how recent all data are comes first.
        var common = try #require(ReportSums(named: report, rules))
        try read([ReportSums.common], into: &common)
        let rules = try common.knowingNewest(rules)
        var sums = common.empty(rules)
        try read(sums.sections, into: &sums)
        let settled = ledger.settle(rules, counted: sums.uniqueTransactions, paired: sums.pairedVerifications)
        return try body(settled, sums)
    }

    /// Joins partials in the shape of a random tree.
    private static func tree(
        _ partials: [Blocks],
        _ report: String,
        _ rules: LedgerRules,
        _ generator: inout SplitMix64
    ) throws -> [Blocks] {
        var partials = partials.shuffled(using: &generator)
        while partials.count > 3 {
            let count = Int.random(in: 1...3, using: &generator)
            let some = Array(partials.prefix(count))
            partials.removeFirst(count)
            partials.append(try joining(some, report, rules) { ledger, sums in try blocks(ledger, sums) })
            partials.shuffle(using: &generator)
        }
        return partials
    }

    static let formats = ["json", "ndjson", "csv", "table", "markdown", "html"]

    static func texts(_ document: ReportDocument?) throws -> [String] {
        let document = try #require(document)
        return try formats.map { format in
            let renderer = try #require(RendererRegistry.renderer(named: format))
            return String(decoding: try renderer.init().render(document, options: RenderOptions()), as: UTF8.self)
        }
    }

    /// The rules with what a part must know of all rows: the first purchase, and up to when subscriptions are known.
    static func rules(_ rules: LedgerRules, ofPartsOf rows: Rows) throws -> LedgerRules {
        let ledger = rows.settled(rules: rules, needs: .subscriptions)
        var report = SubscriptionsReport(rules)
        try ledger.forEachTransaction { report.update(with: $0) }
        try report.finishPart(ledger)
        var partRules = rules
        (partRules.first, partRules.newest) = (report.history.since, report.history.asOf)
        return partRules
    }

    // MARK: Tests

    static let reports = [
        "revenue", "restores", "failures", "deferred", "journal", "subscriptions", "anomalies", "all",
    ]

    @Test(
        "However the chains are dealt out and the partials are joined, every report is that of one run, in every format",
        arguments: reports,
        Seeds.some(of: seeds)
    )
    func joins(report: String, seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let rows = Self.rows(&generator)
        let rules = try Self.rules(&generator)
        let ledger = rows.settled(rules: rules, needs: ReportRegistry.needs(of: report))
        let expected = try Self.texts(ReportRegistry.document(named: report, of: ledger, input: Self.input))
        // Every part knows up to when the whole input does; a run of one input finds it by itself.
        let partRules = try Self.rules(rules, ofPartsOf: rows)
        for count in [1, 2, 7] {
            let parts = ClosedPartition.parts(rows, count: count, &generator)
            let partials = try parts.map { try Self.leaf($0, of: report, partRules) }
            let top = try Self.tree(partials, report, rules, &generator)
            let found = try Self.joining(top, report, rules) { ledger, sums in
                try Self.texts(ReportRegistry.document(of: sums, ledger, input: Self.input))
            }
            for (format, pair) in zip(Self.formats, zip(found, expected)) {
                #expect(difference(pair.0, pair.1) == "", "\(count) parts, \(format)")
            }
        }
    }

    @Test("A part of the rows, counted as if it were all, is another report, so that the tests compare something")
    func partsDiffer() throws {
        var generator = SplitMix64(seed: 1)
        let (rows, rules) = (Self.rows(&generator), LedgerRules())
        let parts = ClosedPartition.parts(rows, count: 7, &generator)
        let used = parts.filter { $0.transactions.count > 10 }
        #expect(used.count >= 3)
        let whole = try json("revenue", rows.settled(rules: rules))
        for part in parts { #expect(try json("revenue", part.settled(rules: rules)) != whole) }
    }

    /// How often each section is changed.
    private static let mutations = 40

    @Test(
        "A section of sums that is cut or changed anywhere, with a checksum that fits, is an error or another report",
        arguments: ["journal", "all"]
    )
    func isHostile(report: String) throws {
        var generator = SplitMix64(seed: 3)
        let rows = Self.rows(&generator)
        var rules = LedgerRules(prices: try PriceList(rows: RandomRows.prices))
        rules.conversion = try Self.conversion(&generator)
        rules.commission = 300_000
        rules.comparison = .month
        let blocks = try Self.leaf(rows, of: report, rules)
        var errors = 0
        for (number, block) in blocks.enumerated() where block.kind == .sums {
            for _ in 0..<Self.mutations {
                var changed = blocks
                let place = generator.below(block.bytes.count)
                switch generator.below(3) {
                case 0: changed[number].bytes = Array(block.bytes[..<place])
                case 1: changed[number].bytes[place] ^= UInt8(truncatingIfNeeded: 1 << generator.below(8))
                default: changed[number].bytes[place] = generator.pick([0, 0x7F, 0x80, 0xFF])
                }
                do {
                    try Self.joining([changed], report, rules) { ledger, sums in
                        let document = try #require(try ReportRegistry.document(of: sums, ledger, input: Self.input))
                        _ = JSONRenderer().render(document, options: RenderOptions())
                    }
                } catch is Finding {
                    errors += 1
                }
            }
        }
        #expect(errors > 0, "no section was changed, or no change was noticed")
    }

    @Test("Sums of more than any ledger has are refused before they are added")
    func isBounded() throws {
        let price = Int64.max
        let rows = Rows(transactions: [
            [
                .transactionID: "1", .productID: "pro", .purchaseDate: "2026-03-01", .price: .number(price),
                .currency: "USD",
            ]
        ])
        let leaf = try Self.leaf(rows, of: "revenue", LedgerRules())
        // 2⁶³ thousandths are 10²² millionths, which is booked in four sums; 10³¹ are allowed.
        #expect(throws: Never.self) {
            try Self.joining(Array(repeating: leaf, count: 1000), "revenue", LedgerRules()) { _, _ in }
        }
        let units = Rows(transactions: [
            [.transactionID: "1", .productID: "pro", .purchaseDate: "2026-03-01", .quantity: .number(1 << 60)]
        ])
        let many = try Self.leaf(units, of: "revenue", LedgerRules())
        let error = #expect(throws: Finding.self) {
            try Self.joining(Array(repeating: many, count: 4), "revenue", LedgerRules()) { _, _ in }
        }
        #expect(error?.code == "partial.value")
    }

    @Test("Subscriptions that were counted as of two instants do not join, and the error says which one to give")
    func instants() throws {
        func charge(_ id: String, _ day: String) -> Row<TransactionColumn> {
            [
                .transactionID: .text(id), .productID: "gold", .productType: "auto_renewable",
                .purchaseDate: .text(day), .expiresDate: "2026-05-01", .price: 990, .currency: "USD",
            ]
        }
        let parts = [Rows(transactions: [charge("1", "2026-03-01")]), Rows(transactions: [charge("2", "2026-04-01")])]
        let early = try parts.map { try Self.leaf($0, of: "subscriptions", LedgerRules()) }
        let error = #expect(throws: Finding.self) {
            try Self.joining(early, "subscriptions", LedgerRules()) { _, _ in }
        }
        #expect(error?.reason.hasSuffix("--as-of 2026-04-01T00:00:00Z") == true)
        // A part without subscriptions may be what knows the newest record.
        let sold = Rows(transactions: [[.transactionID: "3", .productID: "coins", .purchaseDate: "2026-04-02"]])
        let both = [early[1], try Self.leaf(sold, of: "subscriptions", LedgerRules())]
        let late = #expect(throws: Finding.self) {
            try Self.joining(both, "subscriptions", LedgerRules()) { ledger, sums in
                _ = try ReportRegistry.document(of: sums, ledger, input: Self.input)
            }
        }
        #expect(late?.description.contains("--as-of 2026-04-02T00:00:00Z") == true)
        var rules = LedgerRules()
        rules.newest = Timestamp("2026-04-02T00:00:00Z")
        let told = try [parts[0], parts[1], sold].map { try Self.leaf($0, of: "subscriptions", rules) }
        #expect(throws: Never.self) {
            try Self.joining(told, "subscriptions", LedgerRules()) { ledger, sums in
                _ = try ReportRegistry.document(of: sums, ledger, input: Self.input)
            }
        }
    }

    @Test("Parts that end an open month on different days do not join, and with one end for all they do")
    func openMonth() throws {
        let rows = Rows(transactions: [
            [
                .transactionID: "1", .productID: "pro", .purchaseDate: "2026-03-02", .price: 990, .currency: "USD",
                .cancellationDate: "2026-03-10",
            ],
            [.transactionID: "2", .productID: "pro", .purchaseDate: "2026-03-11", .price: 1990, .currency: "USD"],
        ])
        var rules = LedgerRules()
        rules.period = try BookingCalendar.usual.month("2026-03")
        let whole = rows.settled(rules: rules, needs: RevenueReport.needs)
        let expected = try Self.texts(ReportRegistry.document(named: "revenue", of: whole, input: Self.input))
        let parts = rows.transactions.map { Rows(transactions: [$0]) }
        func joined(_ partRules: LedgerRules) throws -> [String] {
            try Self.joining(try parts.map { try Self.leaf($0, of: "revenue", partRules) }, "revenue", rules) {
                ledger,
                sums in
                try Self.texts(ReportRegistry.document(of: sums, ledger, input: Self.input))
            }
        }
        let error = #expect(throws: Finding.self) { _ = try joined(rules) }
        #expect(error?.code == "report.as-of" && error?.reason.hasSuffix("--as-of 2026-03-11T00:00:00Z") == true)
        var told = rules
        told.newest = Timestamp("2026-03-11T00:00:00Z")
        #expect(try joined(told) == expected)
        // A complete month needs no end.
        rules.completeDay = rules.calendar.lastDay(before: Timestamp("2026-04-01"))
        #expect(try joined(rules)[0].contains(#""complete":true,"as_of":"2026-03-31""#))
    }

    @Test(
        "Closed partials that compare other days are refused: a month that is over for one, or months without a period",
        arguments: ["2026-02", nil]
    )
    func comparedDays(month: String?) throws {
        var rules = LedgerRules()
        if let month { rules.period = try BookingCalendar.usual.month(month) } else { rules.comparison = .month }
        let partials = try ["2026-02-28", "2026-03-02"].map { date in
            let row: Row<TransactionColumn> = [
                .transactionID: .text(date), .productID: "pro", .purchaseDate: .text(date), .price: 990,
                .currency: "USD",
            ]
            return try Self.leaf(Rows(transactions: [row]), of: "revenue", rules)
        }
        let error = #expect(throws: Finding.self) {
            try Self.joining(partials, "revenue", rules) { ledger, sums in
                _ = try ReportRegistry.document(of: sums, ledger, input: Self.input)
            }
        }
        #expect(error?.code == "report.as-of")
    }
}
