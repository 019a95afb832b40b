import Testing
import TillColumns
import TillTestSupport

@Suite("Identifiers")
struct IdentifierTests {
    private static func identifier(_ text: String, in dictionary: inout TextDictionary) -> Identifier {
        Identifier(Array(text.utf8).span.bytes, in: &dictionary)
    }

    static let texts: [(String, Bool)] = [
        ("0", true), ("7", true), ("1000000092134138", true), ("900000000000000001", true),
        ("9223372036854775807", true), ("9223372036854775808", false), ("9999999999999999999", false),
        ("10000000000000000000", false), ("00", false), ("007", false), ("-1", false), ("+1", false), ("1.0", false),
        ("1 ", false), ("", false), ("abc", false), ("12a", false), ("é", false), ("GPA.1234", false), ("\0", false),
    ]

    @Test("Every text comes back as it was; plain numbers below 2⁶³ take no place in the dictionary", arguments: texts)
    func roundTrips(_ text: String, _ isNumber: Bool) {
        var dictionary = TextDictionary()
        _ = dictionary.code(for: "first")
        let identifier = Self.identifier(text, in: &dictionary)
        #expect(identifier.text(in: dictionary) == text)
        #expect((identifier.code == nil) == isNumber)
        #expect(dictionary.count == (isNumber ? 1 : 2))
        #expect(Self.identifier(text, in: &dictionary) == identifier)
        #expect(Identifier(word: identifier.word).text(in: dictionary) == text)
    }

    @Test("Random texts of digits and letters come back as they were, and are equal only to themselves")
    func roundTripsRandomTexts() {
        var random = SplitMix64(seed: 4)
        var dictionary = TextDictionary()
        var model: [Identifier: String] = [:]
        for _ in 0..<5000 {
            let text = String(
                (0...random.below(21)).map { _ in random.pick(Array(random.once(in: 20) ? "ax-" : "0123456789")) }
            )
            let identifier = Self.identifier(text, in: &dictionary)
            if identifier.text(in: dictionary) != text || model[identifier] ?? text != text { Issue.record("\(text)") }
            model[identifier] = text
        }
    }

    @Test("A number is read whatever its length, and no text with another byte in any place is one")
    func readsDigitsInWords() {
        let digits = Array("1234567890987654321".utf8)
        for count in 1...digits.count {
            var dictionary = TextDictionary()
            let text = Array(digits[..<count])
            #expect(Identifier(text.span.bytes, in: &dictionary).word == Int64(String(decoding: text, as: UTF8.self)))
            for place in 0..<count {
                for byte in UInt8.min...UInt8.max where !(0x30...0x39).contains(byte) {
                    var other = text
                    other[place] = byte
                    if Identifier(other.span.bytes, in: &dictionary).code == nil { Issue.record("\(byte) at \(place)") }
                }
            }
        }
    }

    @Test("Ids order by length, then by text, whatever they are kept as")
    func orders() {
        var dictionary = TextDictionary()
        let sorted = [
            "", "0", "7", "a", "00", "07", "10", "99", "9a", "aa", "100", "9223372036854775807", "9223372036854775808",
            "10000000000000000000",
        ]
        let ids = sorted.reversed().map { Self.identifier($0, in: &dictionary) }.reversed()
        for (index, left) in ids.enumerated() {
            for (other, right) in ids.enumerated() {
                #expect(left.precedes(right, in: dictionary) == (index < other), "\(sorted[index]), \(sorted[other])")
            }
        }
    }
}
