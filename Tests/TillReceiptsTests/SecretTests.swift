import Testing
import TillInput
import TillReceipts
import TillTestSupport

/// Secrets are masked in every notation, and nothing else is changed.
@Suite("Secrets")
struct SecretTests {
    static let secret = "0123456789abcdef0123456789abcdef"
    static let stars = String(repeating: "*", count: secret.utf8.count)

    private static func redacted(_ text: String) -> String {
        String(decoding: Redaction.redacted(Array(text.utf8)), as: UTF8.self)
    }

    /// Texts with a secret. `#` stands for the secret.
    static let texts: [String] = [
        // JSON, complete, cut, and inside strings.
        ##"{"password":"#","a":1}"##, ##"{"password" : "#"}"##, ##"{"password":"#"##, ##"{"password":"#a\"b","c":2}"##,
        ##"{"body":"{\"password\":\"#\",\"x\":1}"}"##, ##"{"body":"{\"password\":\"a\\\"#\",\"x\":1}"}"##,
        ##"{"a":"{\"b\":\"{\\\"password\\\":\\\"a\\\\\\\"#\\\"}\"}"}"##, ##"{"password":12#,"a":1}"##,
        ##"{"password":"#"}{"password":"#"}"##, ##"{"password":"#\\","c":2}"##, ##"{"pass\u0077ord":"#"}"##,
        ##"{"\u0070\u0061\u0073\u0073\u0077\u006F\u0072\u0064" : "#"}"##, ##"{"body":"{\"pass\\u0077ord\":\"#\"}"}"##,
        ##"{"password":["#","#"],"a":["b"]}"##, ##"{"password":{"S":"#"},"a":{"b":1}}"##,
        ##"{"body":"{\"password\":[\"#\"]}"}"##,
        ##"\u007b\u0022password\u0022:\u0022#\u0022\u007d"##,
        // Names.
        ##"{"Password":"#"}"##, ##"{"PASSWORD":"#"}"##, ##"{"shared_secret":"#"}"##, ##"{"sharedSecret":"#"}"##,
        ##"{"shared-secret":"#"}"##, ##"{"SharedSecret":"#"}"##, ##"{"SHARED_SECRET":"#"}"##,
        ##"{"shared secret":"#"}"##,
        ##"{"appSharedSecret":"#"}"##, ##"{"app_store_shared_secret_2":"#"}"##, ##"{"itunesPassword":"#"}"##,
        ##"{"passwd":"#"}"##,
        ##"{"pwd":"#"}"##, ##"{"passphrase":"#"}"##, ##"{"pass_word":"#"}"##, ##"{"client_secret":"#"}"##,
        ##"{"secretKey":"#"}"##,
        ##"{"secret":"#"}"##, ##"{"api_key":"#"}"##, ##"{"X-Api-Key":"#"}"##, ##"{"private_key":"#"}"##,
        ##"{"accessToken":"#"}"##,
        ##"{"headers":{"Authorization":"#"}}"##, ##"{"authorization":["#"]}"##, ##"{"Cookie":"#"}"##,
        // Cells of delimited text, where quotes are doubled.
        ##"1,"{""password"":""#"",""a"":1}""##, ##""{""password"": ""a\""#"",""c"":2}""##, ##""{""password"":""#"##,
        ##"1,"{password: ""#""}",2"##, ##"1,"password=""#""",2"##,
        // Forms, and JSON in forms.
        "receipt-data=MIIT&password=#&a=b", "password=#", "a=b&password=#", "password=%23#%26x&a=b",
        "user[password]=#&a=b",
        "user%5Bpassword%5D=#&a=b", "body=password%3D#%26receipt%3DMIIT&a=b",
        "%7B%22password%22%3A%22#%22%2C%22a%22%3A1%7D",
        "%7B%22password%22+%3A+%22#%22%7D", "%257B%2522password%2522%253A%2522#%2522%257D",
        "%7B%22password%22%3A%22a%5C%22#%22%7D",
        ##"{"body":"password=#\u0026a=b"}"##, ##"{"body":"a=b\npassword=#\nc=d"}"##,
        ##"{"url":"https://a/?password=#"}"##,
        "%70assword=#&a=b", "password=#&amp;a=b",
        // Dumps of programs.
        "{'password': '#', 'a': 1}", "{u'password': u'#'}", "{b'password': b'#'}", ##"{'password': "#"}"##,
        ##"{'password': 'a\'#'}"##,
        ##"{"log":"{'password': '#', 'a': 'b'}"}"##, ##"{"log":"{\'password\': \'#\'}"}"##,
        "{'password': ['#'], 'a': ['b']}",
        "[('password', '#'), ('a', 'b')]", ##"["password","#"]"##, "{'password': '''#'''}", ##"{"password": """#"""}"##,
        ##"{:password=>"#", :a=>1}"##, ##"{"password"=>"#", "a"=>1}"##, ##"{password: "#", a: 1}"##,
        ##"%{"password" => "#"}"##,
        "Array\n(\n    [password] => #\n    [a] => 1\n)", ##"array('password' => '#', 'a' => 1)"##,
        "array(1) {\n  [\"a\"]=>\n  int(1)\n  [\"password\"]=>\n  ****** \"#\"\n}",
        ##"a:1:{s:8:"password";s:32:"#";}"##,
        ##"{"log":"a:1:{s:8:\"password\";s:32:\"#\";}"}"##, "map[password:# status:0]", "{Password:# Receipt:MIIT}",
        "{password=#, a=b}", "Request(password=#, a=b)", "Request{password='#', a='b'}",
        ##"["password": "#", "a": 1]"##,
        ##"[AnyHashable("password"): "#"]"##, "<Request password=#>", "@{@\"password\": @\"#\"}",
        ##"{"name":"password","value":"#"}"##, ##"{'Name': 'password', 'Value': '#'}"##,
        ##"<add key="password" value="#"/>"##,
        ##"{"key":"password","type":"text","value":"#"}"##,
        ##"{"field" : "shared_secret", "hint" : "" , "on" : [1,{"a":"]"}], "value" : "#"}"##,
        ##"{"body":"{\"name\":\"password\",\"type\":\"a\",\"value\":\"#\"}"}"##,
        // Property lists and markup.
        "{ password = #; a = b; }", "{\n  \"password\" = \"a\\\"#\";\n}", "{ password = #",
        "{ \"shared-secret\" = #;\n a = b; }",
        "{ password = <#>; }", "{ password = (\n \"#\"\n ); a = (b); }", "<key>password</key>\n<string>#</string>",
        "<key>password</key><string>#", "<key>Password</key><data>\n#\n</data>",
        "<key>password</key><string><![CDATA[#]]></string>",
        "<password>#</password>", "<password type=\"plain\">#</password>", "<ns:password>#</ns:password>",
        "<password><![CDATA[#",
        "&lt;password&gt;#&lt;/password&gt;", "&lt;key&gt;password&lt;/key&gt; &lt;string&gt;#&lt;/string&gt;",
        "{&quot;password&quot;:&quot;#&quot;,&quot;a&quot;:1}", "<name>password</name><value>#</value>",
        // Lines of logs, settings, commands and requests.
        "password: #", "Password: #\n", "password:\n  #\na: b", "password: |\n  #",
        "level=info password=# receipt=MIIT",
        "verify failed: shared secret: #, status 21004", "the password is wrong (password=#)", "PASSWORD = '#'",
        "password := #",
        "export SHARED_SECRET=#", "tillroll submit --password # a.b64", "curl -d '{\"password\":\"#\"}' https://a",
        "Authorization: Bearer #", "{\"auth\":\"Bearer #\"}", "password=“#”", "Shared Secret:\t#",
        "Content-Disposition: form-data; name=\"password\"\r\n\r\n#\r\n--x",
        "{\"body\":\"name=\\\"password\\\"\\r\\n\\r\\n#\\r\\n--x\"}",
        "-----BEGIN PRIVATE KEY-----\n#\n#\n-----END PRIVATE KEY-----",
        "-----BEGIN EC PRIVATE KEY-----\\n#\\n-----END EC PRIVATE KEY-----",
    ]

    @Test("The value after the name of a secret is masked, character by character", arguments: texts)
    func masks(_ text: String) {
        let raw = text.replacing("#", with: Self.secret)
        let masked = Self.redacted(raw)
        #expect(!masked.contains(Self.secret.prefix(4)) && masked.utf8.count == raw.utf8.count)
        // Text beside the secret is not masked, unless it belongs to the same value.
        let others = zip(raw.utf8, masked.utf8).filter { $0 != $1 && $1 != 0x2A }
        #expect(others.isEmpty)
        #expect(Self.kept(masked) >= Self.kept(text) - 6, "\(masked)")
    }

    /// Texts in which the name follows its value.
    static let reversed = [
        ##"{"value":"#","name":"password"}"##, ##"{"value":["#"],"name":"password"}"##,
        ##"[{"Value":"#","type":"te,xt","n":12.5,"ok":true,"list":["a"],"Field":"appSharedSecret"}]"##,
        ##"{"val":"a\"#\\","key":"password"}"##, ##"{"body":"{\"value\":\"#\",\"name\":\"password\"}"}"##,
        "{'value': '#', 'name': 'password'}", ##"{"value":"#","note":"password=b","name":"password"}"##,
        ##"{"value" : "pwd=#" , "name" : "password"}"##, ##"{"value":"#","name":"X-Api-Key"}"##,
        ##"[{"value":"#","name":"password"},{"value":"#","key":"secret"}]"##,
    ]

    @Test("The value before the name of a secret is masked, character by character", arguments: reversed)
    func masksBefore(_ text: String) {
        masks(text)
        let stars = Self.redacted(text.replacing("#", with: Self.secret))
        #expect(stars.contains(Self.stars))
    }

    @Test(
        "A member beside another name is not masked, nor is one of another object",
        arguments: [
            ##"{"value":"a","name":"passport"}"##, ##"[{"value":"a"},{"name":"password"}]"##,
            ##"{"name":"password","a":{"value":"b"}}"##, ##"{"value":"a","title":"password"}"##,
            ##"{"value":null,"name":"password"}"##,
        ]
    )
    func keepsOthers(_ text: String) {
        #expect(Self.redacted(text) == text)
    }

    @Test("The time for many names beside one long value is linear")
    func siblingsAreLinear() {
        let value = String(repeating: "a", count: 1 << 17)
        let names = String(repeating: ##","name":"password""##, count: 1 << 11)
        let start = ContinuousClock.now
        _ = Self.redacted(##"{"x":"\##(value)""## + names + "}")
        _ = Self.redacted(String(repeating: ##"{"name":"password","x":["##, count: 1 << 11))
        _ = Self.redacted(String(repeating: ##"]],"name":"password""##, count: 1 << 11))
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    /// Letters and digits.
    private static func kept(_ text: String) -> Int { text.count { $0.isLetter || $0.isNumber } }

    /// A text, and the expected text.
    static let exact: [(String, String)] = [
        (#"{"password":"","a":1}"#, #"{"password":"","a":1}"#),
        (#"{"password":null,"a":true}"#, #"{"password":null,"a":true}"#),
        (#"{"password":true}"#, #"{"password":true}"#), ("{'password': None, 'a': 1}", "{'password': None, 'a': 1}"),
        ("{ password = \"<null>\"; }", "{ password = \"******\"; }"),
        ("{ password = <null>; }", "{ password = <null>; }"),
        (#"{"note":"password"}"#, #"{"note":"password"}"#), ("{ note = password; }", "{ note = password; }"),
        (#"{"pass\u0078ord":"0123"}"#, #"{"pass\u0078ord":"0123"}"#), ("password", "password"), ("", ""),
        ("<string>password</string><string>a</string>", "<string>password</string><string>a</string>"),
        ("<key>password</key>", "<key>password</key>"), ("Forgot your password? a=b", "Forgot your password? a=b"),
        (#"["password"]"#, #"["password"]"#), (#"{"a":"password","b":"c"}"#, #"{"a":"password","b":"c"}"#),
        (#"{"appAccountToken":"7e3fb20b","cookies":3}"#, #"{"appAccountToken":"7e3fb20b","cookies":3}"#),
        (#"{"password":"é","a":"é"}"#, #"{"password":"**","a":"é"}"#),
        (#"{"password":123,"a":1}"#, #"{"password":***,"a":1}"#),
        (#"""{""password"":"""",""c"":2}"""#, #"""{""password"":"""",""c"":2}"""#),
        ("{ password = a; b = c; }", "{ password = *; b = c; }"), ("password=a b=c d", "password=* b=c d"),
        ("password: a b c\nd: e", "password: *****\nd: e"), ("password=a&b=c", "password=*&b=c"),
        (#"{"password":"a","b":"c"}"#, #"{"password":"*","b":"c"}"#), ("password=a, b=c", "password=*, b=c"),
        (#"{"password":["a",1],"b":["c"]}"#, #"{"password":["*",*],"b":["c"]}"#),
        ("{'password': 'a', 'b': 'c'}", "{'password': '*', 'b': 'c'}"),
        ("<password>a</password><b>c</b>", "<password>*</password><b>c</b>"),
        (#"{"body":"password=a","b":"c"}"#, #"{"body":"password=*","b":"c"}"#),
        (
            "-----BEGIN PRIVATE KEY-----\nMIGT\n-----END PRIVATE KEY-----\nMIIT",
            "-----BEGIN PRIVATE KEY-----\n****\n-----END PRIVATE KEY-----\nMIIT"
        ),
        (
            "-----BEGIN PUBLIC KEY-----\nMIGT\n-----END PUBLIC KEY-----",
            "-----BEGIN PUBLIC KEY-----\nMIGT\n-----END PUBLIC KEY-----"
        ),
    ]

    @Test("Other values are not masked", arguments: exact)
    func keeps(_ text: String, _ expected: String) {
        #expect(Self.redacted(text) == expected)
    }

    @Test("A secret in UTF-16 is masked in either byte order", arguments: [false, true])
    func masksUTF16(_ isBigEndian: Bool) {
        for text in [##"{"password":"#","a":1}"##, "{'Password': '#'}", "password=#&a=b", "shared_secret: #\n"] {
            func octets(_ text: String) -> [UInt8] {
                text.utf8.flatMap { isBigEndian ? [0, $0] : [$0, 0] }
            }
            let raw = octets(text.replacing("#", with: Self.secret))
            #expect(Redaction.redacted(raw) == octets(text.replacing("#", with: Self.stars)), "\(text)")
        }
    }

    static let spellings: [@Sendable (String) -> String] = [
        { $0 }, { "{\"body\":\"\($0)\"}" }, { $0.replacing("=", with: "%3D") },
        { "{\"a\":\"x y\",\"receipt-data\":\"\($0)" },
        { text in text.enumerated().map { $0 % 40 == 39 ? "\($1)\n" : "\($1)" }.joined() }, { "*" + $0 + "*" },
        { text in "{\"a\":\"" + text.enumerated().map { $0 % 64 == 63 ? "\($1)\\r\\n" : "\($1)" }.joined() + "\"}" },
        { SecretTests.base64($0) }, { "1;\($0);\($0)" }, { "?\($0.dropFirst(3))" }, { "a log line with \($0) in it" },
        { text in text.enumerated().map { $0 % 76 == 75 ? "\($1)  \r\n   " : "\($1)" }.joined() },
    ]

    static func base64(_ text: String) -> String { String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self) }

    @Test("A secret in base64 is masked inside the base64, in any notation around it", arguments: spellings)
    func masksBase64(_ spell: @Sendable (String) -> String) throws {
        let request = #"{"receipt-data":"MIIT","password":"\#(Self.secret)","exclude-old-transactions":true}"#
        for text in [
            request, request.replacing("\"", with: "'"), "receipt=MIIT&password=\(Self.secret)&a=b",
            "a log line, password: \(Self.secret)",
        ] {
            let raw = Array(spell(Self.base64(text)).utf8)
            let redacted = Redaction.redacted(raw)
            #expect(
                redacted == Array(spell(Self.base64(text.replacing(Self.secret, with: Self.stars))).utf8),
                "\(text)"
            )
            let harmless = Array(spell(Self.base64(text.replacing("password", with: "passport"))).utf8)
            #expect(Redaction.redacted(harmless) == harmless)
        }
    }

    @Test("A text that is cut anywhere shows nothing of its secret")
    func masksEveryPrefix() {
        for text in Self.texts {
            let raw = Array(text.replacing("#", with: Self.secret).utf8)
            for count in 0...raw.count {
                let masked = String(decoding: Redaction.redacted(Array(raw[..<count])), as: UTF8.self)
                #expect(!masked.contains(Self.secret.prefix(4)), "\(masked)")
            }
        }
    }

    /// Texts for which a search in quadratic time would take minutes for one megabyte.
    static let runs = [
        "\\", "\"", "%", "p\\", "\\u0070", "password", "\"password\":\"", "password</key>", " ", "QUJD", "password=",
        "password: (",
        "password=%22", "password\\", "'password',", "<password", "<password ", "password=a ", "password=[",
        "password='", "secret: \"\\",
        "PRIVATE KEY-----", "&#112;", "%70", "pass\0", "password&quot;:&quot;", "Bearer ", "password=a(", "QUJD\\n",
        "%2525",
    ]

    @Test("The time for masking is linear in the length of the text", .atMost(minutes: 1), arguments: runs)
    func masksLongRuns(_ run: String) {
        let raw = Array(String(repeating: run, count: 200_000 / run.utf8.count).utf8)
        #expect(Redaction.redacted(raw).count == raw.count)
    }
}
