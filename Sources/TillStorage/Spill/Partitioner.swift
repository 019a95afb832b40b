import TillColumns

/// Assigns keys to partitions by a hash that is the same in every dictionary: equal keys get the same partition.
struct Partitioner {
    let count: Int
    private let multipliers: (UInt64, UInt64)

    /// The seed of what other processes divide too: shares of partials, and partials that a ledger writes after it has
    /// spilled, whose bytes follow the partitions.
    static let sharedSeed: UInt64 = 0

    /// - Parameter seed: decides the partitions. Input can aim its keys at one partition only where it knows the seed.
    init(count: Int, seed: UInt64) {
        self.count = count
        multipliers = (0xBF58_476D_1CE4_E5B9 &+ seed << 1, 0x94D0_49BB_1331_11EB &+ (seed >> 32 ^ seed) << 1)
    }

    func partition(of key: UInt128) -> Int {
        let high = UInt64(truncatingIfNeeded: key >> 64) &* multipliers.0
        return partition(hash: UInt64(truncatingIfNeeded: key) ^ high ^ high >> 32)
    }

    /// The partition of an id; an id that is not a number is hashed by its text.
    func partition(ofIdentifier word: Int64, in texts: borrowing TextDictionary) -> Int {
        guard let code = Identifier(word: word).code else { return partition(hash: UInt64(bitPattern: word)) }
        return partition(of: texts.withBytes(of: code, TextDictionary.fingerprint))
    }

    /// The partition of a row that is never joined with another.
    func partition(ofAlone number: Int) -> Int { partition(hash: UInt64(number)) }

    private func partition(hash: UInt64) -> Int {
        // The tables place their entries by other bits of the hash. With the same bits, a table of one partition would
        // use few of its slots.
        let mixed = (hash ^ hash >> 29) &* multipliers.0
        let product = (mixed ^ mixed >> 32) &* multipliers.1
        return Int(((product >> 32) &* UInt64(count)) >> 32)
    }
}

/// Elements sorted by their partition; within a partition, in their former order.
struct Buckets<Element> {
    private let elements: [Element]
    private let starts: [Int]

    init<Source: Collection>(_ source: Source, count: Int, _ bucket: (Element) -> Int) where Source.Element == Element {
        var counts = Array(repeating: 0, count: count + 1)
        for element in source { counts[bucket(element) + 1] += 1 }
        for index in 1...count { counts[index] += counts[index - 1] }
        starts = counts
        guard !source.isEmpty else {
            elements = []
            return
        }
        elements = Array(unsafeUninitializedCapacity: source.count) { memory, filled in
            for element in source {
                let bucket = bucket(element)
                memory.initializeElement(at: counts[bucket], to: element)
                counts[bucket] += 1
            }
            filled = source.count
        }
    }

    subscript(_ bucket: Int) -> ArraySlice<Element> { elements[starts[bucket]..<starts[bucket + 1]] }
}
