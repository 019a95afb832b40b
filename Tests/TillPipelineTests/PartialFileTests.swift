import Foundation
import Testing
import TillInput
import TillLedger
import TillReports
import TillStorage

@testable import TillPipeline

@Suite("Files of partials")
struct PartialFileTests {
    private static let head = PartialHead(
        report: "revenue",
        reading: [.init("environment", "production,unknown"), .init("trust", "off")],
        needs: [],
        settling: [.init("refunds-by", "purchase")]
    )

    private static func bytes(_ head: PartialHead = head) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let input = InputSummary(documents: 3, accepted: 2, rejected: 1, bytes: 40)
        var ledger = SpillingLedger(Ledger())
        try PartialFile.write(head, input, &ledger) { bytes += $0 }
        return bytes
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
        let parts = try Self.join([Self.bytes(), Self.bytes(), Self.bytes()])
        #expect(parts.head == Self.head)
        #expect(parts.input.documents == 9)
        #expect(parts.input.rejected == 3)
        #expect(parts.input.bytes == 120)
    }

    @Test("A partial cut anywhere is an error")
    func cut() throws {
        let bytes = try Self.bytes()
        for length in 0..<bytes.count {
            let failure = try #require(Self.failure(Array(bytes[..<length])), "cut at \(length)")
            #expect(failure.status == .dataError)
            #expect(failure.code == "partial.truncated", "cut at \(length): \(failure.code)")
        }
        #expect(Self.failure(bytes + [0])?.code == "partial.trailing")
    }

    @Test("A partial with one changed byte is an error, wherever it is")
    func flipped() throws {
        let bytes = try Self.bytes()
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
        for version in [UInt8(1), 2, 3, 4, 6] {
            bytes[8] = version
            #expect(Self.failure(bytes)?.code == "partial.version")
        }
        let stranger = PartialFile.magic + [5, 0, 0, 0] + PartialFile.block("ABCD", [])
        #expect(Self.failure(stranger)?.code == "partial.missing-block")
        let unknown = PartialFile.magic + [5, 0, 0, 0] + PartialFile.block("HEAD", Self.head.encode())
        #expect(Self.failure(unknown + PartialFile.block("ABCD", []))?.code == "partial.block")
    }

    @Test("A length that lies costs no memory and is an error")
    func lyingLength() {
        let lie = PartialFile.magic + [5, 0, 0, 0] + Array("HEAD".utf8) + [0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3]
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
}
