import TillColumns

/// Deals things out to runs by a hash, the same in every dictionary: what is equal comes to one run.
struct Spread {
    let count: Int

    func run(of key: UInt128) -> Int { run(hash: UInt64(truncatingIfNeeded: key ^ key >> 64)) }

    /// The run of an id, whose text is hashed where it is no number.
    func run(ofIdentifier word: Int64, in texts: borrowing TextDictionary) -> Int {
        guard let code = Identifier(word: word).code else { return run(hash: UInt64(bitPattern: word)) }
        return run(of: texts.withBytes(of: code, TextDictionary.fingerprint))
    }

    /// The run of a row that belongs with no other.
    func run(ofAlone number: Int) -> Int { run(hash: UInt64(number)) }

    private func run(hash: UInt64) -> Int {
        // Other bits than those by which the tables place their entries, of which a run would otherwise use few.
        let mixed = (hash ^ hash >> 29) &* 0xBF58_476D_1CE4_E5B9
        let product = (mixed ^ mixed >> 32) &* 0x94D0_49BB_1331_11EB
        return Int(((product >> 32) &* UInt64(count)) >> 32)
    }
}

/// Elements in the order of their runs; within a run, as they came.
struct Dealt<Element> {
    private let elements: [Element]
    private let starts: [Int]

    init<Source: Collection>(_ source: Source, runs: Int, _ run: (Element) -> Int) where Source.Element == Element {
        var counts = Array(repeating: 0, count: runs + 1)
        for element in source { counts[run(element) + 1] += 1 }
        for index in 1...runs { counts[index] += counts[index - 1] }
        starts = counts
        guard !source.isEmpty else {
            elements = []
            return
        }
        elements = Array(unsafeUninitializedCapacity: source.count) { memory, filled in
            for element in source {
                let run = run(element)
                memory.initializeElement(at: counts[run], to: element)
                counts[run] += 1
            }
            filled = source.count
        }
    }

    subscript(_ run: Int) -> ArraySlice<Element> { elements[starts[run]..<starts[run + 1]] }
}
