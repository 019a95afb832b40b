import Testing
import TillInput
import TillTestSupport

@Suite("Receipts as hexadecimal digits")
struct HexadecimalTests {
    private static let receipt = ReceiptDER.sample()

    private static func digits(_ bytes: [UInt8], isUppercase: Bool = false) -> String {
        bytes.map { byte in
            let text = String(byte, radix: 16, uppercase: isUppercase)
            return text.count == 1 ? "0" + text : text
        }
        .joined()
    }

    private static let plain = digits(receipt.der)

    /// Texts that hold a receipt.
    static let texts: [String] = [
        plain, digits(receipt.der, isUppercase: true), "\\x" + plain, "\\\\x" + plain, "0x" + plain, "0X" + plain,
        "  \\x" + plain + " \r", digits(receipt.ber(fragments: 60)), plain.prefix(70) + " " + plain.dropFirst(70),
        "<" + plain + ">", "<" + grouped + "> ",
    ]

    /// As `NSData` was described: four octets, a space.
    private static let grouped = stride(from: 0, to: receipt.der.count, by: 4)
        .map { digits(Array(receipt.der[$0..<min($0 + 4, receipt.der.count)])) }
        .joined(separator: " ")

    @Test("A line of digits is a receipt, wherever its text is cut", arguments: texts)
    func readsLines(_ text: String) {
        let stream = "{\"status\":21003}\n\(text)\n{\"status\":21003}\n"
        let reading = Reading(stream)
        #expect(reading.rejects.isEmpty && reading.accepted == 3)
        #expect(
            reading.transactions
                == Reading(Self.receipt.der).transactions.map { row in
                    row.merging(["document": "1"]) { $1 }
                }
        )
        for step in [1, 7, 64, 1000] { #expect(Reading(stream, step: step) == reading, "step \(step)") }
    }

    @Test("A receipt in hexadecimal digits is read from a cell of delimited text", arguments: texts)
    func readsCells(_ text: String) {
        let reading = Reading(csv: text)
        #expect(reading.rejects.isEmpty && reading.accepted == 1 && reading.transactions.count == 2)
    }

    @Test("Digits are decoded to bytes")
    func decodes() throws {
        var output: [UInt8] = [9]
        for (text, expected): (String, [UInt8]) in [
            ("", []), ("00", [0]), ("0aFf", [10, 255]), ("\\x3082", [0x30, 0x82]), (" 0x 3 0\n82\t", [0x30, 0x82]),
        ] {
            let bytes = Array(text.utf8)
            try Hexadecimal.decode(bytes.span.bytes, into: &output)
            #expect(output == expected, "\(text)")
        }
    }

    @Test("Text that only begins so is no receipt in digits")
    func recognizes() {
        func recognizes(_ text: String) -> Bool {
            let bytes = Array(text.utf8)
            return Hexadecimal.recognizes(bytes.span.bytes)
        }
        let zeros = String(repeating: "0", count: 61)
        #expect(recognizes("308" + zeros) && recognizes("\\x308" + zeros) && recognizes("0x308" + zeros))
        for text in [
            "", "3", "30", "\\x", "\\x30", "0x30", "308" + zeros.dropLast(), "307" + zeros, "318" + zeros,
            "408" + zeros,
            "x308" + zeros, "\\3082" + zeros, "308" + zeros.dropLast() + "g", "0x", "\\", "0",
        ] {
            #expect(!recognizes(text), "\(text)")
        }
    }

    /// Damaged digits, the code, and how far the reader got.
    static let damaged: [(String, String, Int)] = [
        (plain.dropLast() + "g", "hex.character", plain.utf8.count - 1),
        ("\\x" + plain.prefix(101), "hex.truncated", 103), (plain.prefix(100) + "-" + plain, "hex.character", 100),
        ("0x" + plain.prefix(100), "ber.truncated", 0),
    ]

    @Test("Damaged digits are a reject with all bytes of the line", arguments: damaged)
    func rejects(_ text: String, _ code: String, _ offset: Int) {
        let reading = Reading(text + "\n")
        #expect(reading.rejects.map(\.code) == [code])
        #expect(reading.rejects.first?.innerOffset == offset)
        #expect(reading.rejects.first?.raw == Array(text.utf8))
        #expect(Reading(csv: text).rejects.map(\.code) == [code])
    }

    @Test("Bytes behind the receipt are a document of their own, as in base64")
    func readsTrailing() {
        #expect(Reading("\\x" + Self.plain + Self.plain).accepted == 2)
        #expect(Reading("\\x" + Self.plain + "0000").rejects.isEmpty)
        #expect(Reading("\\x" + Self.plain + "ff").rejects.map(\.code) == ["document.trailing"])
    }
}
