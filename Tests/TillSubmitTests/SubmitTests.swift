import Foundation
import Testing

/// The built command against an endpoint on this machine.
@Suite("tillroll submit")
struct SubmitTests {
    static let secret = "0123456789abcdef0123456789abcdef"

    private let command: SubmitCommand

    init() throws {
        command = try SubmitCommand()
        try command.write(Self.secret + "\n", to: "secret")
    }

    /// Writes receipts as base64 lines.
    private func write(_ receipts: [String], to name: String = "receipts.b64") throws {
        try command.write(receipts.map { $0 + "\n" }.joined(), to: name)
    }

    private func member(_ key: String, of line: String) throws -> Any? {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return key.split(separator: ".").reduce(object as Any?) { ($0 as? [String: Any])?[String($1)] }
    }

    private func receipts(of lines: [String]) throws -> [String] {
        try lines.map { try #require(try member("request.receipt-data", of: $0) as? String) }
    }

    private func statuses(of lines: [String]) throws -> [Int] {
        try lines.map { try #require(try member("response.status", of: $0) as? Int) }
    }

    private static let ok = "{\"status\":0,\"environment\":\"Production\"}"

    @Test("Receipts of both kinds, and requests, are sent as they are, with the secret, and answers come in order")
    func sends() throws {
        let server = try StoreServer { _ in .json(Self.ok) }
        defer { server.stop() }
        let sent = Array(Receipts.pkcs7.prefix(3)) + Receipts.legacy.prefix(2)
        try write(sent)
        try command.write(
            "{\"receipt-data\":\"\(Receipts.pkcs7[3])\",\"password\":\"another-secret\"}\n",
            to: "request.json"
        )
        try command.write(
            "{\"status\":21003}\n{\"request\":{\"receipt-data\":\"\(sent[0])\"},\"response\":{\"status\":0}}\n",
            to: "responses.ndjson"
        )
        let outcome = try command.run([
            "submit", "receipts.b64", "request.json", "responses.ndjson", "--endpoint", server.url("/v"),
            "--password-file", "secret", "--jobs", "1", "-o", "answers.ndjson",
        ])
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
        #expect(
            outcome.error
                == "tillroll: 8 documents: 6 answered, 0 rejected, 2 not receipts\n    status 0 ×6\n"
        )
        let all = sent + [Receipts.pkcs7[3]]
        #expect(server.requests.map(\.receipt) == all)
        #expect(server.requests.allSatisfy { $0.password == Self.secret && $0.keys == ["receipt-data", "password"] })
        let text = try command.text("answers.ndjson")
        #expect(!text.contains(Self.secret) && !text.contains("another-secret"))
        #expect(try receipts(of: text.split(separator: "\n").map(String.init)) == all)
        let mode = try FileManager.default.attributesOfItem(atPath: command.path("answers.ndjson"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let report = try command.run(["report", "failures", "answers.ndjson", "-t", "json"])
        #expect(report.output.contains("\"verifications\":6"))
    }

    @Test("Without a secret the key is left out, and --exclude-old-transactions is sent and written")
    func sendsOptions() throws {
        let server = try StoreServer { _ in .json(Self.ok) }
        defer { server.stop() }
        let outcome = try command.run(
            ["submit", "--endpoint", server.url("/v"), "--exclude-old-transactions"],
            input: Receipts.pkcs7[0] + "\n"
        )
        #expect(outcome.status == 0)
        #expect(server.requests.first?.keys == ["receipt-data", "exclude-old-transactions"])
        #expect(try member("request.exclude-old-transactions", of: outcome.lines[0]) as? Bool == true)
    }

    @Test("A 21007 is followed to the sandbox, and reports count one verification")
    func followsToSandbox() throws {
        let server = try StoreServer { request in
            .json(request.path == "/sandbox" ? "{\"status\":0}" : "{\"status\":21007}")
        }
        defer { server.stop() }
        try write(Array(Receipts.pkcs7.prefix(3)))
        let outcome = try command.run([
            "submit", "receipts.b64", "--endpoint", server.url("/production"), "--sandbox-endpoint",
            server.url("/sandbox"), "--password-file", "secret",
        ])
        #expect(outcome.status == 0)
        #expect(try statuses(of: outcome.lines) == [21007, 0, 21007, 0, 21007, 0])
        #expect(outcome.error.contains("3 answered") && outcome.error.contains("status 21007 then 0 ×3"))
        #expect(server.requests.allSatisfy { $0.password == Self.secret })
        let report = try command.run(["report", "failures", "-t", "json"], input: outcome.output)
        #expect(report.output.contains("\"verifications\":3"))
        #expect(report.output.contains("\"failures\":[]"))
        #expect(report.output.contains("\"paired_21007\":3"))
    }

    @Test("Without a sandbox endpoint a 21007 is the answer, and standard error says so")
    func leavesSandboxReceipts() throws {
        let server = try StoreServer { _ in .json("{\"status\":21007}") }
        defer { server.stop() }
        let outcome = try command.run(["submit", "--endpoint", server.url("/")], input: Receipts.pkcs7[0])
        #expect(outcome.status == 0)
        #expect(try statuses(of: outcome.lines) == [21007])
        #expect(outcome.error.contains("sent to no sandbox endpoint: 1; --sandbox-endpoint names one"))
    }

    @Test("What may pass is sent again: HTTP 503, a cut connection, a slow answer, statuses that may pass")
    func retries() throws {
        let numbers = Dictionary(uniqueKeysWithValues: Receipts.pkcs7.enumerated().map { ($1, $0) })
        let server = try StoreServer { request in
            guard request.number == 1 else { return .json(Self.ok) }
            return switch numbers[request.receipt] {
            case 0: .http(503, headers: ["Retry-After: 1"], "<html>busy</html>")
            case 1: .cut
            case 2: .late(1500, Self.ok)
            case 3: .json("{\"status\":21199,\"is-retryable\":true}")
            default: .json("{\"status\":21005}")
            }
        }
        defer { server.stop() }
        try write(Array(Receipts.pkcs7.prefix(5)))
        let outcome = try command.run([
            "submit", "receipts.b64", "--endpoint", server.url("/"), "--timeout", "1", "--jobs", "5",
        ])
        #expect(outcome.status == 0)
        #expect(try statuses(of: outcome.lines) == [0, 0, 0, 0, 0])
        #expect(try receipts(of: outcome.lines) == Array(Receipts.pkcs7.prefix(5)))
        #expect(server.requests.count == 10)
    }

    @Test("A receipt without an answer is a reject, and the file of rejects can be submitted")
    func rejects() throws {
        let numbers = Dictionary(uniqueKeysWithValues: Receipts.pkcs7.enumerated().map { ($1, $0) })
        let isMended = Flag()
        let server = try StoreServer { request in
            if isMended.value || request.path == "/elsewhere" { return .json(Self.ok) }
            return switch numbers[request.receipt] {
            case 0: .json("<html>\(request.password ?? "")</html>")
            case 1: .http(302, headers: ["Location: /elsewhere"], "")
            case 2: .http(404, "{\"status\":0}")
            case 3: .json("{\"ok\":true}")
            case 4: .cut
            default: .json(Self.ok)
            }
        }
        defer { server.stop() }
        try write(Array(Receipts.pkcs7.prefix(6)) + ["not a receipt"])
        func submit(_ input: String, _ rejects: String, _ more: [String] = []) throws -> SubmitCommand.Outcome {
            try command.run(
                [
                    "submit", input, "--endpoint", server.url("/"), "--password-file", "secret", "--retries", "0",
                    "--rejects", rejects,
                ] + more
            )
        }
        let outcome = try submit("receipts.b64", "rejects.ndjson")
        #expect(outcome.status == 0)
        #expect(try receipts(of: outcome.lines) == [Receipts.pkcs7[5]])
        #expect(outcome.error.contains("tillroll: 7 documents: 1 answered, 6 rejected, 0 not receipts"))
        let first = try command.text("rejects.ndjson")
        let lines = first.split(separator: "\n").map(String.init)
        let codes = try lines.map { try #require(try member("code", of: $0) as? String) }
        #expect(
            codes == [
                "submit.not-json", "submit.http-status", "submit.http-status", "submit.not-response",
                "submit.transport", "sniff.unrecognized",
            ]
        )
        #expect(try lines.prefix(5).map { try member("raw", of: $0) as? String } == Receipts.pkcs7.prefix(5).map { $0 })
        #expect(!first.contains(Self.secret) && !outcome.error.contains(Self.secret))
        #expect(!server.requests.contains { $0.path == "/elsewhere" })

        // Rejected again, they are the same rejects.
        let again = try submit("rejects.ndjson", "again.ndjson")
        #expect(again.status == 65)
        #expect(again.error.contains("tillroll: error: no receipt was answered"))
        #expect(try command.text("again.ndjson") == first)

        isMended.value = true
        let mended = try submit("again.ndjson", "left.ndjson", ["-o", "answers.ndjson"])
        #expect(mended.status == 0)
        let answers = try command.text("answers.ndjson").split(separator: "\n").map(String.init)
        #expect(try receipts(of: answers) == Array(Receipts.pkcs7.prefix(5)))
        #expect(try command.text("left.ndjson") == lines[5] + "\n")
    }

    @Test("Receipts of one place, such as a cell, are rejects with a receipt each")
    func rejectsOfOnePlace() throws {
        let server = try StoreServer { _ in .http(400, "") }
        defer { server.stop() }
        // Requests that stand behind one another in one string, longer than what rejects of one frame share.
        let receipts = (0..<300).map { Receipts.pkcs7[$0 % Receipts.pkcs7.count] }
        let requests = receipts.map { #"{\"receipt-data\":\"\#($0)\"}"# }.joined(separator: #"\n"#)
        try command.write("{\"Payload\":\"" + requests + "\"}", to: "one.json")
        let outcome = try command.run([
            "submit", "one.json", "--endpoint", server.url("/"), "--rejects", "rejects.ndjson", "--quiet",
        ])
        #expect(outcome.status == 65)
        let lines = try command.text("rejects.ndjson").split(separator: "\n").map(String.init)
        #expect(try lines.map { try member("raw", of: $0) as? String } == receipts)
    }

    @Test("More rejects than allowed are status 65, and no output file is put in place")
    func refuses() throws {
        let server = try StoreServer { $0.receipt == Receipts.pkcs7[0] ? .http(400, "") : .json(Self.ok) }
        defer { server.stop() }
        try write(Array(Receipts.pkcs7.prefix(3)))
        let words = ["submit", "receipts.b64", "--endpoint", server.url("/"), "-o", "answers.ndjson"]
        let refused = try command.run(words + ["--max-rejects", "0"])
        #expect(refused.status == 65)
        #expect(!command.exists("answers.ndjson"))
        // The answers of the refused run are kept until it is continued.
        #expect(try command.run(words + ["--max-rejects", "1"]).status == 73)
        #expect(try command.run(words + ["--max-rejects", "1", "--resume"]).status == 0)
        #expect(command.exists("answers.ndjson"))
    }

    @Test("An answer that is too long is a reject")
    func limitsAnswers() throws {
        let server = try StoreServer { $0.receipt == Receipts.pkcs7[0] ? .huge(65 << 20) : .json(Self.ok) }
        defer { server.stop() }
        try write(Array(Receipts.pkcs7.prefix(2)))
        let outcome = try command.run(["submit", "receipts.b64", "--endpoint", server.url("/")])
        #expect(outcome.status == 0)
        #expect(outcome.error.contains("submit.too-large"))
        #expect(try receipts(of: outcome.lines) == [Receipts.pkcs7[1]])
    }

    @Test("At most --jobs requests are sent at once, and what is written does not depend on them")
    func keepsOrder() throws {
        let numbers = Dictionary(uniqueKeysWithValues: Receipts.pkcs7.enumerated().map { ($1, $0) })
        let server = try StoreServer { request in
            let number = numbers[request.receipt] ?? 0
            if number % 5 == 1 { return .http(400, "") }
            return .late(number % 3 * 20, "{\"status\":0,\"number\":\(number)}")
        }
        defer { server.stop() }
        // Each receipt in a file of its own, and twice in one: rejects of the reader stand between them.
        try FileManager.default.createDirectory(atPath: command.path("in"), withIntermediateDirectories: true)
        for (number, receipt) in Receipts.pkcs7.enumerated() {
            try command.write(receipt + "\n", to: "in/\(1000 + number).b64")
        }
        try write(Receipts.pkcs7.flatMap { [$0, "no receipt"] }, to: "in/2000.b64")
        var texts: [(output: [String], rejects: String)] = []
        for (jobs, chunk) in [(1, "1048576"), (2, "100"), (7, "20000")] {
            let outcome = try command.run([
                "submit", "in", "--endpoint", server.url("/"), "--jobs", String(jobs), "--rejects", "rejects.ndjson",
                "--chunk-size", chunk, "--quiet",
            ])
            #expect(outcome.status == 0)
            let lines = outcome.lines.map { $0.replacing(/"logged_at_ms":\d+,/, with: "") }
            texts.append((lines, try command.text("rejects.ndjson")))
        }
        #expect(texts[0].output.count == 2 * Receipts.pkcs7.indices.count { $0 % 5 != 1 })
        #expect(texts[0].output == texts[1].output && texts[0].output == texts[2].output)
        #expect(texts[0].rejects == texts[1].rejects && texts[0].rejects == texts[2].rejects)
        #expect((2...7).contains(server.mostAtOnce))
    }

    @Test("Receipts of other apps are not sent, and are told")
    func filtersApps() throws {
        let server = try StoreServer { _ in .json(Self.ok) }
        defer { server.stop() }
        try write(Array(Receipts.pkcs7.prefix(2)))
        let outcome = try command.run([
            "submit", "receipts.b64", "--endpoint", server.url("/"), "--bundle-id", "com.example.other",
        ])
        #expect(server.requests.isEmpty)
        #expect(outcome.error.contains("2 documents: 0 answered, 0 rejected, 0 not receipts, 2 of other apps"))
    }

    @Test("Where nothing listens, each receipt is a reject and the status is 65")
    func refusedConnection() throws {
        let server = try StoreServer { _ in .cut }
        let url = server.url("/")
        server.stop()
        try write([Receipts.pkcs7[0]])
        let outcome = try command.run([
            "submit", "receipts.b64", "--endpoint", url, "--retries", "1", "-o", "answers.ndjson",
        ])
        #expect(outcome.status == 65)
        #expect(outcome.error.contains("submit.transport"))
        #expect(!command.exists("answers.ndjson"))
    }

    @Test("An http request goes to no proxy, since a proxy could read it")
    func asksNoProxy() throws {
        let server = try StoreServer { _ in .json(Self.ok) }
        defer { server.stop() }
        let outcome = try command.run(
            ["submit", "--endpoint", server.url("/")],
            input: Receipts.pkcs7[0],
            environment: ["http_proxy": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1"]
        )
        #expect(outcome.lines.count == 1)
    }

    @Test("A run that is interrupted ends soon with 143 and leaves no file")
    func isInterrupted() throws {
        let server = try StoreServer { _ in .late(20_000, Self.ok) }
        defer { server.stop() }
        try write([Receipts.pkcs7[0]])
        let start = Date()
        let outcome = try command.run(
            ["submit", "receipts.b64", "--endpoint", server.url("/"), "-o", "answers.ndjson"],
            endAfter: 1
        )
        #expect(outcome.status == 143)
        #expect(Date().timeIntervalSince(start) < 10)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: command.folder.path).sorted() == [
                "receipts.b64", "secret", "stderr", "stdin", "stdout",
            ]
        )
    }

    @Test("A run that ends early keeps its answers, and --resume asks only for the others")
    func resumes() throws {
        let sent = Array(Receipts.pkcs7.prefix(4)) + [Receipts.pkcs7[0]]
        let (first, sandbox) = (sent[1], sent[2])
        let early = try StoreServer { request in
            if request.path == "/s" || request.receipt == sent[0] { return .json(Self.ok) }
            if request.receipt == sandbox { return .json("{\"status\":21007}") }
            return request.receipt == first ? .http(400, "") : .late(20_000, Self.ok)
        }
        defer { early.stop() }
        try write(sent)
        func words(_ server: StoreServer, _ more: String...) -> [String] {
            [
                "submit", "receipts.b64", "--endpoint", server.url("/"), "--sandbox-endpoint", server.url("/s"),
                "--jobs", "1",
                "-o", "answers.ndjson",
            ] + more
        }
        let outcome = try command.run(words(early), endAfter: 2)
        #expect(outcome.status == 143 && !command.exists("answers.ndjson"))
        let part = command.folder.appending(path: "answers.ndjson.part")
        let rights = try FileManager.default.attributesOfItem(atPath: part.path)[.posixPermissions] as? Int
        #expect(rights == 0o600)
        let lines = try command.text("answers.ndjson.part").split(separator: "\n").map(String.init)
        #expect(try receipts(of: lines) == [sent[0], sandbox, sandbox] && statuses(of: lines) == [0, 21007, 0])

        let server = try StoreServer { _ in .json("{\"status\":21003}") }
        defer { server.stop() }
        // Nothing overwrites the answers.
        let refused = try command.run(words(server))
        #expect(refused.status == 73 && refused.error.contains("--resume"))
        // The answers of other inputs are not continued.
        try write([sent[0], sent[1], sent[3]])
        #expect(try command.run(words(server, "--resume")).status == 64)
        #expect(server.requests.isEmpty)
        // A line that was cut does not count.
        try write(sent)
        try command.write(
            try command.text("answers.ndjson.part") + "{\"logged_at_ms\":1,\"request\":{\"rec",
            to: "answers.ndjson.part"
        )
        let resumed = try command.run(words(server, "--resume"))
        #expect(resumed.status == 0 && !command.exists("answers.ndjson.part"), "\(resumed.error)")
        #expect(resumed.error.contains("5 answered"))
        #expect(server.requests.map(\.receipt) == [sent[1], sent[3], sent[0]])
        let all = try command.text("answers.ndjson").split(separator: "\n").map(String.init)
        #expect(try receipts(of: all) == [sent[0], sandbox, sandbox, sent[1], sent[3], sent[0]])
    }

    @Test("An unfinished file of something else is not continued")
    func refusesOtherParts() throws {
        let server = try StoreServer { _ in .json(Self.ok) }
        defer { server.stop() }
        try write([Receipts.pkcs7[0]])
        try command.write("{\"status\":0}\n", to: "answers.ndjson.part")
        let words = ["submit", "receipts.b64", "--endpoint", server.url("/"), "-o", "answers.ndjson"]
        let outcome = try command.run(words + ["--resume"])
        #expect(outcome.status == 65 && outcome.error.contains("line 1 is no answer"))
        #expect(try command.text("answers.ndjson.part") == "{\"status\":0}\n")
        // An empty one has nothing to lose.
        try command.write("", to: "answers.ndjson.part")
        #expect(try command.run(words).status == 0)
        #expect(try command.run(["submit", "-", "--endpoint", server.url("/"), "--resume"]).status == 64)
    }

    @Test("Long answers wait in files, and one at a time, and come in order")
    func putsLongAnswersAside() throws {
        let numbers = Dictionary(uniqueKeysWithValues: Receipts.pkcs7.enumerated().map { ($1, $0) })
        let server = try StoreServer { request in
            let number = numbers[request.receipt] ?? 0
            let text = String(repeating: "\(number % 10)", count: (3 << 20) - number)
            return .late((8 - number) * 30, "{\"status\":0,\"text\":\"\(text)\"}")
        }
        defer { server.stop() }
        let sent = Array(Receipts.pkcs7.prefix(8))
        try write(sent)
        let outcome = try command.run([
            "submit", "receipts.b64", "--endpoint", server.url("/"), "--jobs", "8", "--timeout", "120",
        ])
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try receipts(of: outcome.lines) == sent)
    }

    @Test("An output that cannot be written is status 74")
    func tellsFullDisk() throws {
        let server = try StoreServer { _ in .json(Self.ok) }
        defer { server.stop() }
        try write([Receipts.pkcs7[0]])
        let outcome = try command.run(["submit", "receipts.b64", "--endpoint", server.url("/"), "-o", "/dev/full"])
        #expect(outcome.status == 74)
    }

    static let wrongUsages: [([String], String)] = [
        (
            [],
            "https://buy.itunes.apple.com/verifyReceipt and, for the sandbox, https://sandbox.itunes.apple.com/verifyReceipt"
        ),
        (["--endpoint", "http://example.com/"], "receipts are sent by https only"),
        (["--endpoint", "https://u:hunter22@example.com/"], "must not hold a user name or a password"),
        (["--endpoint", "https://example.com/", "--sandbox-endpoint", "nowhere"], "--sandbox-endpoint: "),
        (["--endpoint", "https://example.com/", "--retries", "21"], "--retries takes a number from 0 to 20"),
        (["--endpoint", "https://example.com/", "--timeout", "0"], "--timeout takes"),
        (["--endpoint", "https://example.com/", "--from", "rows"], "rows hold no receipts"),
        (
            ["--endpoint", "https://example.com/", "--password-file", "-", "-"],
            "standard input holds documents already"
        ),
        (
            ["--endpoint", "https://example.com/", "--password-file", "secret", "secret"],
            "is the file of --password-file"
        ),
        (["--endpoint", "https://example.com/", "--password-file", "secret", "-o", "secret"], "--password-file"),
    ]

    @Test("Wrong usage is status 64, and nothing is sent", arguments: wrongUsages)
    func refusesUsage(_ words: [String], _ message: String) throws {
        let outcome = try command.run(["submit"] + words)
        #expect(outcome.status == 64)
        #expect(outcome.error.contains(message))
        #expect(!outcome.error.contains("hunter22"))
        #expect(try command.text("secret") == Self.secret + "\n")
    }

    @Test("The secret may come from standard input, and a file without one is refused without being shown")
    func readsSecret() throws {
        let server = try StoreServer { _ in .json(Self.ok) }
        defer { server.stop() }
        try write([Receipts.pkcs7[0]])
        let words = ["submit", "receipts.b64", "--endpoint", server.url("/"), "--password-file"]
        #expect(try command.run(words + ["-"], input: Self.secret).status == 0)
        #expect(server.requests.first?.password == Self.secret)
        try command.write("hunter22 hunter23", to: "bad")
        let bad = try command.run(words + ["bad"])
        #expect(bad.status == 65)
        #expect(!bad.error.contains("hunter2"))
        #expect(try command.run(words + ["missing"]).status == 66)
    }
}

/// A value that a test changes while a server reads it.
private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var stored = false
    var value: Bool {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }
}
