import Testing
import TillColumns
import TillTestSupport

@Suite("A map from integers")
struct IntegerMapTests {
    @Test("Holds what a dictionary holds, whatever the keys", arguments: [UInt64(1), 2, 3])
    func asDictionary(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var map = IntegerMap<UInt128, Int>()
        var expected: [UInt128: Int] = [:]
        for _ in 0..<20_000 {
            // Keys that are few, near to one another, and alike in both halves.
            let low = UInt128(random.below(300))
            let key = (random.once(in: 8) ? low << 64 : 0) | low
            map.prefetch(key)
            map.add(1, to: key)
            expected[key, default: 0] += 1
        }
        #expect(map.count == expected.count)
        var visited: [UInt128: Int] = [:]
        map.visit { key, value in #expect(visited.updateValue(value, forKey: key) == nil) }
        #expect(visited == expected)
        let keys = map.makeKeyIterator()
        #expect(Set(IteratorSequence(keys)) == Set(expected.keys))
        for key in UInt128(0)..<400 { #expect(map[key] == expected[key]) }
        var counts = Array(repeating: 0, count: 5)
        for count in expected.values { counts[count % 5] += 1 }
        #expect(map.counts(ofClasses: 5) { $0 % 5 } == counts)
    }

    @Test("Gives what was entered first, and enters it where there was nothing")
    func entering() {
        var map = IntegerMap<Int64, String>()
        #expect(map.isEmpty && map[0] == nil && map[7] == nil)
        #expect(map.counts(ofClasses: 2) { $0.count } == [0, 0])
        #expect(map[7, entering: "first"] == "first")
        #expect(map[7, entering: "second"] == "first")
        #expect(map[0, entering: "zero"] == "zero")
        let length = map.update(0, entering: "") { value in
            value += "!"
            return value.count
        }
        #expect(map[0] == "zero!" && length == 5 && map.count == 2)
    }
}
