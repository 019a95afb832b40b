/// Chunks that have been read, taken in the order of their numbers, which count from 0.
struct FinishedChunks {
    private var chunks: [Int: Chunk] = [:]
    /// How many were taken.
    private(set) var taken = 0

    /// How many wait for an earlier one.
    var count: Int { chunks.count }

    mutating func insert(_ chunk: Chunk, number: Int) { chunks[number] = chunk }

    /// The next in order, if it is there.
    mutating func next() -> Chunk? {
        guard let chunk = chunks.removeValue(forKey: taken) else { return nil }
        taken += 1
        return chunk
    }
}
