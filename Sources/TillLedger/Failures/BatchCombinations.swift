/// The combinations of the events of one batch. Some may be there twice.
struct BatchCombinations: Sendable {
    private(set) var all: [Combination] = []
    /// The combinations of some cells of the batch, a slot each: their codes in its dictionary, 0 for none, and the
    /// index.
    private var known: [(cells: UInt64, index: Int32)] = []
    private static let slotCount = 4096

    /// To be called before the first combination.
    mutating func begin() { known = Array(repeating: (0, 0), count: Self.slotCount) }

    /// To be called after the last one.
    mutating func close() { known = [] }

    /// The index of a combination.
    ///
    /// - Parameters:
    ///   - cells: the codes of its dimensions; 0 if they are not available.
    ///   - combination: the same dimensions.
    @inline(__always)
    mutating func index(of cells: UInt64, _ combination: () -> Combination) -> Int32 {
        let slot = Int(truncatingIfNeeded: (cells &* 0x9E37_79B9_7F4A_7C15) &>> 52)
        if cells != 0, known[slot].cells == cells { return known[slot].index }
        let index = Int32(all.count)
        all.append(combination())
        known[slot] = (cells, index)
        return index
    }
}
