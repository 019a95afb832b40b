import Testing
import TillCore
import TillJSON

@Suite("JSON strings")
struct JSONStringTests {
    /// The borders of Unicode's table 3-7, and what lies just outside them.
    static let sequences: [([UInt8], Bool)] = [
        ([0xC2, 0x80], true), ([0xDF, 0xBF], true), ([0xC0, 0x80], false), ([0xC1, 0xBF], false),
        ([0xC2, 0x7F], false),
        ([0xC2, 0xC0], false), ([0xE0, 0xA0, 0x80], true), ([0xE0, 0xBF, 0xBF], true), ([0xE0, 0x9F, 0xBF], false),
        ([0xE0, 0x80, 0x80], false), ([0xE1, 0x80, 0x80], true), ([0xEC, 0xBF, 0xBF], true),
        ([0xED, 0x80, 0x80], true),
        ([0xED, 0x9F, 0xBF], true), ([0xED, 0xA0, 0x80], false), ([0xED, 0xBF, 0xBF], false),
        ([0xEE, 0x80, 0x80], true),
        ([0xEF, 0xBF, 0xBF], true), ([0xEF, 0xBF, 0xC0], false), ([0xF0, 0x90, 0x80, 0x80], true),
        ([0xF0, 0x8F, 0xBF, 0xBF], false), ([0xF0, 0xBF, 0xBF, 0xBF], true), ([0xF3, 0xBF, 0xBF, 0xBF], true),
        ([0xF4, 0x80, 0x80, 0x80], true), ([0xF4, 0x8F, 0xBF, 0xBF], true), ([0xF4, 0x90, 0x80, 0x80], false),
        ([0xF5, 0x80, 0x80, 0x80], false), ([0xFF], false), ([0xFE], false), ([0x80], false), ([0xBF], false),
        ([0xE2, 0x82], false), ([0xF0, 0x9F, 0x98], false), ([0xC3], false), ([0xC3, 0x28], false),
        ([0xE2, 0x28, 0xA1], false), ([0xE2, 0x82, 0x28], false), ([0xF0, 0x9F, 0x98, 0x28], false),
    ]

    @Test("UTF-8 is well formed as Unicode's table 3-7 says, at any distance from the quote", arguments: sequences)
    func validatesUTF8(_ sequence: [UInt8], _ isValid: Bool) {
        for distance in 0..<17 {
            let before = Array(repeating: UInt8(ascii: "a"), count: distance)
            let quoted = [0x22] + before + sequence + [0x22]
            let expected = isValid ? nil : Finding(.jsonUTF8, at: distance + 1)
            #expect(JSONText(quoted).error == expected)
            #expect(
                JSONText(quoted + Array(":\"abcdefghijkl".utf8)).error?.defect == (isValid ? .jsonSyntax : .jsonUTF8)
            )
            if isValid { #expect(JSONText(quoted).string == before + sequence) }
        }
        // Cut short by the end of the text it may still become whole.
        if isValid {
            for count in 1..<sequence.count {
                #expect(JSONText([0x22] + sequence[..<count]).error == Finding(.jsonTruncated, at: 1))
            }
        }
    }

    @Test(
        "Bytes that are not UTF-8 outside strings are a syntax error",
        arguments: [0x80, 0xC3, 0xEF, 0xFF] as [UInt8]
    )
    func rejectsBytesOutsideStrings(_ byte: UInt8) {
        #expect(JSONText([byte]).error == Finding(.jsonSyntax))
        #expect(JSONText([0x5B, byte, 0x5D]).error == Finding(.jsonSyntax, at: 1))
    }

    @Test(
        "Escapes are undone as RFC 8259 §7 says",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
            (#""\ud83d\ude00x\uDBFF\uDFFF""#, "😀x\u{10FFFF}"), (#""\ud800\udc00""#, "\u{10000}"), (#""\u0000""#, "\0"),
            (#""\uFFFF\uD7FF\uE000""#, "\u{FFFF}\u{D7FF}\u{E000}"), (#""no escape é""#, "no escape é"),
            (#""\ud83d""#, "\u{FFFD}"), (#""x\ud83dx""#, "x\u{FFFD}x"), (#""\udc00\ud800""#, "\u{FFFD}\u{FFFD}"),
            (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"), (#""\ud83d\n\ude00""#, "\u{FFFD}\n\u{FFFD}"),
            (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""\\u0041""#, "\\u0041"), (#""\\\"""#, "\\\""), (#""""#, ""),
        ]
    )
    func undoesEscapes(_ text: String, _ expected: String) {
        #expect(JSONText(text).string == Array(expected.utf8))
    }

    @Test("Every scalar survives being escaped, and being written as it is")
    func roundTripsScalars() {
        var values: [UInt32] = Array(0...0x7FF)
        values += stride(from: 0x800, through: 0x10FFFF, by: 127)
        for scalar in values.compactMap(Unicode.Scalar.init) {
            let plain = Array(String(scalar).utf8)
            let units = String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            #expect(JSONText("\"\(units.joined())\"").string == plain)
            if scalar.value >= 0x20, scalar != "\"", scalar != "\\" {
                #expect(JSONText([0x22] + plain + [0x22]).string == plain)
            }
        }
    }
}
