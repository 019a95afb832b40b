import Testing
import TillColumns
import TillTestSupport

@Suite("Dictionaries of texts")
struct TextDictionaryTests {
    @Test("Texts are numbered in order of first appearance, and come back as they were")
    func numbersTexts() {
        var dictionary = TextDictionary()
        let texts = ["", "a", "b", "", "a", "é", "a\0", "\0", "12345678", "123456789", "1234567", "12345678"]
        #expect(texts.map { dictionary.code(for: $0) } == [0, 1, 2, 0, 1, 3, 4, 5, 6, 7, 8, 6])
        #expect(dictionary.count == 9)
        #expect(
            (0..<9).map(dictionary.text(of:)) == ["", "a", "b", "é", "a\0", "\0", "12345678", "123456789", "1234567"]
        )
        let bytes = dictionary.withBytes(of: 3) { $0.withUnsafeBytes { Array($0) } }
        #expect(bytes == [0xC3, 0xA9])
        #expect(dictionary.byteCount == 0 + 1 + 1 + 2 + 2 + 1 + 8 + 9 + 7)
    }

    @Test("Ten thousand texts, some of them nearly the same, keep their codes while the table grows")
    func growsWithoutMixing() {
        var random = SplitMix64(seed: 3)
        var dictionary = TextDictionary()
        var model: [[UInt8]: Int] = [:]
        for _ in 0..<20_000 {
            var text = random.once(in: 2) ? Array("com.example.product.".utf8) : []
            text += random.bytes(random.below(4))
            let expected = model[text] ?? model.count
            model[text] = expected
            let code = dictionary.code(for: text.span.bytes)
            if code != expected { Issue.record("\(text)") }
        }
        #expect(dictionary.count == model.count && model.count > 5000)
        for (text, code) in model {
            let bytes = dictionary.withBytes(of: code) { $0.withUnsafeBytes { Array($0) } }
            if bytes != text { Issue.record("\(text)") }
        }
    }

    @Test(
        "Cutting a dictionary back forgets the later texts and keeps the earlier",
        arguments: [0, 1, 5, 300, 600, 900]
    )
    func truncates(_ count: Int) {
        var dictionary = TextDictionary()
        for number in 0..<600 { _ = dictionary.code(for: "text \(number)") }
        dictionary.truncate(to: count)
        let kept = min(count, 600)
        #expect(dictionary.count == kept)
        for number in 0..<kept { #expect(dictionary.code(for: "text \(number)") == number) }
        #expect(dictionary.code(for: "new") == kept)
        #expect(dictionary.code(for: "text 599") == (kept == 600 ? 599 : kept + 1))
        #expect(dictionary.text(of: kept) == "new")
    }

    @Test("Texts sort byte by byte")
    func ordersTexts() {
        var dictionary = TextDictionary()
        let sorted = ["", "A", "B", "a", "aa", "b", "é"]
        let codes = sorted.reversed().map { dictionary.code(for: $0) }.reversed()
        for (index, left) in codes.enumerated() {
            for (other, right) in codes.enumerated() { #expect(dictionary.precedes(left, right) == (index < other)) }
        }
    }

    @Test("Fingerprints are those of the text and differ for texts that are nearly the same")
    func fingerprints() {
        func fingerprint(_ text: String) -> UInt128 { TextDictionary.fingerprint(Array(text.utf8).span.bytes) }
        var seen: Set<UInt128> = []
        let texts = (0..<5000).map { "request-\($0)" } + ["", "a", "a\0", "\0a", "12345678", "12345678\0", "012345678"]
        for text in texts { seen.insert(fingerprint(text)) }
        #expect(seen.count == texts.count)
        // Partials hold fingerprints, so they must stay the same from build to build.
        #expect(fingerprint("request-7") == 0xFA8A_7A66_BF4B_35A7_6557_86DA_E06D_1D21)
    }
}
