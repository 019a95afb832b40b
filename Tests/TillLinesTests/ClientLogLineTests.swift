import Testing

@Suite("Lines of client logs")
struct ClientLogLineTests {
    /// A line, then what it becomes: domain, code, class, message.
    static let forms: [(String, [String?])] = [
        (
            "FailedTransaction Code=0 Cannot connect to iTunes Store",
            ["SSErrorDomain", "0", "store", "Cannot connect to iTunes Store"]
        ),
        ("FailedTransaction Code=5002 An unknown error", ["SSServerErrorDomain", "5002", "store", "An unknown error"]),
        ("FailedTransaction Code=5020", ["SSServerErrorDomain", "5020", "auth", nil]),
        ("FailedTransaction Code=-1009 offline", ["NSURLErrorDomain", "-1009", "network", "offline"]),
        ("FailedTransaction Code=424242 what", [nil, "424242", "unknown", "what"]),
        (#"Error Domain=SKErrorDomain Code=5 "weg" UserInfo={}"#, ["SKErrorDomain", "5", "catalogue", "weg"]),
        (#"Error Domain=com.example.shop Code=-7 "(null)""#, ["com.example.shop", "-7", "unknown", nil]),
        (#"x=y: (Error Domain=SKErrorDomain Code=4 "no")"#, ["SKErrorDomain", "4", "not_allowed", "no"]),
        (#"Error Domain=SKErrorDomain Code=1"#, ["SKErrorDomain", "1", "not_allowed", nil]),
        (
            #"<SKPaymentQueue: 0x281c0>: Payment completed with error: Error Domain=SKErrorDomain Code=3 "x" UserInfo={a=b}"#,
            ["SKErrorDomain", "3", "integration", "x"]
        ),
        ("ESKERRORDOMAIN2", ["SKErrorDomain", "2", "cancelled", nil]),
        ("Error: ENSURLERRORDOMAIN-999", ["NSURLErrorDomain", "-999", "network", nil]),
        ("[E] ESSSERVERERRORDOMAIN5020: Passwort?", ["SSServerErrorDomain", "5020", "auth", "Passwort?"]),
        ("EMYSHOPERRORDOMAIN3 hm", ["MYSHOPERRORDOMAIN", "3", "unknown", "hm"]),
    ]

    @Test("Every form of a line is a failed event with its code, class and text (quirk 72)", arguments: forms)
    func reads(_ line: String, _ expected: [String?]) throws {
        for text in [line, line + "\n", "2026-03-02 10:00:00 Shop[1:2f] " + line + "\r\n"] {
            let reading = LinesReading(text)
            let event = try #require(reading.events.first)
            #expect(reading.accepted == 1 && reading.rejects.isEmpty && reading.openBrackets == 0)
            #expect(event["event"] == "failed")
            #expect(["error_domain", "error_code", "error_class", "error_message"].map { event[$0] } == expected)
        }
    }

    @Test("A code without a domain is placed by its number and marked as inferred")
    func infers() {
        let inferred = ["FailedTransaction Code=3 x", #"Error Domain=SKErrorDomain Code=3 "x""#, "ESKERRORDOMAIN3"]
        #expect(inferred.map { LinesReading($0).events.first?["domain_inferred"] } == ["1", "0", "0"])
    }

    @Test("Cancelling is told by the code and not by its text (quirk 69)")
    func cancels() {
        let line = "User CANCELLED FailedTransaction Code=2 Cannot connect to iTunes Store"
        #expect(LinesReading(line).events.first?["error_class"] == "cancelled")
        #expect(LinesReading(line).events.first?["error_domain"] == "SKErrorDomain")
    }

    static let chains: [(String, [String?])] = [
        (#"{Error Domain=NSURLErrorDomain Code=-1009 "x"}"#, ["NSURLErrorDomain", "-1009", "network"]),
        (
            #"{Error Domain=ASDErrorDomain Code=500 "(null)" UserInfo={NSUnderlyingError=0x2 {Error Domain=AMSErrorDomain "#
                + #"Code=306 "r" UserInfo={AMSStatusCode=503}}}}"#,
            ["AMSErrorDomain", "306", "network"]
        ),
        (
            #"{Error Domain=ASDErrorDomain Code=500 "" UserInfo={NSUnderlyingError=0x2 {Error Domain=Mine Code=1}}}"#,
            ["ASDErrorDomain", "500", "store"]
        ),
        (#"{Error Domain=ASDErrorDomain Code=500 "cut off by the"#, ["ASDErrorDomain", "500", "store"]),
        ("{Error Domain=ASDErr", [nil, nil, "store"]),
    ]

    @Test("Errors under it are read to any depth, the deepest known decides (quirks 70, 71)", arguments: chains)
    func descends(_ underlying: String, _ expected: [String?]) throws {
        let line =
            #"Error Domain=SKErrorDomain Code=0 "An "odd" one" UserInfo={NSUnderlyingError=0x1 \#(underlying), a=b}"#
        let event = try #require(LinesReading(line).events.first)
        #expect(["underlying_domain", "underlying_code", "error_class"].map { event[$0] } == expected)
        #expect(event["error_message"] == #"An "odd" one"#)
        #expect(event["error_code"] == "0")
    }

    @Test("An unhandled exception over a closed payment sheet is a cancellation")
    func cancelsSheet() {
        let line = "Error Domain=SKErrorDomain Code=907 \"x\" UserInfo={a={Error Domain=AMSErrorDomain Code=6 \"y\"}}"
        #expect(LinesReading(line).events.first?["error_class"] == "cancelled")
    }

    @Test("An error behind the braces of the first is none of those under it")
    func endsWithBraces() {
        let line =
            #"Error Domain=SKErrorDomain Code=0 "x" UserInfo={a=b}, then Error Domain=NSURLErrorDomain Code=-1009 "y""#
        #expect(LinesReading(line).events.first?["underlying_domain"] == nil)
        #expect(LinesReading(line).events.first?["error_message"] == "x")
    }

    static let dates: [(String, String?)] = [
        ("2026-03-02T10:15:00Z", "2026-03-02T10:15:00Z"), ("2026-03-02T10:15:00.120Z", "2026-03-02T10:15:00.120Z"),
        ("2026-03-02 10:15:00.120456+0100", "2026-03-02T09:15:00.120Z"),
        ("2026-03-02 10:15:00 +01:00", "2026-03-02T09:15:00Z"),
        ("[2026-03-02 10:15:00,5 -0800]", "2026-03-02T18:15:00.500Z"),
        ("2026-03-02T10:15:00Z:", "2026-03-02T10:15:00Z"), ("2026-03-02 10:15:00 UTC", "2026-03-02T10:15:00Z"),
        ("2026-03-02 10:15:00.120 GMT+2", "2026-03-02T08:15:00.120Z"),
        ("2026-03-02 10:15:00 GMT-7:", "2026-03-02T17:15:00Z"),
        ("2026-03-02 10:15:00 GMT+05:30", "2026-03-02T04:45:00Z"),
        ("2026-03-02 10:15:00 UTC+0200", "2026-03-02T08:15:00Z"),
        ("2026-03-02 10:15:00 UTC - x", "2026-03-02T10:15:00Z"), ("2026-03-02 10:15:00 GMT+99", nil),
        ("2026-03-02 10:15:00", nil), ("2026-03-02T10:15:00.000", nil), ("2026-02-30T10:15:00Z", nil),
        ("Mar  2 10:15:00", nil), ("10:15:00.000", nil), ("2026-03-02", nil), ("[main]", nil), ("", nil),
    ]

    @Test("A date at the beginning is read if it says its zone, else the time is unknown", arguments: dates)
    func readsDate(_ prefix: String, _ expected: String?) {
        let reading = LinesReading("\(prefix) Shop[1:2] FailedTransaction Code=2 x\n")
        #expect(reading.events.first?["at"] == expected)
        #expect(reading.events.count == 1)
        #expect(reading.openBrackets == 0)
    }

    @Test(
        "A row of delimited text with one integer beside the name has that code",
        arguments: ["a,SKErrorDomain,2", "a,SKErrorDomain,2,x", "2,a,SKErrorDomain,2", "SKErrorDomain\t2\tx 5"]
    )
    func readsRows(_ row: String) {
        let event = LinesReading("\(row)\n17,x\n").events.first
        #expect([event?["error_domain"], event?["error_code"]] == ["SKErrorDomain", "2"])
    }

    static let messages: [(String, String)] = [
        ("plain", "plain"), ("Forgot your password?", "Forgot your password?"), ("a=b? c", "a=b? c"),
        ("id 6FA459EA-EE8A-3CA4-894E-DB77E160355E.", "id ***."),
        ("d8bbf6aff317df1a22f339b48c282bde4e351fd6", "***"), ("00008030-001A2B3C4D5E6F78 x", "*** x"),
        ("d8bbf6aff317df1a22f339b48c282bde4e351fd", "d8bbf6aff317df1a22f339b48c282bde4e351fd"),
        ("see https://a.example/b?guid=1&c=2, or", "see https://a.example/b or"),
        ("guid=0A1B&x", "guid=***&x"), ("GUID = \"0A1B\";", "GUID = \"***\";"),
        ("X-Apple-I-MD-M: AAAA== b", "X-Apple-I-MD-M: *** b"), ("x-apple-client-time=1", "x-apple-client-time=***"),
        ("guidance: none", "guidance: none"),
    ]

    @Test("What identifies a device is not kept in the message (quirk 73)", arguments: messages)
    func redacts(_ message: String, _ expected: String) {
        let line = "Error Domain=SKErrorDomain Code=0 \"\(message)\" UserInfo={}"
        #expect(LinesReading(line).events.first?["error_message"] == expected)
        #expect(LinesReading("FailedTransaction Code=0 \(message)").events.first?["error_message"] == expected)
        let escaped = message.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\u0022")
        let json = #"{"event":"failed","error":{"code":0,"message":"\#(escaped)"}}"#
        #expect(LinesReading(json).events.first?["error_message"] == expected)
    }

    @Test("A wrapper's code in an event is read as domain and code (quirk 72)")
    func readsWrappedCode() {
        let event = LinesReading(#"{"event":"failed","error":{"code":"ENSURLERRORDOMAIN-1001"}}"#).events.first
        #expect(event?["error_domain"] == "NSURLErrorDomain" && event?["error_code"] == "-1001")
        #expect(event?["error_class"] == "network" && event?["domain_inferred"] == "0")
    }

    static let rejected: [(String, String)] = [
        ("FailedTransaction Code=", "event.error-code"), ("FailedTransaction Code=x", "event.error-code"),
        ("FailedTransaction Code=99999999999999999999", "event.error-code"),
        ("Error Domain=SKErrorDomain", "event.error-code"),
        ("Error Domain=SKErrorDomain Code=\"2\"", "event.error-code"),
        ("Shop started", "sniff.unrecognized"), ("SKERRORDOMAIN", "sniff.unrecognized"),
        // Two integers beside a name in a row of delimited text: either may be the code.
        ("2026-03-02T10:15:00Z,SKErrorDomain,88,2", "sniff.unrecognized"),
        ("a;2;SKErrorDomain;5", "sniff.unrecognized"),
        ("SKErrorDomain errors today: 17", "sniff.unrecognized"),
        ("XESKERRORDOMAIN2", "sniff.unrecognized"), ("at ESKERRORDOMAIN2x", "sniff.unrecognized"),
    ]

    @Test("A line without a code, and one that tells of no failure, is a reject with its text", arguments: rejected)
    func rejects(_ line: String, _ code: String) {
        let reading = LinesReading("\(line)\nFailedTransaction Code=2\n")
        #expect(reading.codes == [code])
        #expect(reading.rejects.first?.raw == Array(line.utf8))
        #expect(reading.accepted == 1)
    }

    @Test("A line that is not UTF-8 is a reject")
    func rejectsUTF8() {
        let bytes = Array("FailedTransaction Code=2 caf".utf8) + [0xC3, 0x28]
        #expect(LinesReading(bytes).codes == ["receipt.utf8"])
    }

    @Test("--from event takes lines, other formats do not")
    func isForced() {
        #expect(LinesReading("FailedTransaction Code=2", format: "event").accepted == 1)
        #expect(LinesReading("FailedTransaction Code=2", format: "pkcs7").codes == ["sniff.other-format"])
    }
}
