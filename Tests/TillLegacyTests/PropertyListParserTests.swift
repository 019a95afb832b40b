import Testing
import TillCore
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

    static func parse(_ octets: [UInt8]) throws(Finding) -> Value {
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

    static let rejected: [(String, Defect, Int)] = [
        ("", .plistTruncated, 0),
        ("  ", .plistTruncated, 2),
        ("{", .plistTruncated, 1),
        ("{ a", .plistTruncated, 3),
        ("{ a =", .plistTruncated, 5),
        ("{ a = b", .plistTruncated, 7),
        ("\"a", .plistTruncated, 2),
        ("\"a\\", .plistTruncated, 3),
        ("\"a\\\"", .plistTruncated, 4),
        ("(a", .plistTruncated, 2),
        ("(a,", .plistTruncated, 3),
        ("<0", .plistTruncated, 2),
        ("<00", .plistTruncated, 3),
        ("/* a", .plistTruncated, 4),
        ("{ /* a * /", .plistTruncated, 10),
        ("{ a = b c = d; }", .plistSyntax, 8),
        ("{ a b; }", .plistSyntax, 4),
        ("{ a = ; }", .plistSyntax, 6),
        ("{ = b; }", .plistSyntax, 2),
        ("{ a : b; }", .plistSyntax, 4),
        ("{ a = b;; }", .plistSyntax, 8),
        ("{ {} = b; }", .plistSyntax, 2),
        ("(,)", .plistSyntax, 1),
        ("(a b)", .plistSyntax, 3),
        ("(a;b)", .plistSyntax, 2),
        ("[a]", .plistSyntax, 0),
        ("'a'", .plistSyntax, 0),
        ("ü", .plistSyntax, 0),
        ("<xy>", .plistSyntax, 1),
        ("<0 0>", .plistData, 2),
        ("<000>", .plistData, 4),
        ("{} {}", .plistTrailing, 3),
        ("a=b", .plistTrailing, 1),
        (#""\x""#, .plistEscape, 1),
        (#""a\200""#, .plistEscape, 2),
        (#""\777""#, .plistEscape, 1),
        (#""\U12""#, .plistEscape, 1),
        (#""\U12G4""#, .plistEscape, 1),
        (#""\Ud83d""#, .plistEscape, 1),
        (#""\Ud83d\n""#, .plistEscape, 1),
        (#""\Ud83d\Ud83d""#, .plistEscape, 1),
        (#""\Ude00""#, .plistEscape, 1),
    ]

    @Test("What the grammar does not have is an error at its byte", arguments: rejected)
    func rejects(_ text: String, _ defect: Defect, _ offset: Int) throws {
        let error = try #require(throws: Finding.self) { try Self.parse(Array(text.utf8)) }
        #expect(error == Finding(defect, at: offset), "\(text)")
    }

    @Test(
        "Bytes that are not UTF-8 are named",
        arguments: [[0xC3, 0x28], [0xFF, 0x28], [0xC0, 0x80], [0xED, 0xA0]]
    )
    func rejectsBadUTF8(_ bad: [UInt8]) throws {
        let error = try #require(throws: Finding.self) {
            try Self.parse(Array("{ a = \"xy".utf8) + bad + Array("\"; }".utf8))
        }
        #expect(error == Finding(.plistUTF8, at: 9))
    }

    @Test("A receipt cut at any byte is truncated there")
    func everyTruncation() throws {
        let list = ReceiptText.receipt().replacing("{", with: "{ a = (<00 01>, \"\\101\"); ") + " /* ( */"
        let whole = Array(list.utf8)
        let end = try #require(whole.lastIndex(of: 0x7D))
        for count in 0...end {
            let error = try #require(throws: Finding.self) { try Self.parse(Array(whole[..<count])) }
            #expect(error == Finding(.plistTruncated, at: count))
        }
        _ = try Self.parse(whole)
    }

    @Test("Depth is limited", arguments: ["(", "{a="])
    func depth(_ opening: String) throws {
        let limit = PropertyListLimits.depth
        for depth in [limit + 1, 100_000] {
            let error = try #require(throws: Finding.self) {
                try Self.parse(Array(String(repeating: opening, count: depth).utf8))
            }
            #expect(error == Finding(.plistDepth, at: limit * opening.utf8.count))
        }
        let deepest = String(repeating: "(", count: limit) + String(repeating: ")", count: limit)
        #expect(throws: Never.self) { try Self.parse(Array(deepest.utf8)) }
    }

    @Test("Size, length and count are limited")
    func limits() throws {
        let size = [UInt8](repeating: 0x20, count: PropertyListLimits.byteCount + 1)
        let length = [0x22] + [UInt8](repeating: 0x61, count: PropertyListLimits.textLength + 1) + [0x22]
        let count = Array(("(" + String(repeating: "a,", count: PropertyListLimits.valueCount) + ")").utf8)
        let cases: [([UInt8], Finding)] = [
            (size, Finding(.plistTooLarge, at: PropertyListLimits.byteCount)),
            (length, Finding(.plistTooLong, at: 1)),
            (count, Finding(.plistTooMany, at: PropertyListLimits.valueCount * 2 - 1)),
        ]
        for (octets, expected) in cases {
            #expect(throws: expected) { try Self.parse(octets) }
        }
    }
}
