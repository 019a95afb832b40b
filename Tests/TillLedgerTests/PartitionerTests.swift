import Testing
import TillColumns

@testable import TillStorage

@Suite("Dealing out to partitions")
struct PartitionerTests {
    @Test("Ids in a row, and rows that belong with no other, come to all partitions alike", arguments: [2, 7, 256])
    func isEven(count: Int) {
        let partitioner = Partitioner(count: count)
        var (ids, alone) = (Array(repeating: 0, count: count), Array(repeating: 0, count: count))
        for number in 0..<count * 100 {
            ids[partitioner.partition(ofIdentifier: 570_000_000_000_000 + Int64(number) * 13, in: TextDictionary())] +=
                1
            alone[partitioner.partition(ofAlone: number)] += 1
        }
        for sizes in [ids, alone] { #expect(sizes.allSatisfy { (50...160).contains($0) }, "\(sizes)") }
    }

    @Test("A text comes to the same partition whatever dictionary it is in")
    func isOfTheText() {
        var (first, second) = (TextDictionary(), TextDictionary())
        for word in ["a", "b", "c", "id-1"] { _ = first.code(for: word) }
        let partitioner = Partitioner(count: 64)
        let words = (Identifier(code: first.code(for: "id-2")).word, Identifier(code: second.code(for: "id-2")).word)
        #expect(words.0 != words.1)
        #expect(
            partitioner.partition(ofIdentifier: words.0, in: first)
                == partitioner.partition(ofIdentifier: words.1, in: second)
        )
    }

    @Test("Elements keep their order within a bucket")
    func keepsOrder() {
        let buckets = Buckets(0..<100, count: 3) { $0 % 3 }
        #expect(Array(buckets[0]) == Array(stride(from: 0, to: 100, by: 3)))
        #expect(Array(buckets[2]) == Array(stride(from: 2, to: 100, by: 3)))
        #expect(Buckets([Int](), count: 3) { $0 }[1].isEmpty)
    }
}
