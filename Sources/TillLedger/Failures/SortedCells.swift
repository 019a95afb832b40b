/// What a key of 128 bits is counted with.
protocol SortedCell: Sendable {
    /// The key. Cells are in its order.
    var packed: UInt128 { get }
    /// Takes up the value of another cell of the same key.
    mutating func join(_ other: Self)
}

/// Cells that were counted, in order, and cells that wait.
///
///     counted   [ code 0, 14:00, combination 0 → 9 | code 0, 14:00, combination 3 → 2 | … ]    in order, each key once
///     pending   [ code 0, 15:00, combination 0 → 1 | code 0, 15:00, combination 0 → 1 | … ]    as they came
///
/// A log can have a cell for nearly every event. A hash table of them would be larger than the caches, and each event
/// would wait for memory. They are sorted instead, many at once. Takes up to 64 bytes for each cell.
struct SortedCells<Cell: SortedCell>: Sendable {
    private(set) var counted: [Cell] = []
    private var pending: [Cell] = []
    private static var leastPending: Int { 1 << 15 }

    /// Bytes of memory, counted with half as much again, because growing arrays hold their old memory too.
    var footprint: Int { (counted.capacity + pending.capacity) * MemoryLayout<Cell>.stride * 3 / 2 }

    var isEmpty: Bool { counted.isEmpty && pending.isEmpty }

    /// In no particular order; a key may be there several times.
    var all: some Sequence<Cell> { [counted, pending].joined() }

    /// The cells in order, each key once.
    var ordered: [Cell] {
        var cells = self
        cells.settle()
        return cells.counted
    }

    /// Adds a cell. Each time a quarter as many wait as were counted, those are sorted, and one pass is made over all.
    mutating func add(_ cell: Cell) {
        pending.append(cell)
        if pending.count >= max(Self.leastPending, counted.count / 4) { settle() }
    }

    /// Counts all cells that wait. Cells may be added afterwards.
    mutating func settle() {
        guard !pending.isEmpty else { return }
        pending.sortByDigits()
        counted = Self.joined(counted[...], pending[...])
        pending.removeAll(keepingCapacity: true)
    }

    /// Removes counted cells.
    mutating func remove(where isLost: (Cell) -> Bool) { counted.removeAll(where: isLost) }

    /// Merges two lists that are in order; cells of one key are joined.
    static func joined(_ left: ArraySlice<Cell>, _ right: ArraySlice<Cell>) -> [Cell] {
        var joined: [Cell] = []
        joined.reserveCapacity(left.count + right.count)
        var (first, second) = (left.startIndex, right.startIndex)
        while first < left.endIndex || second < right.endIndex {
            let takesLeft =
                second == right.endIndex || first < left.endIndex && left[first].packed <= right[second].packed
            let cell = takesLeft ? left[first] : right[second]
            if takesLeft { first += 1 } else { second += 1 }
            if let last = joined.indices.last, joined[last].packed == cell.packed {
                joined[last].join(cell)
            } else {
                joined.append(cell)
            }
        }
        return joined
    }
}

extension Array where Element: SortedCell {
    /// Sorts by key: a radix sort from the lowest byte on. Bytes that are equal in all keys are skipped.
    ///
    /// Cost: a pass for each other byte, some 8 of a long log. Comparing 200,000 cells takes three times as long, at a
    /// time when all other processors wait.
    fileprivate mutating func sortByDigits() {
        // Fewer are compared with one another.
        guard count >= 1024, let first = first?.packed else { return sort { $0.packed < $1.packed } }
        let differing = reduce(UInt128(0)) { $0 | ($1.packed ^ first) }
        var others = self
        for shift in stride(from: 0, to: UInt128.bitWidth, by: 8) where differing >> shift & 0xFF != 0 {
            func digit(_ element: Element) -> Int { Int(truncatingIfNeeded: element.packed >> shift & 0xFF) }
            var places = InlineArray<256, Int>(repeating: 0)
            for element in self { places[digit(element)] += 1 }
            var place = 0
            for value in places.indices { (places[value], place) = (place, place + places[value]) }
            for element in self {
                let value = digit(element)
                others[places[value]] = element
                places[value] += 1
            }
            swap(&self, &others)
        }
    }
}
