import Testing
import TillCore
import TillSubmit

/// Answers by a script, and keeps what it was asked.
private final class ScriptedClient: HTTPClient {
    private var script: [HTTPExchange]
    private(set) var asked: [(url: String, body: String)] = []

    init(_ script: [HTTPExchange]) { self.script = script }

    func post(_ body: [UInt8], to endpoint: Endpoint) -> HTTPExchange {
        asked.append((endpoint.url, String(decoding: body, as: UTF8.self)))
        return script.isEmpty ? .failed(reason: "the script is over", mayPass: false) : script.removeFirst()
    }
}

private func status(_ status: Int, _ more: String = "") -> HTTPExchange {
    .answered(HTTPAnswer(status: 200, body: Array("{\"status\":\(status)\(more)}".utf8)))
}

private func http(_ status: Int, retryAfter: Int? = nil) -> HTTPExchange {
    .answered(HTTPAnswer(status: status, retryAfter: retryAfter, body: Array("<html>".utf8)))
}

@Suite("Verification of one receipt")
struct VerifierTests {
    /// Verifies a receipt against a script; gives the statuses or the code of the failure, the requests, and the
    /// pauses.
    private func verify(
        _ script: [HTTPExchange],
        retries: Int = 3,
        _ change: (inout Verifier) -> Void = { _ in }
    ) -> (result: String, asked: [(url: String, body: String)], pauses: [Int], lines: String) {
        var verifier = Verifier(endpoint: .production)
        verifier.retries = retries
        change(&verifier)
        let client = ScriptedClient(script)
        var pauses: [Int] = []
        let outcome = verifier.verify(Array("MIIT".utf8), by: client) { milliseconds in
            pauses.append(milliseconds)
            return true
        }
        switch outcome {
        case .answered(let answers):
            let lines = String(decoding: verifier.lines(of: Array("MIIT".utf8), answers), as: UTF8.self)
            return (answers.map { String($0.status) }.joined(separator: " "), client.asked, pauses, lines)
        case .failed(let error): return (error.code, client.asked, pauses, "")
        case .interrupted: return ("interrupted", client.asked, pauses, "")
        }
    }

    static let exchanges: [([HTTPExchange], String, Int)] = [
        ([status(0)], "0", 1),
        ([status(21_003), status(0)], "21003", 1),
        ([status(21_004), status(0)], "21004", 1),
        ([status(21_006), status(0)], "21006", 1),
        ([status(21_008), status(0)], "21008", 1),
        ([status(21_010), status(0)], "21010", 1),
        ([status(21_005), status(0)], "0", 2),
        ([status(21_009), status(21_009), status(0)], "0", 3),
        ([status(21_005), status(21_005), status(21_005), status(21_005), status(0)], "21005", 4),
        // Mostly a malformed receipt, so it is sent once more only.
        ([status(21_002), status(21_002), status(0)], "21002", 2),
        ([status(21_002), status(0)], "0", 2),
        ([http(503), status(21_002), status(0)], "0", 3),
        ([status(21_002), http(503), status(21_002), status(0)], "21002", 3),
        ([status(21_199), status(0)], "0", 2),
        ([status(21_199, ",\"is-retryable\":true"), status(0)], "0", 2),
        ([status(21_100, ",\"is_retryable\":\"1\""), status(0)], "0", 2),
        ([status(21_199, ",\"is-retryable\":0"), status(0)], "21199", 1),
        ([status(21_100, ",\"is-retryable\":\"false\""), status(0)], "21100", 1),
        ([status(21_009, ",\"is-retryable\":false"), status(0)], "21009", 1),
        ([http(503), status(0)], "0", 2),
        ([http(429), status(0)], "0", 2),
        ([http(500), http(502), http(503), http(504), status(0)], "submit.http-status", 4),
        ([http(400), status(0)], "submit.http-status", 1),
        ([http(302), status(0)], "submit.http-status", 1),
        ([.failed(reason: "reset", mayPass: true), status(0)], "0", 2),
        ([.failed(reason: "certificate", mayPass: false), status(0)], "submit.transport", 1),
        ([.tooLarge, status(0)], "submit.too-large", 1),
        ([.interrupted, status(0)], "interrupted", 1),
        ([status(21_007), status(0)], "21007 0", 2),
        ([status(21_007), status(21_005), status(0)], "21007 0", 3),
        ([status(21_007), http(500), http(500), http(500), http(500)], "submit.http-status", 5),
        ([status(21_007), status(21_007), status(0)], "21007 21007", 2),
    ]

    @Test("What an endpoint answers decides whether it is asked again", arguments: exchanges)
    func asksAgain(_ script: [HTTPExchange], _ result: String, _ count: Int) {
        let came = verify(script)
        #expect(came.result == result)
        #expect(came.asked.count == count)
    }

    static let bodies: [(String, String)] = [
        ("<html><body>down</body></html>", "submit.not-json"), ("", "submit.not-json"), ("[]", "submit.not-json"),
        ("{\"status\":0", "submit.not-json"), ("{\"status\":0}{}", "submit.not-json"), ("\u{0}", "submit.not-json"),
        ("{\"ok\":true}", "submit.not-response"), ("{\"status\":\"fine\"}", "submit.not-response"),
        ("{\"status\":{}}", "submit.not-response"), ("{\"status\":null}", "submit.not-response"),
        ("{\"status\":\"21003\"}", "21003"), (" \n{\"status\" : 21003 }\n", "21003"),
    ]

    @Test("Only a JSON object with a status is an answer", arguments: bodies)
    func reads(_ body: String, _ result: String) {
        #expect(verify([.answered(HTTPAnswer(status: 200, body: Array(body.utf8)))]).result == result)
    }

    @Test("Bytes that are not UTF-8 are no answer")
    func refusesOtherBytes() {
        let body = Array("{\"status\":0,\"a\":\"".utf8) + [0xFF] + Array("\"}".utf8)
        #expect(verify([.answered(HTTPAnswer(status: 200, body: body))]).result == "submit.not-json")
    }

    @Test("A receipt of the sandbox goes to the sandbox, and stays where there is none")
    func routes() throws {
        let followed = verify([status(21_007), status(0)])
        #expect(followed.asked.map(\.url) == [Endpoint.production.url, Endpoint.sandbox.url])
        #expect(followed.asked[0].body == followed.asked[1].body)
        #expect(followed.lines.split(separator: "\n").count == 2)
        #expect(verify([status(21_007), status(0)]) { $0.sandbox = nil }.result == "21007")
        let own = try Endpoint("https://example.com/sandbox")
        #expect(verify([status(21_007), status(0)]) { $0.sandbox = own }.asked.last?.url == own.url)
    }

    @Test("Pauses double, and a server may say how long to wait, within a limit")
    func pauses() {
        let pauses = verify(Array(repeating: status(21_005), count: 9), retries: 8).pauses
        #expect(pauses.count == 8)
        for (pause, least) in zip(pauses, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
            #expect((least...(least + least / 4)).contains(pause))
        }
        #expect(verify([http(503, retryAfter: 7), status(0)]).pauses == [7000])
        #expect(verify([http(429, retryAfter: .max), status(0)]).pauses == [Verifier.longestPause])
        #expect(verify([http(503), status(0)], retries: 0).result == "submit.http-status")
    }

    @Test("A run that ends in a pause sends nothing more")
    func ends() {
        let client = ScriptedClient([http(503), status(0)])
        let outcome = Verifier(endpoint: .production).verify(Array("MIIT".utf8), by: client) { _ in false }
        guard case .interrupted = outcome else { return #expect(Bool(false)) }
        #expect(client.asked.count == 1)
    }

    @Test("The secret is in requests only, even where the server sends it back")
    func hidesSecret() throws {
        let text = "0123456789abcdef0123456789abcdef"
        let secret = try SharedSecret(file: Array((text + "\n").utf8))
        let echo = "{\n  \"status\": 0,\n  \"request\": {\"password\": \"\(text)\"}\n}"
        let came = verify([.answered(HTTPAnswer(status: 200, body: Array(echo.utf8)))]) { verifier in
            verifier.secret = secret
            verifier.excludesOldTransactions = true
        }
        #expect(
            came.asked[0].body
                == "{\"receipt-data\":\"MIIT\",\"password\":\"\(text)\",\"exclude-old-transactions\":true}"
        )
        #expect(!came.lines.contains(text))
        let mask = String(repeating: "*", count: text.count)
        #expect(
            came.lines.hasSuffix(
                ",\"request\":{\"receipt-data\":\"MIIT\",\"exclude-old-transactions\":true},"
                    + "\"response\":{\"status\": 0,\"request\": {\"password\": \"\(mask)\"}}}\n"
            )
        )
        #expect("\(secret)\(String(reflecting: secret))".contains(text) == false)
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!dumped.contains("48"))
    }

    @Test(
        "A file without one plain secret is refused",
        arguments: ["", "\n", "short", "two words", "one\ntwo567890", "quote\"quote", "back\\slash", "naïve-secret"]
    )
    func refusesSecret(_ text: String) throws {
        let error = try #require(throws: Finding.self) { try SharedSecret(file: Array(text.utf8)) }
        #expect(error.code == "submit.secret")
        #expect(text.count < 3 || !error.reason.contains(text))
    }
}
