import Testing
import TillCore
import TillJSON

@Suite("Escapes of JSON")
struct JSONEscapeTests {
    static let texts: [(String, String)] = [
        ("a\"\\\n\r\t\u{1F}\u{7F}", #"a\"\\\n\r\t\u001f\u007f"#),
        ("\u{80}\u{9B}31m\u{9F}", #"\u0080\u009b31m\u009f"#),
        ("\u{202E}gnp\u{2066}\u{2028}\u{2029}", #"\u202egnp\u2066\u2028\u2029"#),
        ("\u{FEFF}\u{200B}\u{AD}", #"\ufeff\u200b\u00ad"#),
        ("\u{E0041}", #"\udb40\udc41"#),
        ("é\u{A0}語🧾\u{FE0F}", "é\u{A0}語🧾\u{FE0F}"),
    ]

    @Test("What must be escaped is, and what acts unseen; all else stands as it is", arguments: texts)
    func escapes(_ text: String, _ expected: String) {
        var bytes: [UInt8] = []
        bytes.appendJSON(string: text.utf8)
        #expect(String(decoding: bytes, as: UTF8.self) == "\"\(expected)\"")
    }

    @Test("Every character is escaped where it acts unseen, and comes back as it was")
    func everyCharacter() throws {
        let scalars = (0...0x10FFFF).lazy.compactMap { Unicode.Scalar($0 as UInt32) }
        for scalar in scalars where scalar.value >= 0x80 {
            var bytes: [UInt8] = []
            bytes.appendJSON(escaping: String(scalar).utf8)
            guard scalar.isUnseen else {
                if !bytes.elementsEqual(String(scalar).utf8) { Issue.record("\(scalar.value)") }
                continue
            }
            let units = String(decoding: bytes, as: UTF8.self).split(separator: "\\u").compactMap {
                UInt16($0, radix: 16)
            }
            if String(decoding: units, as: UTF16.self) != String(scalar) { Issue.record("\(scalar.value)") }
        }
    }

    @Test(
        "Bytes that are no UTF-8 stay as they are",
        arguments: [
            [0x9B], [0xC2], [0xC2, 0x41], [0x80, 0x80, 0x80, 0x80, 0x80], [0xE2, 0x80], [0xF0, 0x80, 0x80],
            [0xFF, 0xBF],
        ] as [[UInt8]]
    )
    func keeps(_ text: [UInt8]) {
        var bytes: [UInt8] = Array("\u{C2}".utf8)
        bytes.appendJSON(escaping: text)
        #expect(bytes == Array("\u{C2}".utf8) + text)
    }
}
