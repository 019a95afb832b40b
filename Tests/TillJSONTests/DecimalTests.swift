import Testing
import TillJSON
import TillTestSupport

@Suite("Decimal digits")
struct DecimalTests {
    private static func decimal(_ text: [UInt8], at start: Int, surroundedBy filler: UInt8) -> Int64? {
        let bytes = Array(repeating: filler, count: start) + text + Array(repeating: filler, count: 3)
        let padded = JSONText(bytes)
        let cursor = JSONCursor(padded.bytes.span.bytes, limit: padded.limit)
        return cursor.values.decimal(start, start + text.count)
    }

    private static func naive(_ text: [UInt8]) -> Int64? {
        guard !text.isEmpty, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(String(decoding: text, as: UTF8.self))
    }

    @Test("Digits of every length at every position are their number", arguments: 0...24)
    func readsDigits(_ count: Int) {
        var random = SplitMix64(seed: UInt64(count))
        for start in 0..<20 {
            for filler in [UInt8(ascii: "9"), UInt8(ascii: "\""), 0xFF, 0x00] {
                for _ in 0..<4 {
                    let text = (0..<count).map { _ in UInt8(0x30 + random.below(10)) }
                    let read = Self.decimal(text, at: start, surroundedBy: filler)
                    #expect(read == Self.naive(text), "\(count) digits at \(start)")
                }
            }
        }
    }

    @Test("One byte that is no digit makes it none, whichever byte and wherever it stands", arguments: 1...20)
    func rejectsOtherBytes(_ count: Int) {
        for other in UInt8.min...UInt8.max where !(0x30...0x39).contains(other) {
            for place in 0..<count {
                var text = Array("12345678901234567890".utf8.prefix(count))
                text[place] = other
                for start in [0, 7, 16] {
                    let read = Self.decimal(text, at: start, surroundedBy: UInt8(ascii: "1"))
                    if read != nil { Issue.record("\(other) at \(place) of \(count), from \(start)") }
                }
            }
        }
    }

    @Test(
        "What leaves 63 bits is none",
        arguments: [
            ("9223372036854775807", .max), ("9223372036854775808", nil), ("18446744073709551616", nil),
            ("0000000000000000000000042", 42), ("99999999999999999999", nil),
            ("9999999999999999", 9_999_999_999_999_999),
        ] as [(String, Int64?)]
    )
    func stopsAt63Bits(_ text: String, _ value: Int64?) {
        for start in [0, 1, 16] {
            #expect(Self.decimal(Array(text.utf8), at: start, surroundedBy: 0x22) == value)
        }
    }
}
