import Foundation
import Testing
import TillColumns
import TillCore
import TillInput
import TillReceipts
import TillRows
import TillTestSupport

/// Receipts in text of any other kind.
@Suite("Runs of base64 in other text")
struct TextRunTests {
    private struct Result: Equatable {
        var accepted = 0
        var lines = 0
        var consumed = 0
        var transactions = 0
        /// Code, line, offset and bytes of each reject.
        var rejects: [String] = []
    }

    private static func read(_ text: String, step: Int? = nil, limit: Int = .max) -> Result {
        let bytes = Array(text.utf8)
        var reader = DocumentReader(documentLimit: limit)
        reader.findsRuns = true
        var (result, position, end) = (Result(), 0, 0)
        repeat {
            end = min(bytes.count, end + (step ?? max(1, bytes.count)))
            let padded = Array(bytes[position..<end]) + Array(repeating: 0, count: ByteBuffer.padding)
            var rows = RowBatch()
            let summary = reader.read(
                padded.span.bytes,
                limit: end - position,
                streamOffset: position,
                isFinal: end == bytes.count,
                into: &rows
            )
            #expect(summary.documents == summary.accepted + summary.rejects.total)
            result.rejects += summary.rejects.map { reject in
                let raw = String(decoding: reject.bytes(in: padded.span.bytes) ?? [], as: UTF8.self)
                return
                    "\(reject.diagnostic.code) line \(result.lines + reject.line) @ \(position + reject.offset) \(raw)"
            }
            result.accepted += summary.accepted
            result.lines += summary.lines
            result.transactions += rows.transactions.rowCount
            position += summary.consumed
        } while end < bytes.count
        result.consumed = position
        return result
    }

    private static let base64 = ReceiptDER.sample().base64
    private static let hexadecimal = ReceiptDER.sample().der.map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    .joined()
    private static let jws = signed(#"{"transactionId":"1","productId":"p","purchaseDate":1772446500000}"#)

    private static func signed(_ payload: String) -> String {
        [#"{"alg":"ES256","x5c":[]}"#, payload, "signature that is none"].map { text in
            String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self).replacing("=", with: "")
                .replacing("+", with: "-").replacing("/", with: "_")
        }
        .joined(separator: ".")
    }

    private static func wrapped(_ width: Int, _ lineEnd: String) -> String {
        ReceiptDER.base64(ReceiptDER.sample().der, width: width, lineEnd: lineEnd)
    }

    private static func wrapped(jws width: Int, _ lineEnd: String) -> String {
        var lines: [String] = []
        var rest = Substring(jws)
        while !rest.isEmpty {
            lines.append(String(rest.prefix(width)))
            rest = rest.dropFirst(width)
        }
        return lines.joined(separator: lineEnd)
    }

    /// Texts around one document.
    static let texts = [
        "INSERT INTO `r` VALUES (17,'\(base64)','2026-03-02'),(18,NULL,'');\n",
        "COPY r FROM stdin;\n17\t\(base64)\t\\N\n\\.\n",
        "17\t\\\\x\(hexadecimal)\t2026\n", "17,\\x\(hexadecimal)", "VALUES (0x\(hexadecimal));", "X'\(hexadecimal)'",
        "('\(wrapped(76, "\n"))')", "('\(wrapped(64, "\r\n"))')", "('\(wrapped(76, "\\n"))','x')",
        "\"\(wrapped(76, "\\r\\n"))\"", "body: |\n    \(wrapped(60, "\n    "))\nnext: 1\n",
        "-----BEGIN PKCS7-----\n\(wrapped(64, "\n"))\n-----END PKCS7-----\n",
        "\(wrapped(76, "\n"))\nother text follows\n",
        "receipt=\(base64)&password=x",
        "receipt-data%3D\(base64.replacing("+", with: "%2B").replacing("=", with: "%3D"))%26a",
        "{\"a\":\"\(base64.replacing("/", with: "\\/"))\"}", "{\"a\":\"x\\n\(base64)\"}", "\\u0022\(base64)\\u0022",
        "[INFO] token: \(jws), done\n", "The token is \(jws).", "\(jws)", "a\n\(wrapped(jws: 76, "\n"))\n",
        "<string>\(base64)</string>", "hash \(String(repeating: "0123456789abcdef", count: 4))\n\(base64)\n",
    ]

    @Test("A run that begins as a document does is one, and other text is passed over", arguments: texts)
    func finds(_ text: String) {
        let result = Self.read(text)
        #expect(result.accepted == 1 && result.rejects.isEmpty, "\(result)")
        #expect(result.transactions == (text.contains(Self.jws.prefix(30)) ? 1 : 2))
        #expect(result.consumed == text.utf8.count)
        #expect(result.lines == text.utf8.count { $0 == 0x0A })
        for step in [1, 2, 7, 64, 500] { #expect(Self.read(text, step: step) == result, "step \(step)") }
    }

    @Test("Documents on lines of their own are not joined")
    func keepsLinesApart() {
        let text = "\(Self.base64)\n\(Self.base64)\n\(Self.jws)\n\(Self.jws)\n\(Self.wrapped(76, "\n"))\n\(Self.jws)"
        let result = Self.read(text)
        #expect(result.accepted == 6 && result.transactions == 9 && result.rejects.isEmpty)
        for step in [1, 100, 1000] { #expect(Self.read(text, step: step) == result) }
    }

    @Test("Text without runs gives neither documents nor rejects")
    func findsNothing() {
        let other = Self.signed(#"{"iss":"x","aud":"appstoreconnect-v1","iat":1772446500}"#)
        let certificate = "MIIEpAIBAAKCAQEA" + String(repeating: "abcd", count: 100)
        for text in [
            "", "hello\n", "MIIT MIIT\n", String(repeating: "a", count: 5000), String(repeating: "\\", count: 500),
            String(repeating: "\\n", count: 500), "{\"status\":0}\n", String(repeating: "=", count: 100),
            "MI" + "*" + Self.base64.dropFirst(3), "Bearer \(other)\n", "key '\(certificate)'",
            "MIIDxDCCA2ugAwIBAgIQ" + String(repeating: "abcd", count: 100),
        ] {
            let result = Self.read(text)
            #expect(result.accepted == 0 && result.rejects.isEmpty, "\(text.prefix(40))")
            #expect(result.consumed == text.utf8.count)
            for step in [1, 3, 100] { #expect(Self.read(text, step: step) == result) }
        }
    }

    @Test("A run that cannot be read is a reject with its place and its bytes")
    func rejects() {
        let cut = String(Self.base64.prefix(100))
        let text = "a\nb '\(cut)' '\(Self.base64)'\n"
        let result = Self.read(text)
        #expect(result.accepted == 1)
        #expect(result.rejects == ["ber.truncated line 1 @ 5 \(cut)"])
        for step in [1, 64] { #expect(Self.read(text, step: step) == result) }
        #expect(
            Self.read(text, limit: 120).rejects.map { $0.prefix(18) } == ["ber.truncated line", "document.too-large"]
        )
        let lines = String(Self.wrapped(76, "\n").prefix(153))
        #expect(Self.read("x \(lines)'").rejects == ["ber.truncated line 0 @ 2 \(lines)"])
    }

    @Test("A row of periods is none, and takes no longer than other text", .atMost(minutes: 1))
    func readsPeriods() {
        let periods = String(repeating: ".", count: 2 << 20)
        let result = Self.read("a\(periods)b '\(Self.base64)' .\(Self.base64). ..\(Self.base64) \(periods)")
        #expect(result.accepted == 3 && result.rejects.isEmpty)
    }

    @Test("The sample of a dump holds four documents")
    func readsSample() throws {
        let bytes = try Fixtures.bytes(Fixtures.samples.appending(path: "text/dump.sql"))
        let result = Self.read(String(decoding: bytes, as: UTF8.self))
        #expect(result.accepted == 4 && result.rejects.isEmpty)
    }
}
