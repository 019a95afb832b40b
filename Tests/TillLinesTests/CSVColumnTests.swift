import Foundation
import Testing
import TillColumns
import TillCore
import TillInput
import TillReceipts
import TillRows
import TillTestSupport

@testable import TillPipeline

@Suite("The column of documents")
struct CSVColumnTests {
    private static let response = CSVStreamTests.quoted(CSVStreamTests.response(1))
    private static let base64 = ReceiptDER.sample().base64
    private static let hexadecimal =
        "\\x"
        + ReceiptDER.sample().der.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        .joined()

    private static let json = CSVStreamTests.quoted(#"{"user":1,"plan":"pro","tags":["a","b"]}"#)

    private static func find(
        _ text: String,
        limit: Int? = nil,
        isAnnounced: Bool = false,
        isFinal: Bool = true,
        isPaused: Bool = false
    ) -> CSVHeader.Answer {
        let bytes = Array(text.utf8) + Array(repeating: 0, count: ByteBuffer.padding)
        return CSVHeader.find(
            in: bytes.span.bytes,
            limit: limit ?? text.utf8.count,
            wanted: CSVHeader.usualColumns,
            isAnnounced: isAnnounced,
            isFinal: isFinal,
            isPaused: isPaused,
            isDocument: { cell in cell.beginsLikeCell }
        )
    }

    /// What is found: the name of the column, `none`, `undecided`, or the names of several.
    private static func outcome(_ answer: CSVHeader.Answer) -> String {
        switch answer {
        case .header(let header): header.columns[header.column]
        case .none: "none"
        case .undecided: "undecided"
        case .ambiguous(_, let fitting): fitting.joined(separator: " and ")
        }
    }

    /// A text, and the column that is found without and with `--from csv`.
    static let texts: [(String, String, String)] = [
        ("id,blob\n1,\(base64)\n", "blob", "blob"), ("id,blob\n1,\(response)\n2,\n3,\(response)\n", "blob", "blob"),
        ("id\tblob\n1\t\(CSVStreamTests.response(1))\n", "blob", "blob"), ("a;b\n\(base64);1\n", "a", "a"),
        ("a|b\n1|\(hexadecimal)\n", "b", "b"), ("a,b\r\n\r\n1,\"-----BEGIN PKCS7-----\n\(base64)\n\"\r\n", "b", "b"),
        ("a,b\n1,<plist version=\"1.0\">\n", "b", "b"), ("blob\n\(base64)\n", "none", "blob"),
        // An id in the second row shows that the first column only begins like documents.
        ("a,b\n\(base64),\(response)\nx,\(response)\n", "b", "b"),
        ("a,b\n\(base64),\(response)\n", "a and b", "a and b"),
        ("a,b\n1,2\n", "none", "none"), ("a,b\n", "none", "none"), ("a,b", "none", "none"),
        ("a,b\n,\n", "none", "none"),
        // Rows of other lengths.
        ("a,b\n1,\(base64),3\n2,\(base64)\n", "none", "b"), ("a,b\nx\n2,\(base64)\n", "none", "b"),
        ("a,b\n\"x\"y,1\n2,\(base64)\n", "none", "b"),
        // Lines of a log, and JSON that commas cut.
        ("Started, version 3\n{\"status\":0,\"environment\":\"Sandbox\"}\n", "none", "none"),
        ("a,b\n1,{\"status\":21003}\n", "none", "b"), ("hello, world\n{}\n", "none", "none"),
        ("10:15:00,120 started\n10:15:01,130 ended\n", "none", "none"),
        ("receipt,blob\nx,\(base64)\n", "receipt", "receipt"),
        // JSON that is none of Apple's.
        ("meta,blob\n\(json),\(response)\n\(json),\(response)\n", "blob", "blob"),
        ("blob,meta\n\(base64),\(json)\n", "blob", "blob"), ("meta;blob\n\(json);\(base64)\n", "blob", "blob"),
        ("id,meta\n1,\(json)\n", "none", "none"), ("id,meta\n1,\"{\"\"status\"\":0}\"\n", "none", "none"),
        ("a,b\n\(response),\(response)\n", "a and b", "a and b"),
        ("meta,message\n\(json),\"{\"\"body\"\":\"\"\(base64)\"\"}\"\n", "message", "message"),
        ("meta,list\n\(json),\"[{\"\"status\"\":21003}]\"\n", "list", "list"),
        (
            "meta,event\n\(json),\(CSVStreamTests.quoted(#"{"event":"purchased","product_id":"p"}"#))\n", "event",
            "event"
        ),
        ("a,b\n\(response),1\n\(json),2\n", "none", "none"),
    ]

    @Test("One column whose cells are documents needs no name", arguments: texts)
    func findsColumn(_ text: String, _ expected: String, _ announced: String) {
        #expect(Self.outcome(Self.find(text)) == expected)
        #expect(Self.outcome(Self.find(text, isAnnounced: true)) == announced)
    }

    @Test("The answer does not depend on how much is there", arguments: texts)
    func isIndependentOfCuts(_ text: String, _ expected: String, _ announced: String) {
        for isAnnounced in [false, true] {
            for limit in 0...text.utf8.count {
                let answer = Self.outcome(Self.find(text, limit: limit, isAnnounced: isAnnounced, isFinal: false))
                #expect(["undecided", isAnnounced ? announced : expected].contains(answer), "\(limit): \(answer)")
            }
        }
    }

    @Test("Sixteen rows decide, and of long ones the first 256 KiB")
    func samples() {
        let rows = (1...16).map { "\($0),\(Self.base64)\n" }
        for count in 0..<16 {
            #expect(Self.outcome(Self.find("a,b\n" + rows[..<count].joined(), isFinal: false)) == "undecided")
        }
        #expect(Self.outcome(Self.find("a,b\n" + rows.joined(), isFinal: false)) == "b")
        #expect(Self.outcome(Self.find("a,b\n" + rows.joined() + "x,y\n")) == "b")
        #expect(Self.outcome(Self.find("a,b\n" + rows[..<15].joined() + "x,y\n")) == "none")
        for quote in ["", "\""] {
            let long = "a,b\n1,\(quote)\(String(repeating: "MIIT", count: 100_000))"
            for limit in [256 << 10, 300_000, long.utf8.count] {
                #expect(Self.outcome(Self.find(long, limit: limit, isFinal: false)) == "b")
            }
            #expect(Self.outcome(Self.find(long, limit: (256 << 10) - 1, isFinal: false)) == "undecided")
            // The sample ends inside the second row, which does not show yet what it holds.
            let count = (256 << 10) - 14 - 2 * quote.utf8.count
            let two =
                "a,b\n1,\(quote)\(String(repeating: "M", count: 1))\(String(repeating: "I", count: count - 1))\(quote)\n2,\(quote)MIITMIIT"
            #expect(Self.outcome(Self.find(two, isFinal: false)) == "b")
        }
    }

    @Test("A source that pauses is not waited for, once it has a row")
    func pauses() {
        #expect(Self.outcome(Self.find("a,b\n1,\(Self.base64)\n", isFinal: false, isPaused: true)) == "b")
        #expect(Self.outcome(Self.find("a,b\n1,\(Self.base64)\n2,MI", isFinal: false, isPaused: true)) == "b")
        #expect(Self.outcome(Self.find("a,b\n1,MI", isFinal: false, isPaused: true)) == "undecided")
        #expect(Self.outcome(Self.find("a,b\n", isFinal: false, isPaused: true)) == "undecided")
    }

    // MARK: Streams

    private final class Recorder: DocumentConsumer {
        var entries: [String] = []

        func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) {
            for row in 0..<rows.transactions.rowCount {
                entries.append("transaction \(firstDocument + Int(rows.transactions[.document, row] ?? -1))")
            }
        }

        func consume(_ reject: Reject) {
            entries.append(
                "\(reject.diagnostic.code) \(reject.diagnostic.path) \(String(decoding: reject.raw ?? [], as: UTF8.self))"
            )
        }

        func consume(_ warning: TillPipeline.Warning) { entries.append("warning \(warning.text)") }
        func report(_ progress: ReadProgress) {}
    }

    private static func read(_ text: String, _ options: ReadOptions = ReadOptions()) async throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tillroll-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var stream = DocumentStream(try InputFile.expand([file.path]), options: options, consumer: Recorder())
        try await stream.run()
        return stream.consumer.entries.sorted()
    }

    @Test("Rows are read from the column that was found, whatever the size of chunks and the number of workers")
    func readsRows() async throws {
        let rows = (1...40).map {
            $0 % 5 == 0 ? "\($0),hello \($0)" : "\($0),\(CSVStreamTests.quoted(CSVStreamTests.response($0)))"
        }
        let late = ["id,blob"] + rows.prefix(4) + rows.suffix(35).filter { !$0.contains("hello") } + ["x,hello"]
        let text = late.joined(separator: "\n") + "\n"
        let whole = try await Self.read(text)
        #expect(whole.filter { $0.hasPrefix("transaction") }.count == late.count - 2)
        #expect(whole.filter { !$0.hasPrefix("transaction") } == ["sniff.unrecognized blob hello"])
        for jobs in [1, 2] {
            for chunkSize in [1, 7, 100, 1000] {
                #expect(try await Self.read(text, ReadOptions(jobs: jobs, chunkSize: chunkSize)) == whole)
            }
        }
    }

    @Test("Where no column or several hold documents, the run ends with the names of the columns")
    func namesColumns() async throws {
        let csv = ReadOptions(csv: CSVOptions(isAnnounced: true))
        let none = try await #require(throws: Finding.self) { try await Self.read("id,name\n1,x\n", csv) }
        #expect(none.code == "input.csv-header")
        #expect(none.reason.hasSuffix("transaction_receipt in the header, which has id, name; --column names one"))
        let text = "id,old,new\n1,\(Self.base64),\(Self.response)\n"
        for options in [csv, ReadOptions()] {
            let several = try await #require(throws: Finding.self) { try await Self.read(text, options) }
            #expect(
                several.reason == "the columns old, new hold documents; the header has id, old, new; --column names one"
            )
        }
        let named = ReadOptions(csv: CSVOptions(isAnnounced: true, column: "NEW"))
        #expect(try await Self.read(text, named) == ["transaction 1"])
    }
}
