import Testing
import TillInput
import TillReceipts
import TillTestSupport

/// The rules of `docs/rejects.md`, Secrets. `#` stands for the secret.
@Suite("Secrets")
struct SecretTests {
    /// No hexadecimal digits, so that only the name before it masks it.
    private static let secret = "Zq9x.Hidden+Value/77"

    private static func redacted(_ text: String) -> String {
        String(decoding: Redaction.redacted(Array(text.utf8)), as: UTF8.self)
    }

    // MARK: Names

    static let names = [
        "password", "Password", "PASSWORD", "passwd", "passphrase", "passcode", "secret", "private_key", "privateKey",
        "shared_secret", "sharedSecret", "shared-secret", "Shared Secret", "app_store_shared_secret_2", "secretKey",
        "password2", "password.prod", "secret/prod", "password for shop", "user[password][0]", "pwd", "pwd2", "api_key",
        "X-Api-Key", "api_key[0]", "accessToken", "refresh_token", "bearer", "Authorization", "Cookie", "Set-Cookie",
        #"pass\u0077ord"#, #"\u0070\u0061ssword"#, "%70assword", "pass&#119;ord",
    ]

    @Test("The value of a listed name is masked, and nothing else of the JSON", arguments: names)
    func masksNames(_ name: String) {
        #expect(Self.redacted(#"{"a":"b","\#(name)":"12","c":"d"}"#) == #"{"a":"b","\#(name)":"**","c":"d"}"#)
        #expect(SecretName.isSecret(name))
    }

    static let otherNames = [
        "cookies", "api_key_id", "author", "passport", "key", "token", "appAccountToken", "cwpwd", "bearers", "secre",
        #"pass\u0078ord"#,
    ]

    @Test("The value of another name is not masked", arguments: otherNames)
    func keepsOtherNames(_ name: String) {
        for text in [#"{"\#(name)":"12"}"#, "\(name): 12", "\(name)=12&a=b"] { #expect(Self.redacted(text) == text) }
    }

    // MARK: Notations

    /// Texts of which only the value is masked.
    static let exact: [(String, String)] = [
        (#"{"password":"é\"b","c":2}"#, #"{"password":"*****","c":2}"#),
        (#"{"password":"","c":2}"#, #"{"password":"","c":2}"#),
        (#"{"password" : 12,"c":2}"#, #"{"password" : **,"c":2}"#),
        (#"{"password":"a\\","c":2}"#, #"{"password":"***","c":2}"#),
        (#"{"password":null,"a":true}"#, #"{"password":null,"a":true}"#), ("{'password': None}", "{'password': None}"),
        (#"{"password":["a",1],"b":["c"]}"#, #"{"password":[*****],"b":["c"]}"#),
        (#"{"password":{"v":"}]"},"b":1}"#, #"{"password":{********},"b":1}"#),
        ("{\n  \"password\":\n    \"a\"\n}", "{\n  \"password\":\n    \"*\"\n}"),
        (#"{"a":"{\"password\":\"a\\\"b\",\"c\":1}"}"#, #"{"a":"{\"password\":\"******\",\"c\":1}"}"#),
        (#"1,"{""password"":""a\""b"",""c"":2}""#, #"1,"{""password"":""*****"",""c"":2}""#),
        (#""{""password"":"""",""c"":2}""#, #""{""password"":"""",""c"":2}""#),
        ("{'password': 'a', 'b': 'c'}", "{'password': '*', 'b': 'c'}"),
        ("%7B%22password%22%3A%22a%5C%22b%22%2C", "%7B%22password%22%3A%22********%22%2C"),
        ("{&quot;password&quot;:&quot;a&quot;,", "{&quot;password&quot;:&quot;*&quot;,"),
        ("a=b&password=a%26b&c=d", "a=b&password=*****&c=d"),
        ("user%5Bpassword%5D=a&c%5B%5D=d", "user%5Bpassword%5D=*&c%5B%5D=d"),
        ("body=password%3Da%26c%3Db", "body=password%3D*%26c%3Db"),
        (#"{"body":"password=a&b=c","d":"e"}"#, #"{"body":"password=*&b=c","d":"e"}"#),
        (#"{"log":"password: a, b\nc: d","e":"f"}"#, #"{"log":"password: ****\nc: d","e":"f"}"#),
        (#"{"a":["Cookie: b=c; d=e","f: g"]}"#, #"{"a":["Cookie: ********","f: g"]}"#),
        ("password: a b, c\nd: e", "password: ******\nd: e"),
        ("Authorization: Digest a=\"b\"\r\nc: d", "Authorization: ************\r\nc: d"),
        (
            "-----BEGIN EC PRIVATE KEY-----\nMIGT\n-----END EC PRIVATE KEY-----\na",
            "-----BEGIN EC PRIVATE KEY-----\n****\n-----END EC PRIVATE KEY-----\na"
        ),
        (
            "-----BEGIN PUBLIC KEY-----\nMIGT\n-----END PUBLIC KEY-----",
            "-----BEGIN PUBLIC KEY-----\nMIGT\n-----END PUBLIC KEY-----"
        ),
        // Names that are values themselves, or part of one.
        (#"{"note":"password","a":"b"}"#, #"{"note":"password","a":"b"}"#),
        (#"{"a":"com.x.secret","b":"c"}"#, #"{"a":"com.x.secret","b":"c"}"#),
        (#"{"a":"com.x.secret_garden","b":"c"}"#, #"{"a":"com.x.secret_garden","b":"c"}"#),
        (#"{"a":"password required","b":"c"}"#, #"{"a":"password*********","b":"c"}"#),
        (#"["password"]"#, #"["password"]"#),
        ("password", "password"), ("", ""), ("p", "p"),
    ]

    @Test("In JSON, forms, headers and lines of a name and a value, only the value is masked", arguments: exact)
    func masksValues(_ text: String, _ expected: String) {
        #expect(Self.redacted(text) == expected)
    }

    /// Other notations, whose lines are masked to their ends.
    static let others: [String] = [
        "password \"#\"", "\"password\" \"#\"", "(\"password\", \"#\")", "[\"password\",\"#\"] bad",
        "\"password\",\"#\"",
        "password\t#", "tillroll --password # a.b64", "auth Bearer #", "password = \"#\";", "{ password = <#>; }",
        "password='#'",
        "password := #", "PASSWORD=a&#", "password: a\"b\", #", "\"password\" => \"#\",", "[password] => #",
        "'password' =>\n  '#',",
        "[\"password\"]=>\n  string(17) \"#\"", "s:8:\"password\";s:17:\"#\";", "{'password': u'#'}",
        "[AnyHashable(\"password\"): \"#\"]",
        "{'password': '''#'''}", "@{@\"password\": @\"#\"}", "map[password:# status:0]", "{password:'#'",
        "(password=#, a=b)",
        "<password>#</password>", "<password>\n#\n</password>", "<ns:password type=\"a\">#",
        "<key>password</key><string>#</string>",
        "<key>password</key>\n<string>#</string>", "<key>Password</key>\n<data>\n#\n</data>",
        "<add key=\"password\" value=\"#\"/>",
        "<string name=\"password\">#</string>", "&lt;key&gt;password&lt;/key&gt; &lt;string&gt;#",
        "{\"name\":\"password\",\"value\":\"#\"}",
        "{\n\"name\": \"password\",\n\"value\": \"#\"\n}", "password:\n\"#\"", "password:\n  #\na: b",
        "password: >-\n  #",
        "name=\"password\"\r\n\r\n#\r\n--b", "name=\"password\"\r\nContent-Type: text/plain\r\n\r\n#\r\n--b",
        "{\"body\":\"name=\\\"password\\\"\\r\\n\\r\\n#\\r\\n--b\"}",
        "{\"log\":\"login with password # failed\",\"a\":1}",
        "'my \"password\" of today': #", "{\"password\":hidden #,\"a\":1}", "KEY=\"-----BEGIN PRIVATE KEY-----\n#\n#\"",
        "password=“#”", "password\\u003a #",
    ]

    @Test(
        "In another notation the rest of the line is masked, or the next line with a letter or digit",
        arguments: others
    )
    func masksLines(_ text: String) {
        let raw = Array(text.replacing("#", with: Self.secret).utf8)
        for count in 0...raw.count {
            let masked = String(decoding: Redaction.redacted(Array(raw[..<count])), as: UTF8.self)
            #expect(!masked.contains(Self.secret.prefix(6)) && masked.utf8.count == count, "\(masked)")
        }
    }

    @Test("Messages are masked after a mark only, since they have such names in sentences")
    func keepsSentences() {
        func redacted(_ text: String) -> String {
            String(decoding: MessageRedaction.redacted(Array(text.utf8).span.bytes), as: UTF8.self)
        }
        let sentence = "Password reuse not available for account. Enter the password again"
        #expect(redacted(sentence) == sentence)
        #expect(redacted("the password: a b\nfailed") == "the password: ***\nfailed")
        #expect(redacted("shared secret=0123") == "shared secret=***")
    }

    // MARK: Without a name

    @Test("A run of exactly 32 hexadecimal digits is masked, wherever it is")
    func masksDigits() {
        let digits = "0123456789abcdefABCDEF0123456789"
        for margin in 0...70 {
            let text = String(repeating: "-", count: margin)
            for other in ["", "g", "\"", "\n"] {
                let expected = text + other + String(repeating: "*", count: 32) + other + text
                #expect(Self.redacted(text + other + digits + other + text) == expected)
            }
            for other in [String(digits.dropLast()), digits + "0", digits + digits] {
                #expect(Self.redacted(text + other + text) == text + other + text)
            }
        }
    }

    private static func base64(_ text: String) -> String {
        String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self)
    }

    static let spellings: [@Sendable (String) -> String] = [
        { $0 }, { "{\"body\":\"\($0)\"}" }, { "{\"a\":\"x y\",\"receipt-data\":\"\($0)" }, { "*" + $0 + "*" },
        { text in text.enumerated().map { $0 % 40 == 39 ? "\($1)\n" : "\($1)" }.joined() },
        { text in "{\"a\":\"" + text.enumerated().map { $0 % 64 == 63 ? "\($1)\\r\\n" : "\($1)" }.joined() + "\"}" },
        { SecretTests.base64($0) }, { SecretTests.base64(SecretTests.base64($0)) }, { "1;\($0);\($0)" },
        { "?\($0.dropFirst(3))" },
        { "a log line with \($0) in it" }, { $0.replacing("+", with: "-").replacing("/", with: "_") },
    ]

    @Test("A run of base64 that holds a listed name is masked whole", arguments: spellings)
    func masksBase64(_ spell: @Sendable (String) -> String) {
        for text in [
            #"{"receipt-data":"MIIT","password":"\#(Self.secret)","a":true}"#,
            "a log line, Cookie, and more \(Self.secret)",
        ] {
            let plain = spell(Self.base64(text).replacing("=", with: ""))
            let masked = Self.redacted(plain)
            #expect(masked.utf8.count == plain.utf8.count && masked != plain)
            #expect(!masked.split { !$0.isLetter && !$0.isNumber }.contains { $0.count > 9 }, "\(masked)")
            let harmless = spell(
                Self.base64(text.replacing("password", with: "passport").replacing("Cookie", with: "Cooker"))
            )
            #expect(Self.redacted(harmless) == harmless)
        }
    }

    // MARK: Across documents

    /// Parts of a source, the last of which is a reject that shows nothing of the secret.
    static let parts: [[String]] = [
        ["\"password\"", ": \"#\",\n"], ["{\"password\":\n", "\"#\"\n"], ["\"password\"", "\n", "  :\n", "\"#\"\n"],
        ["password:\n", "#\n"],
        ["<key>password</key>\n", "<string>#</string>\n"], ["-----BEGIN PRIVATE KEY-----\n", "#\n", "#\n"],
        ["  [\"password\"]=>\n", "  string(17) \"#\"\n"], ["\"Authorization\"", ": \"Basic #\"\n"],
        ["{\"password\":[", "\n1,", "\"#\"]}\n"],
        ["\": \"#\"\n"], ["ord\": \"#\"\n"], ["=#&a=b\n"], ["d = #\n"], ["et' => '#'\n"],
    ]

    @Test("A reject is masked in view of its source, wherever it is cut", arguments: parts)
    func masksRejects(_ parts: [String]) {
        let octets = parts.map { Array($0.replacing("#", with: Self.secret).utf8) }
        let text = octets.flatMap(\.self)
        for passed in 0..<octets.count {
            var (mask, start) = (RejectMask(), 0)
            for (number, part) in octets.enumerated() {
                let place = start..<start + part.count
                // Some parts are documents that were read, and some end the bytes at hand.
                if number >= passed || number == octets.count - 1 {
                    let masked = String(decoding: mask.masked(place, in: text.span.bytes), as: UTF8.self)
                    #expect(!masked.contains(Self.secret.prefix(6)) && masked.utf8.count == part.count, "\(masked)")
                }
                start = place.upperBound
            }
            mask = RejectMask()
            for part in octets {
                let masked = String(decoding: mask.masked(0..<part.count, in: part.span.bytes), as: UTF8.self)
                #expect(!masked.contains(Self.secret.prefix(6)), "\(masked)")
                mask.pass(part.span.bytes)
            }
        }
    }

    // MARK: Cost

    /// Texts for which a search in quadratic time would take minutes for one megabyte.
    static let runs = [
        "\\", "\"", "%", "p\\", "\\u0070", "password", "\"password\":\"", "password</key>", " ", "QUJD", "password=",
        "password: (", "password=%22", "password\\", "'password',", "<password", "<password ", "password=a ",
        "password=[",
        "password='", "secret: \"\\", "PRIVATE KEY-----", "BEGIN PRIVATE KEY-----", "&#112;", "%70", "pass\0",
        "password&quot;:&quot;", "Bearer ", "password=a(", "QUJD\\n", "%2525", "\"password\":{", "\"password\",\"",
        "password<",
        "password=a&", "0", "password\n", "\"password\"\n", "{\"a\":\"password ", ":\"",
    ]

    @Test("Many rejects of one chunk are masked in a time that is linear in its length", .atMost(minutes: 1))
    func isLinearInRejects() {
        let line = Array("{\"zz\":1234}\n".utf8)
        let count = 400_000
        let raw = (0..<count).flatMap { _ in line }
        var mask = RejectMask()
        for number in 0..<count {
            let place = number * line.count..<(number + 1) * line.count - 1
            #expect(mask.masked(place, in: raw.span.bytes).count == place.count)
        }
    }

    @Test("The time for masking is linear in the length of the text", .atMost(minutes: 1), arguments: runs)
    func isLinear(_ run: String) {
        let raw = Array(String(repeating: run, count: 200_000 / run.utf8.count).utf8)
        #expect(Redaction.redacted(raw).count == raw.count)
        // A value of one character becomes three.
        #expect(MessageRedaction.redacted(raw.span.bytes).count <= 2 * raw.count)
        var mask = RejectMask()
        for start in stride(from: 0, to: raw.count, by: 16) {
            let place = start..<min(raw.count, start + 16)
            #expect(mask.masked(place, in: raw.span.bytes).count == place.count)
        }
    }
}
