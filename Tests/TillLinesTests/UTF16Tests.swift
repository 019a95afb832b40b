import Foundation
import Testing
import TillColumns
import TillCore
import TillRows
import TillTestSupport

@testable import TillInput
@testable import TillPipeline

@Suite("Sources in UTF-16")
struct UTF16Tests {
    private static func encoded(_ text: String, isBigEndian: Bool) -> [UInt8] {
        encoded(Array(text.utf16), isBigEndian: isBigEndian)
    }

    private static func encoded(_ units: [UInt16], isBigEndian: Bool) -> [UInt8] {
        ([0xFEFF] + units).flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isBigEndian ? bytes : bytes.reversed()
        }
    }

    private static func transcoded(_ bytes: [UInt8], step: Int) throws -> [UInt8] {
        var transcoder = try #require(UTF16Transcoder(head: Array(bytes.prefix(4))))
        var output: [UInt8] = []
        for start in stride(from: 2, to: bytes.count, by: step) {
            Array(bytes[start..<min(bytes.count, start + step)]).withUnsafeBytes { transcoder.append($0, to: &output) }
        }
        transcoder.finish(into: &output)
        return output
    }

    @Test("Text comes out as UTF-8, wherever it is cut", arguments: [true, false])
    func transcodes(isBigEndian: Bool) throws {
        let text = "{\"event\":\"a\u{7F}\u{80}é\u{7FF}\u{800}€\u{FFFF}😀\u{10FFFF}\u{FEFF}z\"}\r\n\0"
        let bytes = Self.encoded(text, isBigEndian: isBigEndian)
        for step in 1...bytes.count { #expect(try Self.transcoded(bytes, step: step) == Array(text.utf8), "\(step)") }
    }

    /// Units that are not well-formed, and the text that they become.
    static let broken: [([UInt16], String)] = [
        ([0xD800], "\u{FFFD}"), ([0xDC00], "\u{FFFD}"), ([0xD83D, 0x41], "\u{FFFD}A"),
        ([0xDE00, 0xD83D, 0xDE00], "\u{FFFD}😀"), ([0xD83D, 0xD83D, 0xDE00], "\u{FFFD}😀"),
        ([0xD83D, 0xDE00, 0xDE00, 0x0A], "😀\u{FFFD}\n"), ([0xDBFF, 0xDFFF], "\u{10FFFF}"), ([], ""),
    ]

    @Test("Half a pair and an odd last byte become U+FFFD", arguments: broken)
    func replaces(_ units: [UInt16], _ expected: String) throws {
        for isBigEndian in [true, false] {
            let bytes = Self.encoded(units, isBigEndian: isBigEndian)
            for step in 1...8 {
                #expect(try Self.transcoded(bytes, step: step) == Array(expected.utf8))
                #expect(try Self.transcoded(bytes + [0x41], step: step) == Array((expected + "\u{FFFD}").utf8))
            }
        }
    }

    @Test("Only a byte order mark of UTF-16 makes a source one")
    func needsMark() {
        for head: [UInt8] in [[], [0xFF], [0xFE], [0xFF, 0xFE, 0, 0], [0xEF, 0xBB, 0xBF], [0x7B, 0], [0, 0x7B]] {
            #expect(UTF16Transcoder(head: head) == nil)
        }
    }

    // MARK: Sources

    private static func file(_ bytes: [UInt8]) throws -> (InputFile, URL) {
        let url = FileManager.default.temporaryDirectory.appending(path: "tillroll-\(UUID().uuidString)")
        try Data(bytes).write(to: url)
        return (try #require(try InputFile.expand([url.path]).first), url)
    }

    private static func read(_ bytes: [UInt8], step: Int) throws -> [UInt8] {
        let (file, url) = try file(bytes)
        defer { try? FileManager.default.removeItem(at: url) }
        let reader = try InputReader(file)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: step, alignment: 1)
        defer { buffer.deallocate() }
        var output: [UInt8] = []
        while true {
            let count = try reader.read(into: buffer)
            output += buffer[..<count]
            if count < step { return output }
        }
    }

    @Test("A source is given as UTF-8 in reads of any size, plain, compressed and in two members")
    func readsSources() throws {
        let text = "{\"event\":\"é😀\"}\r\n"
        for isBigEndian in [true, false] {
            let bytes = Self.encoded(text, isBigEndian: isBigEndian)
            let members =
                Gzip.member(Array(bytes[..<1])) + Gzip.member(Array(bytes[1..<7])) + Gzip.member(Array(bytes[7...]))
            for source in [bytes, Gzip.member(bytes), members] {
                for step in [1, 2, 3, 5, 64, 100_000] {
                    #expect(try Self.read(source, step: step) == Array(text.utf8), "\(step)")
                }
            }
        }
        for plain: [UInt8] in [[], [0xFF], [0xFF, 0xFE], [0xFE, 0xFF], [0xFF, 0xFE, 0, 0], [0x41, 0xFF, 0xFE]] {
            let expected = plain == [0xFF, 0xFE] || plain == [0xFE, 0xFF] ? [] : plain
            for step in [1, 2, 64] {
                #expect(try Self.read(plain, step: step) == expected)
                #expect(try Self.read(Gzip.member(plain), step: step) == expected)
            }
        }
        let long = String(repeating: "é😀x", count: 50_000)
        #expect(try Self.read(Self.encoded(long, isBigEndian: false), step: 70_000) == Array(long.utf8))
    }

    private final class Recorder: DocumentConsumer {
        var entries: [String] = []

        func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) {
            for row in 0..<rows.events.rowCount {
                entries.append("event \(firstDocument + Int(rows.events[.document, row] ?? -1))")
            }
            for _ in 0..<rows.transactions.rowCount { entries.append("transaction") }
        }

        func consume(_ reject: Reject) {
            entries.append(
                "\(reject.position.offset)+\(reject.position.length) \(String(decoding: reject.raw ?? [], as: UTF8.self))"
            )
        }

        func consume(_ warning: TillPipeline.Warning) { entries.append("warning \(warning.text)") }
        func report(_ progress: ReadProgress) {}
    }

    @Test("Documents, delimited text and rejects are those of the text as UTF-8", arguments: [1, 2])
    func readsDocuments(jobs: Int) async throws {
        let response = #"{"status":0,"receipt":{"in_app":[{"transaction_id":"1"}]}}"#
        for text in [
            "{\"event\":\"failed\"}\r\nhällo wörld 😀\r\n\(response)\n",
            "id;receipt\r\n1;\"\(response.replacing("\"", with: "\"\""))\"\r\n2;hällo\r\n",
        ] {
            func entries(_ bytes: [UInt8], _ chunkSize: Int) async throws -> [String] {
                let (file, url) = try Self.file(bytes)
                defer { try? FileManager.default.removeItem(at: url) }
                let options = ReadOptions(jobs: jobs, chunkSize: chunkSize)
                var stream = DocumentStream([file], options: options, consumer: Recorder())
                try await stream.run()
                return stream.consumer.entries
            }
            let expected = try await entries(Array(text.utf8), 1 << 20)
            #expect(expected.contains { $0.contains("hällo") })
            for chunkSize in [1, 7, 64, 1 << 20] {
                for isBigEndian in [true, false] {
                    let bytes = Self.encoded(text, isBigEndian: isBigEndian)
                    #expect(try await entries(bytes, chunkSize).sorted() == expected.sorted())
                    #expect(try await entries(Gzip.member(bytes), chunkSize).sorted() == expected.sorted())
                }
            }
        }
    }
}
