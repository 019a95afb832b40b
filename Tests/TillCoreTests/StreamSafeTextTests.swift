import Testing
import TillCore

@Suite("Texts of the input")
struct StreamSafeTextTests {
    @Test("No more than 30 combining marks come in a row; all other texts are kept as they are")
    func separatesMarks() {
        let marks = String(repeating: "\u{301}\u{316}", count: 15)
        let kept = [
            "", "a", "a" + marks, String(repeating: "é", count: 100), String(repeating: "語", count: 100),
            "a\u{301}b" + marks,
        ]
        for text in kept {
            #expect(Array(text.streamSafe.utf8) == Array(text.utf8))
            #expect(Array(String(input: Array(text.utf8)).utf8) == Array(text.utf8))
        }
        for count in [1, 29, 31, 1000] {
            let long = "a" + marks + String(repeating: "\u{316}", count: count)
            let safe = String(input: Array(long.utf8))
            #expect(safe.unicodeScalars.filter { $0 != "\u{34F}" }.elementsEqual(long.unicodeScalars))
            #expect(safe.unicodeScalars.split(separator: "\u{34F}").allSatisfy { $0.count <= 31 })
            #expect(Array(safe.streamSafe.utf8) == Array(safe.utf8))
        }
        #expect(String(validInput: [0xFF]) == nil && String(input: [0xFF]) == "\u{FFFD}")
    }
}
