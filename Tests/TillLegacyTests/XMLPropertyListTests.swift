import Testing
import TillCore
import TillInput

@Suite("XML property lists")
struct XMLPropertyListTests {
    static func parse(_ text: String) throws(Finding) -> PropertyListValue {
        try XMLPropertyList.parse(Array(text.utf8).span.bytes)
    }

    static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">

        """

    static let accepted: [(String, String)] = [
        ("<plist><string>a</string></plist>", "a"),
        ("<plist version='1.0'><dict/></plist>", "{}"),
        ("<plist><dict></dict></plist>", "{}"),
        ("<plist><array/></plist>", "[]"),
        (head + "<plist version=\"1.0\">\n<dict>\n\t<key>a</key>\n\t<string>b</string>\n</dict>\n</plist>\n", "{a=b}"),
        ("<plist><dict><key>a</key><array><true/><false/></array></dict></plist>", "{a=[true,false]}"),
        ("<plist><array><integer> 42\n</integer><real>1.5</real></array></plist>", "[42,1.5]"),
        ("<plist><date>2012-04-30T15:05:55Z</date></plist>", "2012-04-30T15:05:55Z"),
        ("<plist><string/></plist>", ""),
        ("<plist><string> a \n</string></plist>", " a \n"),
        ("<plist><string>&lt;&amp;&gt;&quot;&apos;&#65;&#x20AC;</string></plist>", "<&>\"'A€"),
        ("<plist><string><![CDATA[<a & b>]]>c</string></plist>", "<a & b>c"),
        ("<plist><string>a<!-- <key> & --><?x <y & ?>b</string></plist>", "ab"),
        ("<!-- a --><plist><!-- b --><array><!-- c --><string>d</string></array></plist><!-- e -->", "[d]"),
        ("<plist><data>\n    AAEC\n    /w==\n</data></plist>", "<0 1 2 ff>"),
        ("<plist><data></data></plist>", "<>"),
        ("<plist><string a='>'>x</string></plist>", "x"),
    ]

    @Test("Values are read as Apple's DTD has them", arguments: accepted)
    func accepts(_ text: String, _ expected: String) throws {
        #expect(PropertyListParserTests.plain(try Self.parse(text)) == expected)
    }

    @Test("Values know where their text stands")
    func offsets() throws {
        let text = "<!-- <a> --><plist><dict><key>k</key><string>v</string><key>l</key><array/></dict></plist>"
        let value = try Self.parse(text)
        let offset = { (part: String) in text.utf8.count - text.split(separator: part, maxSplits: 1)[1].utf8.count }
        #expect(value.offset == offset("<dict>") - 6)
        #expect(value.entries?.map(\.value.offset) == [offset("<string>"), offset("<array/>") - 8])
    }

    static let rejected: [(String, Defect, Int)] = [
        ("", .plistTruncated, 0),
        ("<?xml version='1.0'?>", .plistTruncated, 21),
        ("<plist>", .plistTruncated, 7),
        ("<plist><string>a</strin", .plistTruncated, 23),
        ("<plist><string>a&amp", .plistTruncated, 20),
        ("<plist/>", .plistElement, 0),
        ("<plist></plist>", .plistElement, 0),
        ("<html></html>", .plistElement, 0),
        ("<dict></dict>", .plistElement, 0),
        ("<plist><plist/></plist>", .plistElement, 7),
        ("<plist><set/></plist>", .plistElement, 7),
        ("<plist><string/><string/></plist>", .plistElement, 16),
        ("<plist><key>a</key></plist>", .plistElement, 7),
        ("<plist><dict><string>a</string></dict></plist>", .plistElement, 13),
        ("<plist><dict><key>a</key></dict></plist>", .plistElement, 13),
        ("<plist><dict><key>a</key><key>b</key></dict></plist>", .plistElement, 25),
        ("<plist><string><string/></string></plist>", .plistElement, 15),
        ("<plist><array>a</array></plist>", .plistSyntax, 14),
        ("<plist><data>A</data></plist>", .plistData, 13),
        ("<plist><data>A*==</data></plist>", .plistData, 13),
        ("<plist><string>a</strong></plist>", .plistXML, 25),
        ("<plist><dict></plist></dict>", .plistXML, 21),
        ("<plist><string a=b>c</string></plist>", .plistXML, 17),
        ("<plist><string>\u{1}</string></plist>", .plistXML, 15),
        ("<plist><string/></plist><plist/>", .plistXML, 24),
        ("<plist><string>&#0;</string></plist>", .plistXML, 19),
        ("<plist><string>&nbsp;</string></plist>", .plistEntity, 15),
        ("<plist><string>a & b</string></plist>", .plistEntity, 17),
        ("<plist a='&x;'><string/></plist>", .plistEntity, 10),
    ]

    @Test("What is no property list is an error at its byte", arguments: rejected)
    func rejects(_ text: String, _ defect: Defect, _ offset: Int) throws {
        let error = try #require(throws: Finding.self) { try Self.parse(text) }
        #expect(error == Finding(defect, at: offset), "\(text)")
    }

    @Test("Bytes that are not UTF-8 are named, whatever the declaration says")
    func rejectsBadUTF8() throws {
        let start = Array("<?xml version='1.0' encoding='ISO-8859-1'?><plist><string>caf".utf8)
        let octets = start + [0xE9] + Array("</string></plist>".utf8)
        let error = try #require(throws: Finding.self) { try XMLPropertyList.parse(octets.span.bytes) }
        #expect(error == Finding(.plistUTF8, at: start.count))
    }

    @Test("Another encoding cannot smuggle a declaration in: +ADw- is no bracket")
    func ignoresDeclaredEncoding() throws {
        let text = "<?xml version='1.0' encoding='UTF-7'?><plist><string>+ADw-b+AD4-</string></plist>"
        #expect(try Self.parse(text).string == "+ADw-b+AD4-")
    }

    @Test("Billion laughs: a document type with declarations is refused before any is read")
    func billionLaughs() throws {
        var text = "<?xml version=\"1.0\"?>\n<!DOCTYPE plist [\n<!ENTITY lol0 \"lol\">\n"
        for level in 1...9 {
            let references = String(repeating: "&lol\(level - 1);", count: 10)
            text += "<!ENTITY lol\(level) \"\(references)\">\n"
        }
        text += "]>\n<plist><string>&lol9;</string></plist>"
        #expect(throws: Finding(.plistEntity, at: 38)) { try Self.parse(text) }
    }

    static let external = [
        "<!DOCTYPE plist [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><plist><string>&x;</string></plist>",
        "<!DOCTYPE plist [<!ENTITY % x SYSTEM \"http://192.0.2.1/x.dtd\"> %x;]><plist><string/></plist>",
        "<!DOCTYPE plist [ ]><plist><string/></plist>",
        "<!DOCTYPE plist SYSTEM \"file:///etc/passwd\" [<!ELEMENT a ANY>]><plist><string/></plist>",
        "<!DOCTYPE plist SYSTEM \"http://192.0.2.1/x.dtd\"><plist><string>&x;</string></plist>",
    ]

    @Test("External entities are refused", arguments: external)
    func externalEntities(_ text: String) throws {
        let error = try #require(throws: Finding.self) { try Self.parse(text) }
        #expect(error.defect == .plistEntity)
    }

    @Test("A document type of another place is never fetched")
    func externalDocumentType() throws {
        let text = "<!DOCTYPE plist SYSTEM \"http://192.0.2.1/x.dtd\"><plist><string>a</string></plist>"
        #expect(try Self.parse(text).string == "a")
    }

    @Test("A receipt cut at any byte is truncated there")
    func everyTruncation() throws {
        let list = ReceiptText.xml(ReceiptText.purchase).replacing("<dict>", with: "<dict><!-- & --><![CDATA[ ]]>")
        let whole = Array(list.replacing("8<", with: "&amp;&#56;<").utf8)
        for count in 0..<whole.count {
            let error = try #require(throws: Finding.self) {
                try XMLPropertyList.parse(Array(whole[..<count]).span.bytes)
            }
            #expect(error == Finding(.plistTruncated, at: count))
        }
    }

    @Test("Depth, size and count are limited")
    func limits() throws {
        let limit = PropertyListLimits.depth
        let bomb = "<plist>" + String(repeating: "<array>", count: 100_000)
        #expect(throws: Finding(.plistDepth, at: 7 + 7 * (limit + 1))) { try Self.parse(bomb) }
        for (depth, isAccepted) in [(limit, true), (limit + 1, false)] {
            let text =
                "<plist>" + String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
                + "</plist>"
            if isAccepted {
                #expect(throws: Never.self) { try Self.parse(text) }
            } else {
                #expect(throws: Finding(.plistDepth, at: 7 + 7 * limit)) { try Self.parse(text) }
            }
        }
        let size = String(repeating: " ", count: PropertyListLimits.byteCount + 1)
        #expect(throws: Finding(.plistTooLarge, at: PropertyListLimits.byteCount)) { try Self.parse(size) }
        let long =
            "<plist><string>" + String(repeating: "a", count: PropertyListLimits.textLength + 1) + "</string></plist>"
        #expect(throws: Finding(.plistTooLong, at: 15)) { try Self.parse(long) }
        let count = PropertyListLimits.valueCount
        let many = "<plist><array>" + String(repeating: "<true/>", count: count) + "</array></plist>"
        #expect(throws: Finding(.plistTooMany, at: 14 + 7 * (count - 1))) { try Self.parse(many) }
    }

    @Test("Readers at once do not disturb each other")
    func concurrency() async throws {
        let good = ReceiptText.xml(ReceiptText.purchase)
        let bad = good.replacing("</dict>", with: "</dct>")
        let expected = try Self.parse(good)
        let outcomes = await withTaskGroup { group in
            for number in 0..<200 {
                group.addTask { Result { try Self.parse(number % 2 == 0 ? good : bad) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let values = outcomes.compactMap { try? $0.get() }
        #expect(values == Array(repeating: expected, count: 100))
    }
}
