import Foundation
import Testing
import TillInput
import TillLedger
import TillReports
import TillRows
import TillStorage
import TillTestSupport

@testable import TillPipeline

@Suite("Files of partials")
struct PartialFileTests {
    private static let head = PartialHead(
        report: "revenue",
        reading: [.init("environment", "production,unknown"), .init("trust", "off")],
        needs: ReportRegistry.needs(of: "revenue"),
        settling: [.init("refunds-by", "purchase")]
    )

    /// An open partial. Partials of the same bytes would be read once, so `size` tells them apart.
    private static func bytes(_ head: PartialHead = head, size: Int = 40) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let input = InputSummary(documents: 3, accepted: 2, rejected: 1, bytes: size)
        var ledger = SpillingLedger(Ledger(needs: head.needs))
        try PartialFile.write(head, input, &ledger) { bytes += $0 }
        return bytes
    }

    /// A closed partial of a few sales.
    private static func closedBytes(_ head: PartialHead = head, size: Int = 40) throws -> [UInt8] {
        let rows = Rows(transactions: [
            [.transactionID: "1", .productID: "pro", .purchaseDate: "2026-03-01", .price: 990, .currency: "USD"],
            [
                .transactionID: "2", .productID: "gold", .purchaseDate: "2026-03-05", .price: 1990, .currency: "JPY",
                .cancellationDate: "2026-04-02",
            ],
        ])
        let rules = LedgerRules(refundDating: .purchase)
        let ledger = rows.settled(rules: rules, needs: head.needs)
        var sums = try #require(ReportSums(named: "revenue", ledger.rules))
        try sums.count(ledger)
        var bytes: [UInt8] = []
        try PartialFile.write(head, InputSummary(documents: 3, accepted: 2, rejected: 1, bytes: size), ledger, sums) {
            bytes += $0
        }
        return bytes
    }

    static let kinds: [PartialKind] = [.open, .closed]

    private static func bytes(of kind: PartialKind) throws -> [UInt8] {
        switch kind {
        case .open: try bytes()
        case .closed: try closedBytes()
        }
    }

    private static func join(_ files: [[UInt8]], choosing chosen: Set<String> = []) throws -> PartialMerge {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("till-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var paths: [String] = []
        for (number, bytes) in files.enumerated() {
            let file = folder.appendingPathComponent("\(number).tillpart")
            try Data(bytes).write(to: file)
            paths.append(file.path)
        }
        return try PartialMerge(paths, choosing: chosen)
    }

    /// The code and the offset that an error names.
    private static func failure(_ bytes: [UInt8]) -> (status: TillPipeline.ExitStatus, code: String)? {
        do {
            _ = try join([bytes])
            return nil
        } catch let error as RunError {
            let code = error.description.split(separator: "(").last.map { String($0.dropLast()) } ?? ""
            return (error.status, code)
        } catch {
            return nil
        }
    }

    @Test("What is written is read again, and inputs add up")
    func reads() throws {
        let parts = try Self.join([Self.bytes(), Self.bytes(size: 50), Self.bytes(size: 60)])
        #expect(parts.head == Self.head)
        #expect(parts.input.documents == 9)
        #expect(parts.input.rejected == 3)
        #expect(parts.input.bytes == 150)
    }

    @Test("Counts are an error where those of all partials are above 2^53 in sum")
    func sumsOfCounts() throws {
        func bytes(_ count: Int, size: Int = 0) throws -> [UInt8] {
            var bytes: [UInt8] = []
            var ledger = SpillingLedger(Ledger())
            let input = InputSummary(documents: 0, accepted: count, rejected: 0, bytes: size)
            try PartialFile.write(Self.head, input, &ledger) { bytes += $0 }
            return bytes
        }
        let (half, other) = (try bytes(1 << 52), try bytes(1 << 52 - 1, size: 1))
        let input = try Self.join([half, other]).input
        #expect(input.accepted + input.bytes == 1 << 53)
        for files in [[half, other, try bytes(1)], [try bytes(1 << 53 + 1)], [try bytes(.max)]] {
            let error = try #require(throws: RunError.self) { _ = try Self.join(files) }
            #expect(error.status == .dataError)
            #expect(error.description.hasSuffix("(partial.value)"), "\(error)")
        }
    }

    @Test("A partial cut anywhere is an error", arguments: kinds)
    func cut(kind: PartialKind) throws {
        let bytes = try Self.bytes(of: kind)
        for length in 0..<bytes.count {
            let failure = try #require(Self.failure(Array(bytes[..<length])), "cut at \(length)")
            #expect(failure.status == .dataError)
            #expect(failure.code == "partial.truncated", "cut at \(length): \(failure.code)")
        }
        #expect(Self.failure(bytes + [0])?.code == "partial.trailing")
    }

    @Test("A partial with one changed byte is an error, wherever it is", arguments: kinds)
    func flipped(kind: PartialKind) throws {
        let bytes = try Self.bytes(of: kind)
        for place in bytes.indices {
            for mask: UInt8 in [0x01, 0x80, 0xFF] {
                var changed = bytes
                changed[place] ^= mask
                let failure = try #require(Self.failure(changed), "byte \(place)")
                #expect(failure.status == .dataError)
            }
        }
    }

    @Test("What is no partial, or one of another version, is told")
    func strangers() throws {
        #expect(Self.failure(Array("{\"bundle_id\":\"a\"}".utf8))?.code == "partial.magic")
        var bytes = try Self.bytes()
        for version in (UInt8(1)...10) where UInt32(version) != PartialFile.version {
            bytes[8] = version
            #expect(Self.failure(bytes)?.code == "partial.version")
        }
        let stranger = PartialFile.magic + [UInt8(PartialFile.version), 0, 0, 0] + PartialFile.block("ABCD", [])
        #expect(Self.failure(stranger)?.code == "partial.missing-block")
        let unknown =
            PartialFile.magic + [UInt8(PartialFile.version), 0, 0, 0] + PartialFile.block("HEAD", Self.head.encode())
        #expect(Self.failure(unknown + PartialFile.block("ABCD", []))?.code == "partial.block")
    }

    @Test("Closed partials add up; an open one does not join them, whichever comes first, and both are named")
    func closed() throws {
        let parts = try Self.join([Self.closedBytes(), Self.closedBytes(size: 50)])
        #expect(parts.kind == .closed)
        #expect(parts.input.documents == 6)
        let rules = LedgerRules(refundDating: .purchase)
        var sums = try #require(ReportSums(named: "revenue", rules))
        #expect(try parts.join(&sums, rules).uniqueCount == 4)
        for files in [[try Self.bytes(), try Self.closedBytes()], [try Self.closedBytes(), try Self.bytes()]] {
            let error = try #require(throws: RunError.self) { _ = try Self.join(files) }
            #expect(error.status == .usage)
            #expect(error.description.contains("0.tillpart") && error.description.contains("1.tillpart"))
        }
    }

    @Test("Blocks of the other kind of partial are refused")
    func blocksOfTheOtherKind() throws {
        let start = PartialFile.block("HEAD", Self.head.encode())
        let open = PartialFile.magic + [UInt8(PartialFile.version), 0, 0, 0] + start + PartialFile.block("SUMS", [])
        #expect(Self.failure(open)?.code == "partial.block")
        for block in ["TRAN", "FACE", "PAIR", "ANSW", "ROUT", "ATTS", "OUTC", "PURC", "GRAC"] {
            let version = UInt8(PartialFile.closedVersion)
            let closed = PartialFile.closedMagic + [version, 0, 0, 0] + start + PartialFile.block(block, [])
            #expect(Self.failure(closed)?.code == "partial.block", "\(block)")
        }
    }

    @Test("--closed takes no file where --partial is among the words of report; elsewhere and with = it does")
    func closedWords() {
        func rewritten(_ words: String, of command: Command = .report) -> String {
            ClosedPartialWords.rewritten(words.split(separator: " ").map(String.init), of: command)
                .joined(separator: " ")
        }
        #expect(rewritten("revenue --partial --closed rows") == "revenue --partial --closed-partial rows")
        #expect(rewritten("revenue --closed rows --partial") == "revenue --closed-partial rows --partial")
        for words in [
            "revenue --closed march.json", "revenue --partial --closed=march.json", "revenue --closed a -- --partial",
            "",
        ] {
            #expect(rewritten(words) == words)
        }
        #expect(rewritten("--partial --closed march.json", of: .merge) == "--partial --closed march.json")
        #expect(rewritten("x --partial -- --closed") == "x --partial -- --closed")
    }

    @Test("A length that lies costs no memory and is an error")
    func lyingLength() {
        let lie =
            PartialFile.magic + [UInt8(PartialFile.version), 0, 0, 0] + Array("HEAD".utf8) + [
                0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3,
            ]
        #expect(Self.failure(lie)?.code == "partial.truncated")
    }

    @Test("Parts must agree in what was counted, and in the rules unless one is chosen")
    func disagreement() throws {
        var other = Self.head
        other.reading[0].value = "sandbox"
        let environment = try #require(throws: RunError.self) { _ = try Self.join([Self.bytes(), Self.bytes(other)]) }
        #expect(environment.status == .usage)
        #expect(environment.description.contains("--environment sandbox, not production,unknown"))

        var dated = Self.head
        dated.settling[0].value = "refund"
        let rule = try #require(throws: RunError.self) { _ = try Self.join([Self.bytes(), Self.bytes(dated)]) }
        #expect(rule.description.contains("--refunds-by"))
        #expect(throws: Never.self) { _ = try Self.join([Self.bytes(), Self.bytes(dated)], choosing: ["refunds-by"]) }

        var named = Self.head
        named.report = "restores"
        #expect(throws: RunError.self) { _ = try Self.join([Self.bytes(), Self.bytes(named)]) }
    }

    @Test("A price list of the same contents under another name is the same")
    func priceLists() throws {
        func head(_ path: String, _ text: String) -> PartialHead {
            var head = Self.head
            head.settling = [.init("prices", path)]
            head.files = [.init(path: path, bytes: Array(text.utf8))]
            return head
        }
        let parts = [try Self.bytes(head("a.csv", "x")), try Self.bytes(head("b.csv", "x"))]
        #expect(try Self.join(parts).head.files.map(\.path) == ["a.csv"])
        #expect(throws: RunError.self) {
            _ = try Self.join([Self.bytes(head("a.csv", "x")), Self.bytes(head("a.csv", "y"))])
        }
    }

    /// Fuzzing begins with them: of another version, they would be refused at their twelfth byte.
    @Test(
        "The partials that fuzzing begins with are of the versions that are read",
        arguments: ["open", "closed", "revenue"]
    )
    func corpus(name: String) throws {
        let file = Fixtures.package.appending(path: "Tests/FuzzTests/Corpus/partial/\(name).tillpart")
        let bytes = [UInt8](try Data(contentsOf: file))
        let kind = name == "open" ? PartialKind.open : .closed
        #expect(Array(bytes.prefix(8)) == PartialFile.magic(of: kind))
        let version = kind == .open ? PartialFile.version : PartialFile.closedVersion
        #expect(Array(bytes[8..<12]) == withUnsafeBytes(of: version.littleEndian, Array.init))
    }
}
