import Testing
import TillColumns

@testable import TillStorage

@Suite("Dealing out to partitions")
struct PartitionerTests {
    @Test(
        "Ids in a row, and rows that belong with no other, come to all partitions alike",
        arguments: [2, 7, 256],
        [Partitioner.sharedSeed, .random(in: .min ... .max)]
    )
    func isEven(count: Int, seed: UInt64) {
        let partitioner = Partitioner(count: count, seed: seed)
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
        let partitioner = Partitioner(count: 64, seed: 1)
        let words = (Identifier(code: first.code(for: "id-2")).word, Identifier(code: second.code(for: "id-2")).word)
        #expect(words.0 != words.1)
        #expect(
            partitioner.partition(ofIdentifier: words.0, in: first)
                == partitioner.partition(ofIdentifier: words.1, in: second)
        )
    }

    @Test("Keys that one seed has put into one partition come to all partitions of another seed")
    func cannotBeAimedAt() {
        let (known, drawn) = (Partitioner(count: 64, seed: 0), Partitioner(count: 64, seed: .random(in: .min ... .max)))
        for key in [{ UInt128($0) }, { UInt128($0) << 64 | UInt128($0) }, { UInt128($0) << 100 }]
            as [(UInt64) -> UInt128]
        {
            let chosen = (1...100_000).lazy.map(key).filter { known.partition(of: $0) == 0 }.prefix(1000)
            let partitions = Set(chosen.map { drawn.partition(of: $0) })
            #expect(partitions.count > 40)
        }
    }

    @Test("Elements keep their order within a bucket")
    func keepsOrder() {
        let buckets = Buckets(0..<100, count: 3) { $0 % 3 }
        #expect(Array(buckets[0]) == Array(stride(from: 0, to: 100, by: 3)))
        #expect(Array(buckets[2]) == Array(stride(from: 2, to: 100, by: 3)))
        #expect(Buckets([Int](), count: 3) { $0 }[1].isEmpty)
    }
}
