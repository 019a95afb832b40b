import Testing
import TillInput

@Suite("Rows of delimited text")
struct CSVRowTests {
    static func read(_ text: String, separator: Character = ",", isFinal: Bool = true) -> (CSVRow.Outcome, [String]) {
        let bytes = Array(text.utf8) + Array(repeating: 0, count: ByteBuffer.padding)
        var row = CSVRow()
        let outcome = row.read(
            bytes.span.bytes,
            at: 0,
            limit: text.utf8.count,
            separator: separator.asciiValue ?? 0,
            isFinal: isFinal
        )
        let cells = row.cells.map { cell in
            var text: [UInt8] = []
            cell.appendText(of: bytes.span.bytes, to: &text)
            return String(decoding: text, as: UTF8.self)
        }
        return (outcome, cells)
    }

    static let rows: [(String, Int, [String])] = [
        ("a,b\nc", 4, ["a", "b"]), ("a,b\r\nc", 5, ["a", "b"]), ("a,b", 3, ["a", "b"]), (",\n", 2, ["", ""]),
        ("\n", 1, [""]), ("\"a\",b\n", 6, ["a", "b"]), ("\"a,\nb\",c\r\n", 10, ["a,\nb", "c"]),
        ("\"a\"\"b\"\"\"\n", 9, ["a\"b\""]), ("\"\"\n", 3, [""]), ("\"\"\"\"", 4, ["\""]),
        ("a\"b,c\"\n", 7, ["a\"b", "c\""]),
        (" \"a\",b\n", 7, [" \"a\"", "b"]), ("a;b\tc\n", 6, ["a;b\tc"]), ("\"a\"\r\n", 5, ["a"]),
        ("\"a\r\n\"\r\n", 7, ["a\r\n"]),
        ("a,\"\"\"\"\"\",b\n", 11, ["a", "\"\"", "b"]),
    ]

    @Test("Cells are read with their quotes undone, up to the line feed", arguments: rows)
    func reads(_ text: String, _ end: Int, _ cells: [String]) {
        let (outcome, found) = Self.read(text)
        #expect(outcome == .row(end: end))
        #expect(found == cells)
    }

    /// Text whose quotes are escaped, as it is written and as it is meant.
    static let escaped: [(String, String)] = [
        (#""{\"a\":\"b\"}""#, #"{"a":"b"}"#), (#""{""a"":""b\""c""}""#, #"{"a":"b\"c"}"#),
        // Spark leaves single backslashes as they are, MySQL escapes them.
        (#""{\"a\":\"b\n\/c\\\"d\"}""#, #"{"a":"b\n\/c\"d"}"#),
        (#""{\"a\":\"b\\n\\/c\\\"d\"}""#, #"{"a":"b\n\/c\"d"}"#),
        // A backslash before the quote that ends the cell escapes nothing, until a cell shows that it does.
        (#""C:\""#, #"C:\"#), (#""\"",x""#, #"\",x"#), (#""a\\""#, #"a\\"#), (#""a\\"",""#, #"a\\","#),
    ]

    @Test("A quote is escaped by doubling or by a backslash, as the first cell shows", arguments: escaped)
    func readsEscapes(_ text: String, _ cell: String) {
        #expect(Self.read(text).1 == [cell])
        #expect(Self.read("1," + text + ",z\n").1 == ["1", cell, "z"])
    }

    @Test("The way of escaping holds for later rows, and only a complete row shows it")
    func keepsEscape() {
        func outcomes(_ rows: [String]) -> [CSVEscape?] {
            var row = CSVRow()
            return rows.map { text in
                let bytes = Array(text.utf8) + Array(repeating: 0, count: ByteBuffer.padding)
                _ = row.read(bytes.span.bytes, at: 0, limit: text.utf8.count, separator: 0x2C, isFinal: false)
                return row.escape
            }
        }
        #expect(
            outcomes(["a,\"C:\\\"\n", #""\"a""#, #""\"a\"""# + "\n", "\"a\"\"b\"\n"]) == [
                nil, nil, .backslash, .backslash,
            ]
        )
        #expect(outcomes(["\"a\"\"b\"\n", #""\"a\"""# + "\n"]) == [.doubled, .doubled])
    }

    static let defects: [(String, Int, Int)] = [
        ("\"a", 2, 0), ("a,\"b\nc", 5, 2), ("\"a\"b,c\nd\n", 7, 2), ("x,\"a\n\"b\n", 5, 5),
        ("\"a\nb\",\"c\"d\ne\n", 11, 8),
    ]

    @Test("An unclosed quote is a defect of its line only", arguments: defects)
    func rejects(_ text: String, _ end: Int, _ offset: Int) {
        #expect(Self.read(text).0 == .defect(end: end, at: offset))
    }

    @Test(
        "A record that may continue is unfinished",
        arguments: ["a", "a,", "\"a", "\"a\"", "\"a\nb", "\"a\nb\"", "a,\"b\"\"", "a\r", ""]
    )
    func waits(_ text: String) {
        #expect(Self.read(text, isFinal: false).0 == .unfinished)
    }

    static func find(
        _ text: String,
        _ wanted: [String] = CSVHeader.usualColumns,
        isAnnounced: Bool = false,
        isFinal: Bool = true
    ) -> CSVHeader.Answer {
        let bytes = Array(text.utf8) + Array(repeating: 0, count: ByteBuffer.padding)
        return CSVHeader.find(
            in: bytes.span.bytes,
            limit: text.utf8.count,
            wanted: wanted,
            isAnnounced: isAnnounced,
            isFinal: isFinal
        )
    }

    static let headers: [(String, Character, Int, Int)] = [
        ("id,receipt\n1,x", ",", 1, 11), ("receipt\n", ",", 0, 8), ("\u{FEFF}id;Receipt;n\r\n", ";", 1, 17),
        ("id\tlatest_receipt\n", "\t", 1, 18), ("\"id\",\"receipt-data\"\n", ",", 1, 20),
        ("a, RECEIPT_DATA ,b\n", ",", 1, 19),
        ("transaction_receipt,receipt", ",", 1, 27),
    ]

    @Test("A first line that names a column of receipts is a header", arguments: headers)
    func findsHeader(_ text: String, _ separator: Character, _ column: Int, _ byteCount: Int) throws {
        guard case .header(let header) = Self.find(text) else {
            Issue.record("no header in \(text)")
            return
        }
        #expect(header.separator == separator.asciiValue)
        #expect(header.column == column)
        #expect(header.byteCount == byteCount)
    }

    static let others = [
        "{\"receipt\":1}\n", "[receipt]\n", "MIIT\n", "id,name\n", "<receipt>\n", "the receipt is here\n", "",
        "\"receipt",
        String(repeating: "M", count: 200) + ",receipt\n", "receipts,b\n",
    ]

    @Test("Any other first line is no header", arguments: others)
    func findsNoHeader(_ text: String) {
        guard case .none = Self.find(text) else {
            Issue.record("a header in \(text)")
            return
        }
    }

    @Test("With --column only that column is used, and with --from csv a header may have any form")
    func findsColumn() {
        guard case .none = Self.find("id,receipt\n", ["payload"]),
            case .header(let header) = Self.find("id,Payload\n", ["payload"])
        else {
            Issue.record("the wrong column")
            return
        }
        #expect(header.column == 1)
        let wide = "\"<a>\n[b]\",\(String(repeating: "x", count: 300)),receipt\n"
        guard case .none = Self.find(wide), case .header(let announced) = Self.find(wide, isAnnounced: true) else {
            Issue.record("an announced header was not taken")
            return
        }
        #expect(announced.columns.first == "<a>\n[b]")
    }

    @Test("Other input is told from a header by its first bytes, and a header is known once it is complete")
    func decidesEarly() {
        for (start, isDecided) in [("{\"", true), ("[", true), ("id,rec", false), ("", false), ("id,receipt", false)] {
            var found = true
            if case .undecided = Self.find(start, isFinal: false) { found = false }
            #expect(found == isDecided, "\(start)")
        }
    }
}
