import Testing
import TillTestSupport

/// Generated pairs of request and response in an object, each of which is one verification. `CorpusTests` has others.
@Suite("Pairs in envelopes")
struct EnvelopePairTests {
    private static let receipts = (1...4).map { ReceiptDER.sample(purchases: $0).base64 }
    private static let sandbox = #"{"status":21007}"#
    private static let success = #"{"status":0,"receipt":{"bundle_id":"b","in_app":[{"transaction_id":"7"}]}}"#

    private static func quoted(_ text: String) -> String { Unsigned.quoted(text) }

    private static func form(_ receipt: Int) -> String {
        "receipt-data=\(receipts[receipt].replacing("+", with: "%2B"))&password=x"
    }

    private static func request(_ receipt: Int) -> String {
        #"{"receipt-data":"\#(receipts[receipt])","password":"x"}"#
    }

    /// The pair key of a receipt whose pair is in no envelope.
    private static func key(_ receipt: Int) -> String? {
        SignedReading(#"{"request":\#(request(receipt)),"response":\#(sandbox)}"#).documents.first?["pair_key"]
    }

    @Test("Any number of pairs in any arrangement are as many documents, with the keys of their receipts")
    func keepsKeysOfMany() {
        var random = SplitMix64(seed: 4)
        let keys = (0..<4).map(Self.key)
        for _ in 0..<300 {
            let pairs = (0...random.below(4)).map { _ in (receipt: random.below(4), isSuccess: random.once(in: 2)) }
            let requests = pairs.map { pair in
                let request = Self.request(pair.receipt)
                return [request, Self.quoted(request), Self.quoted(Self.form(pair.receipt))][random.below(3)]
            }
            let responses = pairs.map { pair in
                let response = pair.isSuccess ? Self.success : Self.sandbox
                return random.once(in: 2) ? response : Self.quoted(response)
            }
            let text = Self.arrange(requests, responses, random.below(4))
            let reading = SignedReading(text)
            #expect(reading.documents.map { $0["status"] } == pairs.map { $0.isSuccess ? "0" : "21007" }, "\(text)")
            #expect(reading.documents.map { $0["pair_key"] } == pairs.map { keys[$0.receipt] }, "\(text)")
        }
    }

    /// Requests and responses in turn, the requests first, or an object for each pair in a list or under a name.
    private static func arrange(_ requests: [String], _ responses: [String], _ arrangement: Int) -> String {
        func joined(_ element: (Int) -> String) -> String { requests.indices.map(element).joined(separator: ",") }
        func request(_ index: Int) -> String { #""q\#(index)":\#(requests[index])"# }
        func response(_ index: Int) -> String { #""r\#(index)":\#(responses[index])"# }
        return switch arrangement {
        case 0: "{" + joined { request($0) + "," + response($0) } + "}"
        case 1: "{" + joined(request) + "," + joined(response) + "}"
        case 2:
            #"{"list":["#
                + joined { #"{"request":{"body":\#(requests[$0])},"response":{"body":\#(responses[$0])}}"# } + "]}"
        default: "{" + joined { #""p\#($0)":{"q":\#(requests[$0]),"r":\#(responses[$0])}"# } + "}"
        }
    }
}
