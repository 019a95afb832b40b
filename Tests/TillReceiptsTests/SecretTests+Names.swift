import Testing
import TillReceipts
import TillTestSupport

// Names with more in them than letters, and values with more in them than one word.
extension SecretTests {
    /// Names that an audit found, and others like them.
    static let names = [
        "password for shop", "password.prod", "secret/prod", "Shared secret (prod)", "password_für_laden", "password ",
        "password*", "Password:", "secret:prod", "secret: prod", "my password, for shop",
        "the shop's password of today",
        "password & more", "password=", "password {prod}", "password[prod]", "<password>", "password\\\\prod",
        "shop/password.prod (new)", "password \\\"prod\\\" of shop", "api_key:", "Authorization ", "bearer", "pwd2",
        "'password' of shop", "the shop's 'secret' (1)", "password's", "api_key[0]",
        "password_of_the_shop_in_the_very_long_country_name",
        "of_the_" + String(repeating: "shop_", count: 20) + "secret",
        "password" + String(repeating: " of the shop", count: 60), "password" + String(repeating: "-.", count: 200),
    ]

    /// Notations of a member. `@` stands for its name.
    static let members: [String] = [
        ##"{"@":"#","a":1}"##, ##"{"a":"b", "@" : "#", "c":"d"}"##, ##"{"@":["#"],"a":1}"##, ##"{"@":"#"##,
        ##"1,"{""@"":""#"",""a"":1}""##, ##"{"@"=>"#", "a"=>1}"##, ##"{"name":"@","value":"#"}"##,
        ##"{"name":"@","type":"text","value":"#"}"##, ##"[("@", "#"), ("a", "b")]"##,
        ##"a:1:{s:8:"@";s:32:"#";}"##, ##"<entry key="@">#</entry>"##,
    ]

    @Test("A quoted name of a secret may have any characters", arguments: members)
    func masksBehindQuotedNames(_ member: String) {
        for name in Self.names where name != "bearer" || !member.contains("name\"") {
            // A word in quotes of its own may be a text of a list.
            if member.contains("(\""), name.contains("' ") { continue }
            // A cell of delimited text has other quotes in its names.
            if member.contains("\"\""), name.contains("\"") { continue }
            Self.expectMasked(member.replacing("@", with: name))
        }
    }

    /// Texts with a name of more than letters, or a value of more than a word. `#` stands for the secret.
    static let longer: [String] = [
        "{\"" + String(repeating: "of the shop ", count: 40) + "password for all\":\"#\"}",
        "{\"" + String(repeating: "of_the_shop_", count: 40) + "secret\":\"#\"}",
        // Names in other notations.
        ##"{"body":"{\"password for shop\":\"#\"}"}"##, ##"{"body":"{\"secret:prod\":\"#\"}","a":1}"##,
        ##"{"a":"{\"b\":\"{\\\"password for shop\\\":\\\"#\\\"}\"}"}"##, "{'password for shop': '#', 'a': 'b'}",
        "{u'password.prod': u'#'}", "{'Password:': '#'}", "{b'secret (prod)': b'#'}",
        "%7B%22password%20for%20shop%22%3A%22#%22%7D", "%7B%22Password%3A%22%3A%22#%22%7D",
        "{&quot;password for shop&quot;:&quot;#&quot;,&quot;a&quot;:1}",
        ##"\u0022password for shop\u0022:\u0022#\u0022"##,
        "“password for shop”: “#”", "[(u'password', u'#')]", ##"[("shared_secret", "#")]"##,
        ##"[ "password", "#" ]"##, "Array\n(\n    [password for shop] => #\n    [a] => 1\n)",
        "<key>password for shop</key>\n<string>#</string>", "<key>Password:</key><string>#</string>",
        "<key>secret:prod</key><string>#</string>", "<name>Shared secret (prod)</name><value>#</value>",
        "<string name=\"password\">#</string>", "<string name=\"password.prod\" type=\"a\">#</string>",
        "<password.prod>#</password.prod>", "<com.example.password>#</com.example.password>",
        "password for shop: #\na: b", "Shared secret (prod): #", "- password for shop = #\n", "password.prod = #",
        "shop.password.prod=#\na=b", "password_für_laden: #", "secret/prod: #", "$config['password']['prod'] = '#';",
        "Content-Disposition: form-data; name=\"shared_secret\"\r\n\r\n#\r\n--x",
        "Content-Disposition: form-data; name=\"password.prod\"\r\nContent-Type: text/plain\r\n\r\n#\r\n--x",
        ##"{"{\"receipt-data\":\"MIIT\",\"password\":\"#\"}":""}"##, ##"{"a=b&password=#":"c"}"##,
        "password_of_the_shop_in_the_very_long_country_name=#", "tillroll --appSharedSecret # a", "{bearer: #}",
        "{'password\"prod': '#'}", ##"{"\"my\" password":"#"}"##,
        // Forms.
        "password[0]=#&a=b", "passwords[]=#&passwords[]=#", "user[password][0]=#&a=b", "user[password][]=#",
        "user[password][prod]=#&a=b", "a=b&password%5B0%5D=#&c=d", "user%5Bpassword%5D%5B0%5D=#&c=d",
        "password+for+shop=#&a=b", "password%20for%20shop=#&a=b", "password.prod=#&a=b", "password*=#&a=b",
        "api_key[]=#", "body=user%5Bpassword%5D%5B0%5D%3D#%26a%3Db&c=d",
        // Headers.
        "Cookie: theme=dark; session=#", "GET / HTTP/1.1\r\nCookie: theme=dark; session=#\r\nHost: x",
        "Set-Cookie: theme=dark; session=#; Path=/\nA: b", "INFO Cookie: theme=dark; session=#\nA: b",
        "Authorization: Digest username=\"a\", response=\"#\"",
        "x Authorization: Digest username=\"a\", response=\"#\"\ny",
        "x=\"y\" Authorization: Digest username=\"a\", nonce=\"\", response=\"#\"\ny",
        "Authorization: AWS4-HMAC-SHA256 Credential=A/b/c, SignedHeaders=host;range, Signature=#",
        "Proxy-Authorization: Digest a=b, c=\"#\"", "curl -H 'Cookie: theme=dark; session=#' -H 'A: b'",
        "curl -H 'Authorization: Digest username=\"a\", response=\"#\"' -H 'A: b'",
        "curl -H \"Authorization: Digest username=\\\"a\\\", response=\\\"#\\\"\" -H 'A: b'",
        ##"{"headers":["Cookie: theme=dark; session=#","A: b"]}"##,
        ##"{"log":"x Cookie: theme=dark; session=#","a":"b"}"##,
        ##"{"log":"x Authorization: Digest username=\"a\", response=\"#\"","a":"b"}"##,
        ##"{"log":"Host: a\r\nAuthorization: Digest username=\"a\", response=\"#\"\r\nA: b","a":"b"}"##,
        ##"{"log":"Host: a\r\nCookie: theme=dark; session=#\r\nA: b","a":"b"}"##,
        ##"{"Authorization":"Digest username=\"a\", response=\"#\"","a":"b"}"##,
        "{'Authorization': 'Digest username=\"a\", response=\"#\"', 'a': 'b'}",
        ##"1,"Authorization: Digest username=""a"", response=""#""",b"##,
        ##"1,"x Authorization: Digest username=""a"", response=""#""",b"##,
        "headers=Cookie%3A+theme%3Ddark%3B+session%3D#&a=b", "{Cookie=theme=dark; session=#}",
        "{Cookie=[theme=dark; session=#], A=[b]}", "map[Cookie:[theme=dark; session=#] A:[b]]",
        // Values that go on after a separator.
        "password: abc,#", "password: abc,#\na: b", "password: abc, #\na: b", "password: abc; x=#\na: b",
        "  password: abc def, #", "- password: a\"b\" #", "password: (a) #", "password: [a]#", "password: <a>#",
        "password: \"a\"#", "password: a&#", "password: {a}, #", "PASSWORD=abc,#", "PASSWORD=abc, #", "PASSWORD=abc;#",
        "export PASSWORD=abc&#", "password = abc, #\nb = c", "INFO password: abc,#\na: b", "{password: abc,#}",
        "{password=abc;#, a=b}", ##"{"log":"password: abc, #","a":"b"}"##,
        ##"{"log":"a=b\npassword: abc, #","a":"b"}"##,
        ##"{"log":"a: b\npassword: abc, #\nc: d","a":"b"}"##, "body=password%3A+abc%2C#&a=b", "'password': abc, #\n",
        "password: |\n  abc\n  #\na: b", "password: |-\n  #\na: b", "password: >\n  abc\n\n  #\na: b",
        "  secret: >-\n    #\n  a: b", "password: ''#", "password: 'a'\"b\" #", "password: {a}} #", "password: []<#",
        ##"{"log":"a: b\npassword: a',#\nc: d","a":"b"}"##, ##"{"log":"password: a\"b\", #","a":"b"}"##,
        "PASSWORD=a(b), #", "x password=a(b)c(d)#", "password=(a)#",
    ]

    @Test("Nothing of a long value is left, nor of one behind a long name", arguments: longer)
    func masksAll(_ text: String) {
        Self.expectMasked(text)
    }

    /// Expects stars for each `#`, and that a text that is cut anywhere shows nothing either.
    private static func expectMasked(_ text: String) {
        let raw = Array(text.replacing("#", with: secret).utf8)
        let masked = Redaction.redacted(raw)
        let whole = String(decoding: masked, as: UTF8.self)
        #expect(!whole.contains(secret.prefix(4)), "\(text): \(whole)")
        #expect(masked.count == raw.count, "\(text): \(whole)")
        #expect(zip(raw, masked).allSatisfy { $0 == $1 || $1 == 0x2A }, "\(text): \(whole)")
        let cut = (0..<raw.count).first { count in
            let masked = Redaction.redacted(Array(raw[..<count]))
            return raw.count < 400 && String(decoding: masked, as: UTF8.self).contains(secret.prefix(4))
        }
        #expect(cut == nil, "\(text)")
    }

    /// A text, and the expected text.
    static let beside: [(String, String)] = [
        (#"{"password for shop":"a","b":"c"}"#, #"{"password for shop":"*","b":"c"}"#),
        (#"{"Password:":"a","b":"c"}"#, #"{"Password:":"*","b":"c"}"#),
        (#"{"secret:prod":"a","b":"c"}"#, #"{"secret:****":"*","b":"c"}"#),
        (#"{"the password is wrong":null,"b":"c"}"#, #"{"the password is wrong":null,"b":"c"}"#),
        (#"{"a":"the password is wrong","b":"c"}"#, #"{"a":"the password is wrong","b":"c"}"#),
        (#"{"a":"the password: is","b":"c"}"#, #"{"a":"the password: **","b":"c"}"#),
        (#"forgot password {"status":21004}"#, #"forgot password {"status":21004}"#),
        (#"wrong password "status": 0"#, #"wrong password "status": 0"#),
        (#"{"a":"b", password of x, "c":"d"}"#, #"{"a":"b", password of x, "c":"d"}"#),
        (
            "<key>a</key><string>wrong password</string><key>b</key>",
            "<key>a</key><string>wrong password</string><key>b</key>"
        ),
        ("password[0]=a&b=c", "password[0]=*&b=c"), ("user[password][]=a&b=c", "user[password][]=*&b=c"),
        ("https://a/password/?b=c", "https://a/password/?b=c"), ("{password=a,b=c}", "{password=*,b=c}"),
        ("x: password: a, b", "x: password: *, b"), ("{ password: a, b: c }", "{ password: *, b: c }"),
        ("{\n  password: a,\n  b: c\n}", "{\n  password: *,\n  b: c\n}"),
        ("password: a, b: c\nd", "password: *******\nd"),
        ("Cookie: a=b; c=d\r\nHost: e", "Cookie: ********\r\nHost: e"),
        (#"{"h":["Cookie: a=b; c=d","e"]}"#, #"{"h":["Cookie: ********","e"]}"#),
        (#"{"h":"x Authorization: Basic a==","b":"c"}"#, #"{"h":"x Authorization: *********","b":"c"}"#),
        (#"{"h":["Authorization: Basic a==","b"]}"#, #"{"h":["Authorization: *********","b"]}"#),
        (#"{"h":"Cookie: a=b; c=d\r\nHost: e","f":1}"#, #"{"h":"Cookie: ********\r\nHost: e","f":1}"#),
        ("{'Cookie': None, 'a': 1}", "{'Cookie': None, 'a': 1}"), ("authorization=a&b=c", "authorization=*&b=c"),
        ("password: |\n  a\n  b\nc: d", "password: |\n  *\n  *\nc: d"),
        ("password: null\na: b", "password: null\na: b"),
    ]

    @Test("Text beside long names and values is not masked", arguments: beside)
    func keepsBeside(_ text: String, _ expected: String) {
        #expect(String(decoding: Redaction.redacted(Array(text.utf8)), as: UTF8.self) == expected)
    }

    @Test("Brackets behind one another need no memory of their own")
    func readsManyBrackets() {
        for before in ["x password=", "password: ", "Cookie: (a)"] {
            let raw = Array((before + String(repeating: "a(b)", count: 300_000)).utf8)
            #expect(Redaction.redacted(raw).count == raw.count)
        }
    }

    @Test("Base64 is searched in base64 four deep, from 24 digits on")
    func masksToItsLimits() {
        func nested(_ text: String, _ depth: Int) -> String {
            (0..<depth).reduce(text) { text, _ in Self.base64(text) }
        }
        func isChanged(_ text: String) -> Bool { Redaction.redacted(Array(text.utf8)) != Array(text.utf8) }
        #expect((1...5).map { isChanged(nested("password=\(Self.secret)", $0)) } == [true, true, true, true, false])
        #expect(isChanged(Self.base64("secret=01234567890")) && !isChanged(Self.base64("secret=01")))
    }

    /// The same for names and values that go on, for ``masksLongRuns``.
    static let longRuns = [
        "'password ", "\"password ", "password.", "\"password:", "\"password: '", "password[", "secret ]",
        "Cookie: a=\"",
        "Cookie: a=\"\"", "Authorization:,", "password: a,", "password=a,b", "password=a&", "password: |\n ", "pwd ",
        "secret<",
        "<key>password ", "name=\"secret ", "%22secret ", "%22secret%5C", "&quot;secret ", "\\\"secret", "\"secret\\",
        "password: \\n",
        "customer's password ", "`secret '", "[secret ", "Cookie: \\n", "secret\u{FC}", "secret=?", "a='password'; ",
    ]

    @Test("Names that never end take linear time", .atMost(minutes: 1), arguments: longRuns)
    func masksLongRunsOfNames(_ run: String) {
        for text in [run, "\"" + run, run + "\n"] {
            let raw = Array(String(repeating: text, count: 200_000 / text.utf8.count).utf8)
            #expect(Redaction.redacted(raw).count == raw.count)
        }
        let deep = (0..<600).map { String(repeating: "\\", count: $0) + "\"secret " }.joined()
        #expect(Redaction.redacted(Array(deep.utf8)).count == deep.utf8.count)
    }
}
