import Testing
import TillColumns
import TillTestSupport

@testable import TillReceipts

@Suite("Texts that were met before")
struct KnownTextsTests {
    @Test(
        "Texts of every length have the codes of the dictionary, also where they share a slot",
        arguments: Seeds.some(of: UInt64(1)...10)
    )
    func agrees(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var (known, dictionary, plain) = (KnownTexts(columns: 2), TextDictionary(), TextDictionary())
        // Few letters, zero bytes among them, so that texts differ in their length or in their beginning alone.
        let texts = (0..<2000).map { _ in
            (0...generator.below(20)).map { _ in generator.pick([0, 0x61, 0x62] as [UInt8]) }
        }
        for _ in 0..<20_000 {
            let text = generator.pick(texts)
            let code = known.code(of: text.span.bytes, column: 1, in: &dictionary)
            #expect(code == Int64(plain.code(for: text.span.bytes)))
        }
    }

    @Test("After a new batch begins, codes are those of its dictionary")
    func forgets() {
        var (known, dictionary) = (KnownTexts(columns: 2), TextDictionary())
        let (first, second): ([UInt8], [UInt8]) = (Array("5.2.0".utf8), Array("com.example.pro.yearly".utf8))
        #expect(known.code(of: first.span.bytes, column: 0, in: &dictionary) == 0)
        known.removeAll()
        dictionary.truncate(to: 0)
        #expect(known.code(of: second.span.bytes, column: 0, in: &dictionary) == 0)
        #expect(known.code(of: first.span.bytes, column: 0, in: &dictionary) == 1)
    }
}
