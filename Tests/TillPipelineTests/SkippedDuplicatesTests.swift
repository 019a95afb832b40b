import Foundation
import Testing
import TillColumns
import TillInput
import TillLedger
import TillRender
import TillReports
import TillRows
import TillTestSupport

@testable import TillPipeline

/// Gives all rows to a ledger and notes how many were left out.
private final class Counter: DocumentConsumer {
    private var ledger: Ledger? = Ledger(needs: .failures)
    var repeated = 0

    func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) {
        ledger?.update(with: rows, source: source, firstDocument: firstDocument)
        repeated += rows.duplicates.skippedCount
    }

    func consume(_ reject: Reject) {}
    func consume(_ warning: Warning) {}
    func report(_ progress: ReadProgress) {}

    /// The reports that are made of transactions and statuses, as JSON.
    func reports(_ progress: ReadProgress) throws -> [String] {
        let settled = (ledger.take() ?? Ledger(needs: .failures)).settle(LedgerRules())
        return try ["revenue", "restores", "failures"].map { name in
            let document = try ReportRegistry.document(named: name, of: settled, input: InputSummary(progress))
            return try String(
                decoding: JSONRenderer().render(#require(document), options: RenderOptions()),
                as: UTF8.self
            )
        }
    }
}

/// A report may count a duplicate of a transaction by its text alone. The result must be that of reading every
/// duplicate.
@Suite("Skipped duplicates")
struct SkippedDuplicatesTests {
    private static func read(
        _ dump: String,
        leavingOut: Bool,
        jobs: Int,
        chunkSize: Int
    ) async throws -> (
        reports: [String], repeated: Int
    ) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tillroll-\(UUID().uuidString)")
        try Data(dump.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var options = ReadOptions(jobs: jobs, chunkSize: chunkSize)
        options.wanted = .numbers
        if leavingOut { options.needs = .duplicateCounts }
        var stream = DocumentStream(try InputFile.expand([file.path]), options: options, consumer: Counter())
        try await stream.run()
        return (try stream.consumer.reports(stream.progress), stream.consumer.repeated)
    }

    private static func compare(_ dump: String, _ comment: Comment? = nil) async throws -> Int {
        let whole = try await read(dump, leavingOut: false, jobs: 1, chunkSize: 1 << 20)
        #expect(whole.repeated == 0)
        var repeated = 0
        for (jobs, chunkSize) in [(1, 300), (1, 5000), (3, 1000)] {
            let short = try await read(dump, leavingOut: true, jobs: jobs, chunkSize: chunkSize)
            #expect(short.reports == whole.reports, comment)
            repeated += short.repeated
        }
        return repeated
    }

    private static func response(_ ids: ClosedRange<Int>, _ more: String = "") -> String {
        let purchases = ids.map {
            #"{"transaction_id":"\#($0)","product_id":"p","purchase_date_ms":"1767225600000","quantity":"1"}"#
        }
        return #"{"status":0,"receipt":{"in_app":[\#(purchases.joined(separator: ","))]}\#(more)}"#
    }

    @Test("A known response inside of an envelope takes the environment of the envelope")
    func environmentOfEnvelope() async throws {
        let known = Self.response(1...3)
        let quoted = try #require(String(data: try JSONEncoder().encode(known), encoding: .utf8))
        let others = (2...20).map { Self.response(100 * $0...100 * $0 + 4) }
        let lines = [known] + others + [#"{"environment":"Sandbox","body":\#(quoted)}"#] + others
        _ = try await Self.compare(lines.joined(separator: "\n"))
    }

    @Test("A notification refunds the transaction of a receipt that was read before")
    func receiptOfNotification() async throws {
        let receipt = ReceiptDER.sample().base64
        let cancel =
            #"{"notification_type":"CANCEL","environment":"PROD","bid":"b","cancellation_date_ms":"1769904000000","#
            + #""latest_receipt":"\#(receipt)"}"#
        let others = (2...20).map { Self.response(100 * $0...100 * $0 + 4) }
        _ = try await Self.compare(([receipt] + others + [cancel]).joined(separator: "\n"))
    }

    /// The same transaction told by other members: an id told twice in one list, in two lists, or in two documents.
    private static func disputed(_ document: Int, _ random: inout SplitMix64) -> String {
        var members = [
            "\"transaction_id\":\"9\(document)\(random.below(2))\"", "\"product_id\":\"p\(random.below(2))\"",
            "\"purchase_date_ms\":\"\(random.pick([1_767_225_600_000, 1_769_904_000_000, 1_772_323_200_000]))\"",
        ]
        let facts: [(String, [String])] = [
            ("quantity", ["1", "2"]), ("original_transaction_id", ["900", "901"]),
            ("original_purchase_date_ms", ["1767225600000", "1767225600001", "1767398400000"]),
            ("expires_date_ms", ["1777225600000", "1777225600500"]), ("web_order_line_item_id", ["70", "71"]),
            ("is_trial_period", ["true", "false"]), ("is_in_intro_offer_period", ["true", "false"]),
            ("is_upgraded", ["true", "false"]), ("in_app_ownership_type", ["PURCHASED", "FAMILY_SHARED"]),
            ("promotional_offer_id", ["spring", "summer"]),
            ("cancellation_date_ms", ["1769904000000", "1772323200000"]),
        ]
        for (name, values) in facts where random.once(in: name.hasPrefix("cancellation") ? 12 : 4) {
            members.append("\"\(name)\":\"\(random.pick(values))\"")
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    /// A response in which ids are told several times with values that differ. Its ids are in few other documents: the
    /// largest value of many would hide which one a document has given.
    private static func disputedResponse(_ random: inout SplitMix64) -> String {
        let document = 100 + random.below(300)
        let texts = (0..<4).map { _ in disputed(document, &random) }
        func list(_ random: inout SplitMix64) -> String {
            "[" + (0..<random.below(5)).map { _ in random.pick(texts) }.joined(separator: ",") + "]"
        }
        let members = [
            "\"status\":0", "\"environment\":\"Production\"", "\"receipt\":{\"in_app\":\(list(&random))}",
            "\"latest_receipt_info\":\(list(&random))",
        ]
        return "{" + members.shuffled(using: &random).joined(separator: ",") + "}"
    }

    /// The text of one of a few transactions, mostly in the same words as before.
    private static func transaction(_ random: inout SplitMix64) -> String {
        let number = random.below(9)
        let isSubscription = number < 4
        var members: [(String, String)] = [
            ("quantity", "\"\(random.once(in: 40) ? 2 : 1)\""),
            ("product_id", random.once(in: 60) ? "\"a}b\"" : "\"p\(number % 3)\""),
            ("transaction_id", number == 8 ? "\"T-8\"" : number == 7 ? "107" : "\"10\(number)\""),
            ("original_transaction_id", "\"10\(isSubscription ? 0 : random.once(in: 50) ? 1 : number)\""),
            ("purchase_date_ms", "\"17672256000\(number)0\""),
        ]
        if isSubscription {
            members.append(("expires_date_ms", "\"17699040000\(number)0\""))
            members.append(("web_order_line_item_id", "\"5\(number / 2)\""))
        }
        switch random.below(40) {
        case 0: members.append(("cancellation_date_ms", "\"1767312000000\""))
        case 1: members.removeAll { $0.0 == "transaction_id" }
        case 2: members.append(("nested", "[{}]"))
        case 3: members.append(("bid", "\"com.example.own\""))
        case 4: members.append(("is_trial_period", "\"true\""))
        case 5: members.append(("in_app_ownership_type", "\"FAMILY_SHARED\""))
        case 6: members.append(("purchase_date_ms", "\"none\""))
        case 7: members[2].1 = "\"0\""
        case 8: members.append(("cancellation_reason", "\"OF_ANOTHER_PLANET\""))
        default: break
        }
        if random.once(in: 12) { members.reverse() }
        let (separator, colon) = random.pick([(",", ":"), (",", ":"), (",", ":"), (", ", ": "), (",\n  ", ": ")])
        return "{" + members.map { "\"\($0)\"\(colon)\($1)" }.joined(separator: separator) + "}"
    }

    private static func list(_ random: inout SplitMix64) -> String {
        var transactions: [String] = []
        for _ in 0..<random.below(7) {
            // Some stand in a list twice.
            transactions.append(random.once(in: 6) ? transactions.last ?? "{}" : transaction(&random))
        }
        return "[" + transactions.joined(separator: random.once(in: 5) ? " , " : ",") + "]"
    }

    private static func response(_ random: inout SplitMix64) -> String {
        let inApp = list(&random)
        let latest = random.once(in: 2) ? inApp : list(&random)
        let receipt = [
            "\"bundle_id\":\"com.example.\(random.once(in: 15) ? "b" : "a")\"", "\"in_app\":\(inApp)",
            "\"request_date_ms\":\"17700000000\(random.below(10))0\"",
        ]
        var members = [
            "\"status\":\(random.pick([0, 0, 0, 0, 0, 0, 0, 21_006, 21_003]))",
            "\"receipt\":{\(receipt.joined(separator: ","))}",
        ]
        if random.once(in: 2) { members.append("\"latest_receipt_info\":\(latest)") }
        switch random.below(14) {
        case 0: members.append("\"environment\":\"Sandbox\"")
        case 1: members.append("\"environment\":\"Xcode\"")
        case 2: members.append("\"environment\":\"Elsewhere\"")
        case 3: break
        case 4: members.append("\"environment\":\"Production\",\"cancellation_reason\":\"1\"")
        default: members.append("\"environment\":\"Production\"")
        }
        members.shuffle(using: &random)
        let text = "{" + members.joined(separator: ",") + "}"
        switch random.below(20) {
        case 0: return String(text.prefix(random.below(text.count)))
        case 1: return "{\"request\":{\"receipt-data\":\"AAAA\"},\"response\":\(text)}"
        default: return text
        }
    }

    private static func receipt(_ random: inout SplitMix64) -> String {
        var attributes = [
            ReceiptDER.attribute(0, DER.utf8(random.pick(["Production", "Production", "Production", "Xcode"]))),
            ReceiptDER.attribute(2, DER.utf8("com.example.\(random.once(in: 10) ? "b" : "a")")),
            ReceiptDER.attribute(12, DER.ia5("2026-02-02T10:15:00Z")),
        ]
        for _ in 0..<random.below(24) {
            let number = random.below(12)
            var purchase = [
                ReceiptDER.attribute(1701, DER.integer(random.once(in: 60) ? 2 : 1)),
                ReceiptDER.attribute(1702, DER.utf8("p\(number % 3)")),
                ReceiptDER.attribute(1703, DER.utf8(number == 11 ? "T-11" : "\(200 + number)")),
                ReceiptDER.attribute(1704, DER.ia5("2026-01-0\(1 + number % 9)T08:00:00Z")),
            ]
            switch random.below(60) {
            case 0: purchase.append(ReceiptDER.attribute(1712, DER.ia5("2026-01-20T08:00:00Z")))
            case 1: purchase[3] = ReceiptDER.attribute(1704, DER.ia5("no date"))
            case 2: purchase.remove(at: 2)
            case 3: purchase[2] = [0x30, 0x05]
            default: break
            }
            attributes.append(ReceiptDER.purchase(purchase))
        }
        // What tells the app and the environment may stand behind what is told of.
        if random.once(in: 2) { attributes.shuffle(using: &random) }
        let receipt = ReceiptDER(attributes)
        return ReceiptDER.base64(random.once(in: 8) ? receipt.ber(fragments: 100) : receipt.der)
    }

    private static func compare(
        _ count: Int,
        seed: UInt64,
        _ document: (inout SplitMix64) -> String
    ) async throws {
        var random = SplitMix64(seed: seed)
        let lines = (0..<count).map { _ in document(&random) }
        let repeated = try await compare(lines.joined(separator: "\n") + "\n", "seed \(seed)")
        #expect(repeated > 20)
    }

    @Test("Responses are counted as if each duplicate were read", arguments: Seeds.some(of: UInt64(1)...12))
    func responses(seed: UInt64) async throws { try await Self.compare(120, seed: seed, Self.response) }

    @Test(
        "Ids that come twice with values that differ are counted as if each duplicate were read",
        arguments: Seeds.some(of: UInt64(1)...24)
    )
    func disputes(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var texts: [String] = []
        for _ in 0..<60 {
            texts.append(random.once(in: 3) ? random.pick(texts + ["{}"]) : Self.disputedResponse(&random))
        }
        let repeated = try await Self.compare(texts.joined(separator: "\n") + "\n", "seed \(seed)")
        #expect(repeated > 0)
    }

    @Test("An id told twice in one list, and once more in a later one, has the later list's value")
    func disputedWithinAList() async throws {
        func transaction(_ instant: Int) -> String {
            "{\"product_id\":\"p\",\"transaction_id\":\"1\",\"purchase_date_ms\":\"\(instant)\"}"
        }
        let lists = "\"receipt\":{\"in_app\":[\(transaction(1_759_017_599_999)),\(transaction(1_762_448_980_132))]}"
        let dump = "{\"status\":0,\(lists),\"latest_receipt_info\":[\(transaction(1_762_448_980_132))]}\n"
        let short = try await Self.read(dump + "{}\n", leavingOut: true, jobs: 2, chunkSize: 10)
        #expect(short.reports[0].contains("\"month\":\"2025-11\""))
        #expect(!short.reports[0].contains("\"month\":\"2025-09\""))
    }

    @Test("Receipts are counted as if each duplicate were read", arguments: Seeds.some(of: UInt64(1)...8))
    func receipts(seed: UInt64) async throws { try await Self.compare(60, seed: seed, Self.receipt) }

    @Test("What a later document says about the app or the environment of a text is not lost")
    func contexts() async throws {
        func response(_ bundleID: String, _ environment: String) -> String {
            let transaction = #"{"transaction_id":"100","product_id":"p","purchase_date_ms":"1767225600000"}"#
            return
                #"{"status":0,"environment":"\#(environment)","receipt":{"bundle_id":"\#(bundleID)","in_app":[\#(transaction)]}}"#
        }
        for other in [("com.example.b", "Production"), ("com.example.a", "Sandbox"), ("com.example.a", "Xcode")] {
            let lines = [response("com.example.a", "Production"), response(other.0, other.1)]
            let whole = try await Self.read(lines.joined(separator: "\n"), leavingOut: false, jobs: 1, chunkSize: 10)
            let short = try await Self.read(lines.joined(separator: "\n"), leavingOut: true, jobs: 1, chunkSize: 10)
            #expect(short.repeated == 0)
            #expect(short.reports == whole.reports)
        }
        let same = Array(repeating: response("com.example.a", "Production"), count: 3).joined(separator: "\n")
        #expect(try await Self.read(same, leavingOut: true, jobs: 1, chunkSize: 10).repeated == 2)
    }

    @Test("Rows that name nothing are counted each, also where they are told in the same words")
    func unnamed() async throws {
        for identifier in ["\"transaction_id\":\"0\",", ""] {
            let transaction = "{\(identifier)\"product_id\":\"p\",\"purchase_date_ms\":\"1767225600000\"}"
            let response = "{\"status\":0,\"receipt\":{\"in_app\":[\(transaction),\(transaction)]}}"
            let dump = [response, response].joined(separator: "\n")
            let short = try await Self.read(dump, leavingOut: true, jobs: 1, chunkSize: 10)
            #expect(short.repeated == 0)
            #expect(short.reports[0].contains("\"transactions\":4,\"unique_transactions\":4}"))
        }
    }

    @Test("A table of texts grows, begins anew where it may not, and tells what was added")
    func table() throws {
        var table = try #require(SeenDigestCache())
        let texts = (0..<20_000).map { Array("text \($0)".utf8) }
        func digest(_ text: [UInt8]) -> TextDigest { TextDigest(of: text.span.bytes, under: table.lookup.digests) }
        let digests = texts.map(digest)
        for (number, digest) in digests.enumerated() {
            table = table.withRoom(for: 1)
            #expect(table.lookup.find(digest) == nil)
            table.add([SeenDigest(digest, place: UInt16(number % 65_536), context: UInt64(number))])
        }
        for (number, text) in texts.enumerated() {
            // The key goes along when the table grows.
            #expect(digest(text) == digests[number])
            let found = try #require(table.lookup.find(digests[number]))
            #expect(Int(found.place) == number % 65_536)
            #expect(table.lookup.confirms(found, digests[number], in: UInt64(number)))
            #expect(!table.lookup.confirms(found, digests[number], in: UInt64(number + 1)))
        }
        let emptied = table.withRoom(for: SeenDigestCache.mostDigests)
        #expect(emptied !== table && emptied.lookup.find(digests[0]) == nil)
    }
}
