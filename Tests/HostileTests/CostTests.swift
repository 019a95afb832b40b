import Foundation
import Testing
import TillCore
import TillInput
import TillInspect
import TillReceipts
import TillRender
import TillReportModel
import TillRows
import TillTestSupport

@testable import TillPipeline

/// Input that was made to take long: four times as much of it takes about four times as long.
///
/// Each shape is read at one size and at four times that size, and its rejects are written as `--rejects` does. The
/// size is such that reading which looks again at what it has seen, as often as there are lines or brackets, takes ten
/// times as long at least.
@Suite("Time on hostile input", .serialized)
struct CostTests {
    /// A name, bytes of the smaller text, and what it consists of.
    struct Shape: Sendable, CustomStringConvertible {
        var name: String
        var size: Int
        var before: [UInt8] = []
        var unit: [UInt8]
        var after: [UInt8] = []

        var description: String { name }

        init(_ name: String, _ size: Int, _ before: String = "", of unit: String, _ after: String = "") {
            (self.name, self.size) = (name, size)
            (self.before, self.unit, self.after) = (Array(before.utf8), Array(unit.utf8), Array(after.utf8))
        }

        init(_ name: String, _ size: Int, octets: [UInt8]) {
            (self.name, self.size, self.unit) = (name, size, octets)
        }

        func bytes(_ times: Int) -> [UInt8] {
            var bytes = before
            for _ in 0..<max(1, size * times / unit.count) { bytes += unit }
            return bytes + after
        }
    }

    private static let error = "Error Domain=X Code=1 "
    private static let userInfo = error + "UserInfo={"
    /// Base64 of a SEQUENCE of 16 MiB, in a line of 400 digits.
    private static let wide = ReceiptDER.base64(
        [0x30, 0x84, 0x00, 0xFF, 0xFF, 0xFF] + Array(repeating: 0x41, count: 294)
    )
    private static let narrow = ReceiptDER.base64(
        [0x30, 0x84, 0x00, 0xFF, 0xFF, 0xFF] + Array(repeating: 0x41, count: 42)
    )

    /// A failed verification whose receipt is base64 of another, several times.
    private static let failures = (0..<12).reduce("x") { text, _ in
        #"{"status":21003,"receipt":"\#(ReceiptDER.base64(Array(text.utf8)))"}"#
    }

    static let shapes: [Shape] = [
        // Entries of a log.
        Shape("errors inside one another, in one line", 400_000, of: userInfo),
        Shape("beginnings of errors inside one, in one line", 400_000, userInfo, of: "Error Domain="),
        Shape("errors that are never closed", 24_000, of: "x \(userInfo)\n"),
        Shape("errors that are never closed, and braces", 24_000, of: "x \(userInfo)}{\n"),
        Shape("errors in quotes that are never closed", 30_000, of: "x \(error)\"a\n"),
        Shape("errors that are never closed, in a string", 24_000, #"{"Payload":""#, of: "x \(userInfo)\\n", "\"}"),
        Shape("a code of many digits", 100_000, "x Error Domain=X Code=", of: "1"),
        Shape("words that end like codes", 50_000, "a ", of: "DOMAIN1_"),
        // Names of errors, of which the first 64 KiB of a text are searched.
        Shape("names of a domain", 16_000, "a ", of: "SKErrorDomain"),
        Shape("names of a domain, apart", 16_000, "a ", of: "SKErrorDomain "),
        Shape("names of a domain and numbers", 16_000, "a ", of: "SKErrorDomain 1.5 a 2 b "),
        Shape("names of types", 16_000, "a ", of: "StoreKit.Product.PurchaseError "),
        Shape("generic arguments", 16_000, "a ", of: "<A>.VerificationError"),
        Shape("types inside one another", 16_000, "a ", of: "VerificationResult<A."),
        Shape("cases inside one another", 16_000, "a ", of: "StoreKitError.networkError("),
        Shape("parentheses behind an error", 16_000, "a SKErrorDomain 2 ", of: "("),
        Shape("parentheses", 16_000, "a ", of: "("), Shape("beginnings of errors", 16_000, "a ", of: "Error Domain="),
        Shape("names of one SDK", 16_000, "a ", of: "E_UNKNOWN "),
        Shape("names of another SDK", 16_000, "a ", of: "storekit_"),
        Shape("names of a third SDK", 16_000, "a ", of: "FailureReason reason UserCancelledx "),
        Shape("capitals", 16_000, "a ", of: "E"),
        // Texts of errors.
        Shape("hyphens in a text", 20_000, "\(error)\"", of: "a-", "\""),
        Shape("names of headers in a text", 20_000, "\(error)\"", of: "x-apple-", "\""),
        Shape("queries in a text", 20_000, "\(error)\"", of: "?a", "\""),
        Shape("hexadecimal digits in a text", 20_000, "\(error)\"", of: "0123456789abcdef-", "\""),
        // Property lists.
        Shape("lists that are never closed, of quotes", 12_000, of: "{a=\"\\\"\n"),
        Shape("lists that are never closed, of one quote", 12_000, of: "{a=\"\n"),
        Shape("lists that are never closed", 6_000, of: "{a=\n"),
        Shape("lists that are never closed, of pairs", 8_000, of: "{a={\n"),
        Shape("lists that are never closed, of lists", 8_000, of: "{a=(\"\\\"\n"),
        Shape("lists in a string", 40_000, #"{"Payload":""#, of: "{a=b;}", "\"}"),
        Shape("comments that are never closed", 50_000, "{a=b;", of: "/* "),
        // Base64.
        Shape("wide lines of base64 that ask for more", 100_000, of: wide + "\n"),
        Shape("wide lines of base64, of two widths", 100_000, of: wide + "\n" + wide + "AAAA\n"),
        Shape("narrow lines of base64 that ask for more", 60_000, of: narrow + "\n"),
        Shape("narrow lines of base64 and blank ones", 60_000, of: narrow + "\n\n\n\n\n\n\n\n!\n"),
        Shape("base64 with backslashes", 50_000, of: "AAAAAAAAAAAAAAAAAAAAAAAA\\"),
        Shape("periods behind the beginning of a JWS", 50_000, "eyJ", of: "."),
        Shape(
            "receipts of one failed verification",
            200_000,
            #"{"status":21003,"a":["#,
            of: #""\#(narrow)","#,
            #"0]}"#
        ),
        Shape("failed verifications inside one another, in base64", 20_000, octets: Array(failures.utf8)),
        Shape("answers without elements", 100_000, #"{"a":["#, of: #"{"signedTransactions":[]},"#, "0]}"),
        Shape("JWS in an array", 20_000, #"{"signedTransactions":["#, of: #""eyJhIjoxfQ.eyJhIjoxfQ.AA","#, #"""]}"#),
        Shape("beginnings of PEM", 20_000, of: "-----BEGIN PKCS7-----\n"),
        Shape("PEM without an end", 60_000, "-----BEGIN PKCS7-----\n", of: "MIICMIICMIICMIIC\n"),
        // JSON.
        Shape("objects that are never closed", 3_000, of: "{\"a\":\n"),
        Shape("objects inside one another", 50_000, of: "{\"a\":"),
        Shape("arrays that are never closed", 50_000, of: "["),
        Shape("arrays inside objects", 6_000, of: "{\"a\":[[[[\n"),
        Shape("quotes", 6_000, of: "\"\n"), Shape("escaped quotes", 50_000, "\"", of: "\\\""),
        Shape("a long key", 24_000, "{\"", of: "\\u0061", "\":1}"),
        Shape("a number of many digits", 100_000, #"{"status":"#, of: "1", "}"),
        Shape("a price of many digits", 100_000, #"{"event":"purchased","price":1"#, of: "0", "}"),
        Shape("defects in a string", 6_000, #"{"Payload":"{\"status\":21003}"#, of: "{x}", "\"}"),
        Shape(
            "defects in a string, of a response",
            10_000,
            #"{"Payload":"{\"status\":21003}"#,
            of: #"{\"status\":x}"#,
            "\"}"
        ),
        Shape("broken documents in one line", 6_000, of: "{x}"),
        // XML and delimited text.
        Shape("tags in a property list", 40_000, "<plist>", of: "<dict>"),
        Shape("beginnings of property lists", 12_000, of: "<plist>\n"),
        Shape("lines in a text of a property list", 40_000, "<plist><string>", of: "\n a"),
        Shape("base64 in a property list", 60_000, "<plist><dict>\nMI", of: "A"),
        Shape("attributes", 40_000, "<plist ", of: "a=\"b\" "),
        Shape("quotes in a cell", 40_000, "id,receipt\n", of: "\""),
        Shape("rows that are not closed", 20_000, "id,receipt\n", of: "1,\"a\n"),
        Shape("separators", 40_000, "id,receipt\n", of: ","),
        // Secrets.
        Shape("names of secrets", 40_000, of: "password="),
        Shape("quoted names of secrets", 40_000, of: "\"password\":\""),
        Shape("tags of secrets", 40_000, of: "<password "),
        Shape("names of secrets that go on", 40_000, of: "\"password for "),
        Shape("names of secrets that go on in one string", 40_000, "\"", of: "password, "),
        Shape("long names of secrets", 40_000, of: "password."),
        Shape("a name that is never closed", 100_000, "\"password", of: " of the shop"),
        Shape("headers in one line", 40_000, of: "Cookie: a=\"b "),
        Shape("a value with commas", 50_000, "x password=", of: "a,"),
        Shape("a value with line feeds", 50_000, "{\"a\":\"Cookie: b", of: "\\n"),
        Shape("a value with brackets", 50_000, "x password=", of: "a(b)"),
        Shape("a name and backslashes", 50_000, "password", of: "\\"),
        Shape("percent signs", 50_000, "password%", of: "25"), Shape("lists of secrets", 40_000, of: "password:["),
        // Bytes.
        Shape("zeros", 100_000, octets: [0]), Shape("zeros in lines", 20_000, octets: [0, 0, 0, 0x0A]),
        Shape("byte order marks", 60_000, octets: [0xEF, 0xBB, 0xBF]),
        Shape("byte order marks of UTF-16", 60_000, octets: [0xFF, 0xFE]),
        Shape("BER of indefinite length", 60_000, octets: [0x30, 0x80]),
        Shape("short DER", 20_000, octets: [0x30, 0x81, 0]),
        Shape("short lines", 10_000, of: "x\n"), Shape("white space", 100_000, of: " \t\r\n"),
        Shape("statements with responses, in one line", 30_000, of: "(1,'{\"status\":21003}'),"),
        Shape("UTF-16", 40_000, octets: Array("{\"status\":21003}\n".utf8).flatMap { [$0, 0] }),
    ]

    @Test("Four times as much takes no more than some four times as long", arguments: shapes)
    func readsInLinearTime(_ shape: Shape) throws {
        let (small, large) = (shape.bytes(1), shape.bytes(4))
        Self.expectLinear(shape.name) { isLarge in Self.read(isLarge ? large : small) }
    }

    @Test("Showing a hostile document takes time in proportion to its length", arguments: shapes)
    func showsInLinearTime(_ shape: Shape) throws {
        let (small, large) = (shape.bytes(1), shape.bytes(4))
        Self.expectLinear(shape.name) { isLarge in Self.show(isLarge ? large : small) }
    }

    /// Characters that act on a terminal, or that nobody sees.
    static let unseen = ["\0", "\u{FEFF}", "\"\t", "\u{202E}"]

    @Test("Spelling out invisible characters takes time in proportion to the text", arguments: unseen)
    func spellsOutInLinearTime(_ unit: String) {
        let (small, large) = (String(repeating: unit, count: 60_000), String(repeating: unit, count: 240_000))
        Self.expectLinear(unit.madeVisible) { isLarge in
            #expect((isLarge ? large : small).madeVisible.utf8.count >= 180_000)
        }
    }

    /// Reads all of `bytes`, and writes what is rejected.
    private static func read(_ bytes: [UInt8]) {
        var reader = DocumentReader()
        let padded = bytes + Array(repeating: 0, count: ByteBuffer.padding)
        let summary = read(padded, with: &reader)
        var (line, repeats) = (RejectLine(), RepeatedRejects())
        var count = 0
        for reject in summary.rejects {
            let position = SourcePosition(source: "s", line: reject.line, offset: reject.offset, length: reject.length)
            let whole = Reject(
                document: reject.ordinal + 1,
                position: position,
                diagnostic: reject.diagnostic,
                kind: reject.kind,
                raw: reject.bytes(in: padded.span.bytes) ?? []
            )
            line.write(whole, withRaw: repeats.keepsRaw(of: whole)) { count += $0.count }
        }
        #expect(summary.documents == summary.accepted + summary.rejects.count && count >= summary.rejects.count)
    }

    private static func read(_ padded: [UInt8], with reader: inout DocumentReader) -> DocumentReader.Summary {
        let limit = padded.count - ByteBuffer.padding
        var rows = RowBatch()
        let header = CSVHeader.find(
            in: padded.span.bytes,
            limit: limit,
            wanted: CSVHeader.usualColumns,
            isAnnounced: false,
            isFinal: true
        )
        if case .header(let header) = header { reader.csvHeader = header }
        return reader.read(padded.span.bytes, limit: limit, streamOffset: 0, isFinal: true, into: &rows)
    }

    /// Reads all of `bytes`, and shows what is in each document.
    private static func show(_ bytes: [UInt8]) {
        var reader = DocumentReader()
        reader.keepsTraces = true
        _ = read(bytes + Array(repeating: 0, count: ByteBuffer.padding), with: &reader)
        var inspector = Inspector()
        let renderer = InspectionTextRenderer(options: InspectionOptions())
        let rows = RowBatch()
        var count = 0
        for trace in reader.traces {
            let place = InspectedDocument.Place(
                source: "s",
                number: trace.ordinal + 1,
                line: trace.line,
                offset: trace.offset
            )
            count += renderer.render(inspector.inspect(trace, at: place, rows: rows), isFirst: true).count
        }
        #expect(count >= reader.traces.count)
    }

    /// The least of a few times is compared, since whatever else runs on the machine only adds to them.
    private static func expectLinear(_ name: String, _ work: (_ isLarge: Bool) -> Void) {
        var (small, large) = (Double.infinity, Double.infinity)
        for _ in 0..<4 {
            small = min(small, seconds { work(false) })
            large = min(large, seconds { work(true) })
            // What takes next to no time cannot be told from the time of starting.
            if large < 7 * small || large < 0.02 { return }
        }
        Issue.record("\(name): \(small) s, and \(large) s for four times as much")
    }

    /// Time of the processor for this thread, which no other test takes.
    private static func seconds(_ work: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        work()
        return now() - start
    }
}
