import Testing

@testable import TillPipeline

@Suite("Secrets in property lists")
struct PrintedSecretTests {
    static let secrets: [(String, String)] = [
        ("{ password = 0123ab; a = b; }", "{ password = ***; a = b; }"),
        ("{\n  \"password\" = \"01\\\"23\";\n}", "{\n  \"password\" = \"***\";\n}"),
        ("{ password = 0123", "{ password = ***"),
        ("<key>password</key>\n<string>0123</string>", "<key>password</key>\n<string>***</string>"),
        ("<key>password</key><string>01", "<key>password</key><string>***"),
        ("<key>password</key>", "<key>password</key>***"),
        ("<string>password</string><string>a</string>", "<string>password</string><string>a</string>"),
        ("{ note = password; }", "{ note = password; }"),
    ]

    @Test("The shared secret of a printed request never leaves", arguments: secrets)
    func redacts(_ raw: String, _ expected: String) {
        #expect(String(decoding: Redaction.redacted(Array(raw.utf8)), as: UTF8.self) == expected)
    }
}
