import Testing
import TillColumns

@testable import TillLedger

@Suite("Dealing out to runs")
struct SpreadTests {
    @Test("Ids in a row, and rows that belong with no other, come to all runs alike", arguments: [2, 7, 256])
    func isEven(count: Int) {
        let spread = Spread(count: count)
        var (ids, alone) = (Array(repeating: 0, count: count), Array(repeating: 0, count: count))
        for number in 0..<count * 100 {
            ids[spread.run(ofIdentifier: 570_000_000_000_000 + Int64(number) * 13, in: TextDictionary())] += 1
            alone[spread.run(ofAlone: number)] += 1
        }
        for runs in [ids, alone] { #expect(runs.allSatisfy { (50...160).contains($0) }, "\(runs)") }
    }

    @Test("A text comes to the same run whatever dictionary it is in")
    func isOfTheText() {
        var (first, second) = (TextDictionary(), TextDictionary())
        for word in ["a", "b", "c", "id-1"] { _ = first.code(for: word) }
        let spread = Spread(count: 64)
        let words = (Identifier(code: first.code(for: "id-2")).word, Identifier(code: second.code(for: "id-2")).word)
        #expect(words.0 != words.1)
        #expect(spread.run(ofIdentifier: words.0, in: first) == spread.run(ofIdentifier: words.1, in: second))
    }

    @Test("What is dealt keeps its order within a run")
    func keepsOrder() {
        let dealt = Dealt(0..<100, runs: 3) { $0 % 3 }
        #expect(Array(dealt[0]) == Array(stride(from: 0, to: 100, by: 3)))
        #expect(Array(dealt[2]) == Array(stride(from: 2, to: 100, by: 3)))
        #expect(Dealt([Int](), runs: 3) { $0 }[1].isEmpty)
    }
}
