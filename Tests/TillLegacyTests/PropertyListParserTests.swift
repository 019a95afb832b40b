import Testing
import TillInput

@Suite("ASCII property lists")
struct PropertyListParserTests {
    typealias Value = PropertyListValue

    /// Written out, without offsets: `{a=[b,<0102>]}`.
    static func plain(_ value: Value) -> String {
        switch value.content {
        case .dictionary(let entries): "{" + entries.map { "\($0.key)=\(plain($0.value))" }.joined(separator: ",") + "}"
        case .array(let elements): "[" + elements.map(plain).joined(separator: ",") + "]"
        case .string(let text): text
        case .data(let octets): "<" + octets.map { String($0, radix: 16) }.joined(separator: " ") + ">"
        }
    }

    static func parse(_ octets: [UInt8]) throws(PropertyListError) -> Value {
        try PropertyListParser.parse(octets.span.bytes)
    }

    static let accepted: [(String, String)] = [
        ("{}", "{}"),
        ("{a=b;}", "{a=b}"),
        ("{ a = b; c = d }", "{a=b,c=d}"),
        (" \t\r\n{\n\t\"purchase-info\" = \"ewoK+/==\";\n}\n", "{purchase-info=ewoK+/==}"),
        ("( )", "[]"),
        ("(a, b,\n c,)", "[a,b,c]"),
        ("{ in_app = ( { q = 1; }, { q = 2; } ); status = 0; }", "{in_app=[{q=1},{q=2}],status=0}"),
        ("com.example.a_b:c/d$e-f", "com.example.a_b:c/d$e-f"),
        ("{ a = http://example.com/; }", "{a=http://example.com/}"),
        ("<>", "<>"),
        ("<0fbd77 1c\n A0>", "<f bd 77 1c a0>"),
        ("\"\"", ""),
        (#""a\"b\\c\'d\n\t\r\a\b\f\v""#, "a\"b\\c'd\n\t\r\u{7}\u{8}\u{C}\u{B}"),
        (#""\0\7\101\1012""#, "\u{0}\u{7}AA2"),
        (#""\U00e9\U20AC""#, "é€"),
        (#""\Ud83d\Ude00""#, "😀"),
        ("\"a\\\nb\"", "a\nb"),
        ("\"{ ( ; = ) }\"", "{ ( ; = ) }"),
        ("\"über\"", "über"),
        ("// first\n{ /* a = b; */ a /* { */ = // }\n c; }", "{a=c}"),
        ("{a=b;}//", "{a=b}"),
        ("{a=1;a=2;}", "{a=1,a=2}"),
    ]

    @Test("Values are read as the grammar has them", arguments: accepted)
    func accepts(_ text: String, _ expected: String) throws {
        #expect(Self.plain(try Self.parse(Array(text.utf8))) == expected)
    }

    @Test("Values know where they stand, strings where their text does")
    func offsets() throws {
        let value = try Self.parse(Array(#" { a = "b"; c = d; e = ( <00> ); }"#.utf8))
        let entries = try #require(value.entries)
        #expect(value.offset == 1)
        #expect(entries.map(\.value.offset) == [8, 16, 23])
    }

    static let rejected: [(String, PropertyListError.Code, Int)] = [
        ("", .truncated, 0),
        ("  ", .truncated, 2),
        ("{", .truncated, 1),
        ("{ a", .truncated, 3),
        ("{ a =", .truncated, 5),
        ("{ a = b", .truncated, 7),
        ("\"a", .truncated, 2),
        ("\"a\\", .truncated, 3),
        ("\"a\\\"", .truncated, 4),
        ("(a", .truncated, 2),
        ("(a,", .truncated, 3),
        ("<0", .truncated, 2),
        ("<00", .truncated, 3),
        ("/* a", .truncated, 4),
        ("{ /* a * /", .truncated, 10),
        ("{ a = b c = d; }", .syntax, 8),
        ("{ a b; }", .syntax, 4),
        ("{ a = ; }", .syntax, 6),
        ("{ = b; }", .syntax, 2),
        ("{ a : b; }", .syntax, 4),
        ("{ a = b;; }", .syntax, 8),
        ("{ {} = b; }", .syntax, 2),
        ("(,)", .syntax, 1),
        ("(a b)", .syntax, 3),
        ("(a;b)", .syntax, 2),
        ("[a]", .syntax, 0),
        ("'a'", .syntax, 0),
        ("ü", .syntax, 0),
        ("<xy>", .syntax, 1),
        ("<0 0>", .data, 2),
        ("<000>", .data, 4),
        ("{} {}", .trailing, 3),
        ("a=b", .trailing, 1),
        (#""\x""#, .escape, 1),
        (#""a\200""#, .escape, 2),
        (#""\777""#, .escape, 1),
        (#""\U12""#, .escape, 1),
        (#""\U12G4""#, .escape, 1),
        (#""\Ud83d""#, .escape, 1),
        (#""\Ud83d\n""#, .escape, 1),
        (#""\Ud83d\Ud83d""#, .escape, 1),
        (#""\Ude00""#, .escape, 1),
    ]

    @Test("What the grammar does not have is an error at its byte", arguments: rejected)
    func rejects(_ text: String, _ code: PropertyListError.Code, _ offset: Int) throws {
        let error = try #require(throws: PropertyListError.self) { try Self.parse(Array(text.utf8)) }
        #expect(error == PropertyListError(code, at: offset), "\(text)")
    }

    @Test(
        "Bytes that are not UTF-8 are named",
        arguments: [[0xC3, 0x28], [0xFF, 0x28], [0xC0, 0x80], [0xED, 0xA0]]
    )
    func rejectsBadUTF8(_ bad: [UInt8]) throws {
        let error = try #require(throws: PropertyListError.self) {
            try Self.parse(Array("{ a = \"xy".utf8) + bad + Array("\"; }".utf8))
        }
        #expect(error == PropertyListError(.utf8, at: 9))
    }

    @Test("A receipt cut at any byte is truncated there")
    func everyTruncation() throws {
        let list = ReceiptText.receipt().replacing("{", with: "{ a = (<00 01>, \"\\101\"); ") + " /* ( */"
        let whole = Array(list.utf8)
        let end = try #require(whole.lastIndex(of: 0x7D))
        for count in 0...end {
            let error = try #require(throws: PropertyListError.self) { try Self.parse(Array(whole[..<count])) }
            #expect(error == PropertyListError(.truncated, at: count))
        }
        _ = try Self.parse(whole)
    }

    @Test("Depth is limited", arguments: ["(", "{a="])
    func depth(_ opening: String) throws {
        let limit = PropertyListLimits.depth
        for depth in [limit + 1, 100_000] {
            let error = try #require(throws: PropertyListError.self) {
                try Self.parse(Array(String(repeating: opening, count: depth).utf8))
            }
            #expect(error == PropertyListError(.depth, at: limit * opening.utf8.count))
        }
        let deepest = String(repeating: "(", count: limit) + String(repeating: ")", count: limit)
        #expect(throws: Never.self) { try Self.parse(Array(deepest.utf8)) }
    }

    @Test("Size, length and count are limited")
    func limits() throws {
        let size = [UInt8](repeating: 0x20, count: PropertyListLimits.byteCount + 1)
        let length = [0x22] + [UInt8](repeating: 0x61, count: PropertyListLimits.textLength + 1) + [0x22]
        let count = Array(("(" + String(repeating: "a,", count: PropertyListLimits.valueCount) + ")").utf8)
        let cases: [([UInt8], PropertyListError)] = [
            (size, PropertyListError(.tooLarge, at: PropertyListLimits.byteCount)),
            (length, PropertyListError(.tooLong, at: 1)),
            (count, PropertyListError(.tooMany, at: PropertyListLimits.valueCount * 2 - 1)),
        ]
        for (octets, expected) in cases {
            #expect(throws: expected) { try Self.parse(octets) }
        }
    }

    @Test("Every code has a sentence")
    func reasons() {
        for code in PropertyListError.Code.allCases {
            #expect(code.rawValue.hasPrefix("plist."))
            #expect(!PropertyListError(code, at: 0).reason.isEmpty)
        }
    }
}
