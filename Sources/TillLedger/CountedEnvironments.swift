import TillColumns

/// The environments that count, in the texts of one batch.
struct CountedEnvironments {
    private let names: [[UInt8]]
    private let containsUnknown: Bool
    /// The environment that was asked for last, since neighbouring rows are often alike.
    private var last: (cell: Int64, isCounted: Bool) = (-1, false)

    init(_ filter: EnvironmentFilter) {
        names = filter.words.filter { $0 != EnvironmentFilter.unknown }.map { Array($0.utf8) }
        containsUnknown = filter.words.contains(EnvironmentFilter.unknown)
    }

    /// Whether an environment counts.
    ///
    /// - Parameters:
    ///   - cell: the code of its text; `nil` if the row has none.
    ///   - texts: the dictionary of the batch, the same in each call.
    mutating func contains(_ cell: Int64?, of texts: borrowing TextDictionary) -> Bool {
        guard let cell else { return containsUnknown }
        if cell != last.cell {
            let isCounted = names.contains { texts.isText($0.span.bytes, of: Int(cell)) }
            last = (cell, isCounted)
        }
        return last.isCounted
    }
}
