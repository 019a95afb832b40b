import TillColumns

/// The statistics of a column chunk and the bounds of its pages, computed when all its pages are complete.
struct ChunkBounds {
    let statistics: ColumnStatistics
    /// `nil` if any page has values but no bounds.
    let index: ColumnIndex?

    /// Bounds of values in their plain encoding. Their order cannot be derived from the bytes alone.
    private enum Bound {
        case number(Int64)
        case text(TextBound)

        func precedes(_ other: Bound) -> Bool {
            switch (self, other) {
            case (.number(let mine), .number(let theirs)): mine < theirs
            case (.text(let mine), .text(let theirs)): mine.bytes.lexicographicallyPrecedes(theirs.bytes)
            default: false
            }
        }

        var isExact: Bool { if case .text(let text) = self { text.isExact } else { true } }

        func bytes(_ type: PhysicalType) -> [UInt8] {
            switch self {
            case .text(let text): text.bytes
            case .number(let number):
                switch type {
                case .boolean: [number == 0 ? 0 : 1]
                case .int32: withUnsafeBytes(of: Int32(truncatingIfNeeded: number).littleEndian, Array.init)
                default: withUnsafeBytes(of: number.littleEndian, Array.init)
                }
            }
        }
    }

    init(_ chunk: ChunkBuilder, type: PhysicalType) {
        let ranks = Ranks(chunk)
        var statistics = ColumnStatistics(nullCount: chunk.pages.reduce(0) { $0 + $1.nullCount })
        var index = ColumnIndex()
        var isComplete = true
        var (smallest, largest): (Bound?, Bound?)
        var bounds: [(Bound, Bound)] = []
        for page in chunk.pages {
            let isNull = page.nullCount == page.rowCount
            let bound = Self.bounds(page.bounds, ranks)
            index.nullPages.append(isNull)
            index.nullCounts.append(Int64(page.nullCount))
            index.minimums.append(bound?.0.bytes(type) ?? [])
            index.maximums.append(bound?.1.bytes(type) ?? [])
            guard let bound else {
                isComplete = isComplete && isNull
                continue
            }
            bounds.append(bound)
            if smallest.map(bound.0.precedes) ?? true { smallest = bound.0 }
            if largest.map({ $0.precedes(bound.1) }) ?? true { largest = bound.1 }
        }
        if isComplete, let smallest, let largest {
            (statistics.minimum, statistics.minimumIsExact) = (smallest.bytes(type), smallest.isExact)
            (statistics.maximum, statistics.maximumIsExact) = (largest.bytes(type), largest.isExact)
        }
        index.order = Self.order(bounds)
        self.statistics = statistics
        self.index = isComplete ? index : nil
    }

    /// Both lists of bounds must be in order; pages of nulls are skipped.
    private static func order(_ bounds: [(Bound, Bound)]) -> ColumnIndex.Order {
        let pairs = zip(bounds, bounds.dropFirst())
        if pairs.allSatisfy({ !$1.0.precedes($0.0) && !$1.1.precedes($0.1) }) { return .ascending }
        if pairs.allSatisfy({ !$0.0.precedes($1.0) && !$0.1.precedes($1.1) }) { return .descending }
        return .unordered
    }

    private static func bounds(_ bounds: PageBounds, _ ranks: Ranks) -> (Bound, Bound)? {
        switch bounds {
        case .none: nil
        case .numbers(let smallest, let largest): (.number(smallest), .number(largest))
        case .texts(let smallest, let largest): (.text(smallest), .text(largest))
        case .codes(let used): ranks.bounds(of: used).map { (.text($0), .text($1)) }
        }
    }

    /// The texts of a dictionary in their order.
    private struct Ranks {
        private let dictionary: TextDictionary
        private var ranks: [Int] = []
        private var codes: [Int] = []

        init(_ chunk: ChunkBuilder) {
            dictionary = chunk.dictionary
            guard chunk.hasCodedPages else { return }
            codes = (0..<dictionary.count).sorted { [dictionary] in dictionary.precedes($0, $1) }
            ranks = Array(repeating: 0, count: codes.count)
            for (rank, code) in codes.enumerated() { ranks[code] = rank }
        }

        func bounds(of used: [UInt64]) -> (TextBound, TextBound)? {
            var (smallest, largest) = (Int.max, -1)
            for (number, word) in used.enumerated() {
                var rest = word
                while rest != 0 {
                    let rank = ranks[number * 64 + rest.trailingZeroBitCount]
                    (smallest, largest) = (min(smallest, rank), max(largest, rank))
                    rest &= rest &- 1
                }
            }
            guard largest >= 0 else { return nil }
            let lower = dictionary.withBytes(of: codes[smallest]) { $0.withUnsafeBytes(TextBound.lower) }
            let upper = dictionary.withBytes(of: codes[largest]) { $0.withUnsafeBytes(TextBound.upper) }
            return upper.map { (lower, $0) }
        }
    }
}
