import Foundation
import Testing
import TillInput
import TillTestSupport

/// Documents in generated envelopes. `CorpusTests` has the envelopes that teams use.
@Suite("Envelopes")
struct EnvelopeTests {
    private static let transaction =
        #"{"transactionId":"7","originalTransactionId":"7","productId":"p","bundleId":"b","purchaseDate":1772442600000}"#
    private static let jws = Unsigned.jws(transaction)
    private static let other = Unsigned.jws(transaction.replacing("7", with: "8"))
    private static let response =
        #"{"status":0,"receipt":{"bundle_id":"b","in_app":[{"transaction_id":"7","product_id":"p","#
        + #""purchase_date_ms":"1772442600000","quantity":"1"}]}}"#
    private static let notification = Unsigned.jws(
        #"{"notificationType":"DID_RENEW","notificationUUID":"u","data":{"bundleId":"b","signedTransactionInfo":"\#(jws)"}}"#
    )
    private static let receipt = ReceiptDER.sample().base64

    private static func quoted(_ text: String) -> String { Unsigned.quoted(text) }

    private static func base64(_ text: String) -> String {
        String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self)
    }

    // MARK: Limits

    /// A text with two documents, and whether a limit of the search is before the second document.
    static let searched: [(String, Bool)] = {
        func deep(_ levels: Int) -> String {
            let inner =
                String(repeating: #"{"a":"#, count: levels) + #""\#(other)""# + String(repeating: "}", count: levels)
            return #"{"first":"\#(jws)","second":\#(inner)}"#
        }
        func packed(_ spaces: Int) -> String {
            let bytes = Gzip.member(Array(repeating: 0x20, count: spaces) + Array(#"{"t":"\#(other)"}"#.utf8))
            return #"{"first":"\#(jws)","second":"\#(String(decoding: Base64.encode(bytes), as: UTF8.self))"}"#
        }
        return [
            (deep(29), false), (deep(30), true), (deep(100), true), (packed(1 << 20), false), (packed(17 << 20), true),
        ]
    }()

    @Test("A document after a limit of the search is a reject beside the documents before it", arguments: searched)
    func rejectsAfterLimits(_ text: String, _ isLimited: Bool) {
        let raw = Array(text.utf8)
        let reading = SignedReading(text)
        #expect(reading.transactions.map { $0["transaction_id"] } == (isLimited ? ["7"] : ["7", "8"]))
        #expect(reading.codes == (isLimited ? ["document.search"] : []))
        #expect(reading.rejects.allSatisfy { $0.raw == raw })
        let alone = SignedReading(text.replacing(Self.jws, with: "none"))
        #expect(alone.codes == (isLimited ? ["sniff.unrecognized"] : []))
        // The reject of an earlier run is the same reject again, and its first document is not read twice.
        guard isLimited else { return }
        let line =
            #"{"source":"a","document":2,"line":1,"offset":0,"length":\#(raw.count),"code":"document.search","reason":"","path":"","#
            + #""inner_offset":0,"kind":null,"raw":\#(Self.quoted(text)),"raw_encoding":"utf8"}"#
        let again = SignedReading(line)
        #expect(again.codes == ["document.search"] && again.accepted == 0)
    }

    @Test("The time to search broken JSON in broken JSON grows as its length, and does not double with each level")
    func isLinear() {
        for wrap: @Sendable (String) -> String in [
            { #"{"a":"\#(Self.base64($0))" x"# }, { #"{"a":\#(Self.quoted($0)) x"# },
        ] {
            var text = String(repeating: "x", count: 2000)
            for _ in 0..<14 { text = wrap(text) }
            let took = ContinuousClock().measure { #expect(SignedReading(text).accepted == 0) }
            #expect(took < .seconds(60), "\(text.utf8.count) bytes")
        }
    }

    // MARK: Stacks of envelopes

    /// Envelopes around a text, which also go around each other.
    private static let envelopes: [(name: String, wrap: @Sendable (String) -> String)] = [
        ("member", { #"{"id":1,"payload":\#(json($0))}"# }),
        ("body", { #"{"headers":{"a":"b"},"body":\#(quoted($0))}"# }),
        ("Records", { #"{"Records":[{"messageId":"m","body":\#(quoted($0))}]}"# }),
        ("SNS", { #"{"Type":"Notification","Message":\#(quoted($0)),"Timestamp":"2026-03-02T10:15:00Z"}"# }),
        ("Pub/Sub", { #"{"message":{"data":"\#(base64($0))","messageId":"1"}}"# }),
        ("hits", { #"{"hits":{"hits":[{"_id":"a","_source":{"doc":\#(json($0))}}]}}"# }),
        ("logEvents", { #"{"logEvents":[{"id":"1","message":\#(quoted($0))}]}"# }),
        ("docker", { #"{"log":\#(quoted($0 + "\n")),"stream":"stdout"}"# }),
        ("response", { #"{"request":{"method":"POST"},"response":{"status":200,"body":\#(quoted($0))}}"# }),
        ("DynamoDB", { #"{"Item":{"pk":{"S":"x"},"doc":{"S":\#(quoted($0))}}}"# }),
        ("data URI", { #"{"url":"data:application/json;base64,\#(base64($0))"}"# }),
        ("line", { "2026-03-02T10:15:00Z stdout F " + oneLine($0) }),
        ("assignment", { "const body = " + oneLine($0) + ";" }),
    ]

    /// A text as a JSON value: itself where it is JSON.
    private static func json(_ text: String) -> String { text.hasPrefix("{") ? text : quoted(text) }

    /// JSON in a line as it is, other text as a string of JSON in an object.
    private static func oneLine(_ text: String) -> String {
        text.hasPrefix("{") ? text : #"{"text":\#(quoted(text))}"#
    }

    private static let payloads: [(String, String)] = [
        ("JWS", jws), ("response", response), ("failed response", #"{"status":21003,"environment":"Sandbox"}"#),
        ("notification", #"{"signedPayload":"\#(notification)"}"#), ("payload", transaction), ("receipt", receipt),
        (
            "event",
            #"{"v":1,"ts":"2026-03-02T10:15:00Z","event":"failed","product_id":"p","error":{"domain":"SKErrorDomain","code":2}}"#
        ),
    ]

    @Test("Any payload in any stack of up to four envelopes gives the rows of the payload", arguments: payloads)
    func stacks(_ name: String, _ payload: String) {
        let bare = SignedReading(payload)
        #expect(bare.accepted == 1)
        let indices = Self.envelopes.indices
        var stacks = indices.map { [$0] } + indices.flatMap { outer in indices.map { [$0, outer] } }
        var random = SplitMix64(seed: 19)
        for count in [3, 4] {
            stacks += (0..<150).map { _ in (0..<count).map { _ in random.below(indices.count) } }
        }
        for stack in stacks {
            let text = stack.reduce(payload) { Self.envelopes[$1].wrap($0) }
            let reading = SignedReading(text)
            let what = "\(name) in \(stack.map { Self.envelopes[$0].name })"
            #expect(reading.transactions == bare.transactions, "\(what): \(reading.rejects)")
            #expect(reading.events == bare.events && reading.renewals == bare.renewals, "\(what)")
            #expect(reading.accepted == 1 && reading.codes.isEmpty, "\(what): \(reading.rejects)")
        }
    }
}
