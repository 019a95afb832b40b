import Foundation
import Testing
import TillInput
import TillReportModel
import TillTestSupport

/// The layers that `inspect` names for documents inside envelopes.
@Suite("Layers of envelopes")
struct EnvelopeLayerTests {
    private static let response = #"{"status":0,"receipt":{"bundle_id":"b","in_app":[{"transaction_id":"7"}]}}"#
    private static let receipt = ReceiptDER.sample().base64
    private static let jws = [#"{"alg":"ES256"}"#, #"{"transactionId":"7","originalTransactionId":"7"}"#, "0123456789"]
        .map { base64($0).replacing("=", with: "") }.joined(separator: ".")

    private static func base64(_ text: String) -> String {
        String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self)
    }

    private static func gzip(_ text: String) -> String {
        String(decoding: Base64.encode(Gzip.member(Array(text.utf8))), as: UTF8.self)
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + String(Int(byte) + 0x100, radix: 16).dropFirst().uppercased()
        }
        .joined()
    }

    /// The names of the layers of the only document, those of its format left out.
    private static func names(_ text: String) -> [String] {
        let documents = Inspecting(text).documents
        #expect(documents.count == 1 && documents.allSatisfy { $0.defect == nil }, "\(text)")
        return documents.first?.layers.dropLast().map(\.name) ?? []
    }

    static let envelopes: [(String, [String])] = [
        (#"{"message":{"data":"\#(base64(response))","messageId":"1"}}"#, ["JSON object", "base64", "JSON object"]),
        (
            #"{"awslogs":{"data":"\#(gzip(#"{"logEvents":[{"message":\#(quoted(response))}]}"#))"}}"#,
            ["JSON object", "base64", "gzip", "JSON object", "JSON string", "JSON object"]
        ),
        (
            #"{"Records":[{"kinesis":{"data":"\#(base64("[INFO] \(response)"))"}}]}"#,
            ["JSON object", "base64", "text", "JSON object"]
        ),
        (
            #"{"isBase64Encoded":true,"body":"\#(base64("receipt-data=%4D\(receipt.dropFirst())&password=x"))"}"#,
            ["JSON object", "base64", "form", "URL-encoding", "base64", "BER"]
        ),
        (
            #"{"body":"receipt=\#(percentEncoded(response))"}"#, ["JSON object", "form", "URL-encoding", "JSON object"]
        ),
        (
            #"{"a":"data:application/json;base64,\#(base64(response))"}"#,
            ["JSON object", "data URI", "base64", "JSON object"]
        ),
        (
            #"{"a":"data:application/json,\#(percentEncoded(response))"}"#,
            ["JSON object", "data URI", "URL-encoding", "JSON object"]
        ),
        (#"{"a":\#(quoted(quoted(response)))}"#, ["JSON object", "JSON string", "JSON string", "JSON object"]),
        ("body=\(quoted(response))", ["text", "JSON string", "JSON object"]),
        (#"{"a":\#(quoted("[\(response)]"))}"#, ["JSON object", "JSON string", "JSON array", "JSON object"]),
        ("got \(jws) from the app", ["text", "JWS", "JSON object"]),
        (#"{"receipt-data":"\u004D\#(receipt.dropFirst())"}"#, ["JSON object", "JSON string", "base64", "BER"]),
        (
            "\\x" + ReceiptDER.sample().der.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined(),
            [
                "hexadecimal digits", "BER",
            ]
        ),
        (
            #"{"Item":{"status":{"N":"0"},"receipt":{"M":{"in_app":{"L":[]},"bundle_id":{"S":"b"}}}}}"#,
            ["JSON object", "typed values", "JSON object", "JSON object"]
        ),
        (
            #"{"a":\#(quoted(#"body={"b":\#(quoted(response))}"#))}"#,
            [
                "JSON object", "JSON string", "text", "JSON object", "JSON string", "JSON object",
            ]
        ),
        (
            #"{"a":\#(quoted("received " + response.replacing("\"", with: "\\\"")))}"#,
            ["JSON object", "JSON string", "text", "escaped text", "JSON object"]
        ),
        ("[\"x\"]: \(response)", ["text", "JSON object"]),
    ]

    @Test("Every layer that was taken off is named, outermost first", arguments: envelopes)
    func namesLayers(_ text: String, _ expected: [String]) { #expect(Self.names(text) == expected, "\(text)") }

    @Test("A layer says which members lead to it, from the layer around it")
    func tellsMembers() {
        let message = Self.base64(#"{"Records":[{"body":\#(Self.quoted(Self.response))}]}"#)
        let layers = Inspecting(#"{"message":{"data":"\#(message)"}}"#).documents.first?.layers ?? []
        #expect(
            layers.map { String($0.evidence.prefix(26)) }.prefix(5) == [
                "begins with `{`", "in `message › data`: stand", "begins with `{`", "in `Records[0] › body`: a ",
                "begins with `{`",
            ]
        )
    }

    @Test("Every document of an envelope has the layers around it")
    func namesLayersOfAll() {
        let text = Self.base64(#"{"list":["\#(Self.jws)","\#(Self.jws)"]}"#)
        let documents = Inspecting(#"{"message":{"data":"\#(text)"}}"#).documents
        let expected = ["JSON object", "base64", "JSON object", "JWS", "JSON object"]
        #expect(documents.map { $0.layers.dropLast().map(\.name) } == [expected, expected])
    }

    private typealias Wrapper = (names: [String], wrap: @Sendable (String) -> String)

    /// Ways to put a text into another, and the layers that they add. The text is never taken over as JSON, which would
    /// be no layer.
    private static let wrappers: [Wrapper] = [
        (["JSON object", "JSON string"], { #"{"id":"\n","body":\#(quoted($0))}"# }),
        (["JSON object", "base64"], { #"{"message":{"data":"\#(base64($0))"}}"# }),
        (["JSON object", "base64", "gzip"], { #"{"awslogs":{"data":"\#(gzip($0))"}}"# }),
        (["JSON object", "data URI", "base64"], { #"{"url":"data:text/plain;base64,\#(base64($0))"}"# }),
        (["JSON object", "form", "URL-encoding"], { #"{"body":"a=b&data=\#(percentEncoded($0))"}"# }),
        (["text"], { "2026-03-02T10:15:00Z stdout F got \($0)" }),
    ]

    @Test("Any stack of up to four wrappings is named layer by layer", arguments: Seeds.some(of: UInt64(0)..<20))
    func namesStacks(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<20 {
            var (text, names) = (Self.response, ["JSON object"])
            for _ in 0...random.below(4) {
                let wrapper = Self.wrappers[random.below(Self.wrappers.count)]
                // A line around a line is one line.
                if wrapper.names == ["text"], names.first == "text" { continue }
                text = wrapper.wrap(text)
                names = wrapper.names + names
            }
            #expect(Self.names(text) == names, "\(text)")
        }
    }
}
