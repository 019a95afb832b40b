/// Which rows a reader is interested in, as far as bounds can tell.
///
/// It only leaves out what cannot be wanted: row groups and pages whose bounds say so. Rows that are read need not meet
/// the conditions; whoever asked looks at each of them as ever.
public struct ParquetFilter: Sendable {
    public enum Condition: Sendable {
        /// Numbers or instants in a range; whether rows without a value are wanted too.
        case within(ClosedRange<Int64>, orNull: Bool)
        /// One of these texts; whether rows without a value are wanted too.
        case oneOf([String], orNull: Bool)
    }

    /// All have to hold; by the name of the column.
    public var conditions: [(column: String, condition: Condition)]

    public init(_ conditions: [(column: String, condition: Condition)] = []) {
        self.conditions = conditions
    }
}

extension ParquetFilter.Condition {
    /// Whether rows between two bounds, in plain encoding, of which `nulls` (if known) have no value, may be wanted.
    func admits(minimum: [UInt8]?, maximum: [UInt8]?, hasNulls: Bool, hasValues: Bool, scale: Int64) -> Bool {
        switch self {
        case .within(let range, let orNull):
            if orNull, hasNulls { return true }
            guard hasValues else { return false }
            guard let low = minimum?.number, let high = maximum?.number else { return true }
            // Bounds in finer units are rounded outwards.
            return low.dividedFloor(scale) <= range.upperBound && high.dividedFloor(scale) >= range.lowerBound
        case .oneOf(let texts, let orNull):
            if orNull, hasNulls { return true }
            guard hasValues else { return false }
            guard let minimum, let maximum else { return true }
            return texts.contains { text in
                let bytes = Array(text.utf8)
                return !bytes.lexicographicallyPrecedes(minimum) && !maximum.lexicographicallyPrecedes(bytes)
            }
        }
    }
}

extension [UInt8] {
    /// A number of four or eight bytes.
    fileprivate var number: Int64? {
        switch count {
        case 4: Int64(withUnsafeBytes { $0.loadUnaligned(as: Int32.self).littleEndian })
        case 8: withUnsafeBytes { $0.loadUnaligned(as: Int64.self).littleEndian }
        default: nil
        }
    }
}

extension Int64 {
    fileprivate func dividedFloor(_ divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

extension ParquetFile {
    /// The rows of a row group that `filter` may want, as far as statistics and page indexes tell.
    ///
    /// Pages are looked at only where the file has indexes for them; a broken index is passed over, for it only ever
    /// saves work.
    func wantedRows(ofGroup number: Int, filter: ParquetFilter) -> [Range<Int>] {
        let group = metadata.rowGroups[number]
        var wanted = group.rowCount > 0 ? [0..<group.rowCount] : []
        for (name, condition) in filter.conditions {
            guard let leaf = leaves.first(where: { $0.isFlat && $0.path[0] == name }),
                let scale = leaf.element.filterScale
            else { continue }
            let chunk = group.chunks[leaf.index]
            if let statistics = chunk.statistics, !admits(condition, statistics, leaf, group, scale) { return [] }
            if let ranges = pageRanges(chunk, leaf, group, condition, scale) {
                wanted = Self.intersection(wanted, ranges)
            }
        }
        return wanted
    }

    private func admits(
        _ condition: ParquetFilter.Condition,
        _ statistics: ColumnStatistics,
        _ leaf: Leaf,
        _ group: RowGroupMetadata,
        _ scale: Int64
    ) -> Bool {
        condition.admits(
            minimum: statistics.minimum,
            maximum: statistics.maximum,
            hasNulls: leaf.isOptional && statistics.nullCount != 0,
            hasValues: statistics.nullCount != group.rowCount,
            scale: scale
        )
    }

    private func pageRanges(
        _ chunk: ChunkMetadata,
        _ leaf: Leaf,
        _ group: RowGroupMetadata,
        _ condition: ParquetFilter.Condition,
        _ scale: Int64
    ) -> [Range<Int>]? {
        guard let columnRange = chunk.columnIndex, let offsetRange = chunk.offsetIndex,
            columnRange.lowerBound >= 4, columnRange.upperBound <= footerStart,
            offsetRange.lowerBound >= 4, offsetRange.upperBound <= footerStart,
            // Absence is the meaning: without an index that can be read all pages are.
            let bounds = try? ColumnIndex(source.bytes(columnRange)),
            let places = try? OffsetIndex(source.bytes(offsetRange)),
            bounds.nullPages.count == places.pages.count, bounds.minimums.count == places.pages.count,
            bounds.maximums.count == places.pages.count
        else { return nil }
        let starts = places.pages.map(\.firstRow) + [group.rowCount]
        guard starts.first == 0, zip(starts, starts.dropFirst()).allSatisfy({ $0 <= $1 }) else { return nil }
        return places.pages.indices.compactMap { page in
            let isNull = bounds.nullPages[page]
            let nulls = bounds.nullCounts.count == places.pages.count ? bounds.nullCounts[page] : nil
            let isWanted = condition.admits(
                minimum: isNull ? nil : bounds.minimums[page],
                maximum: isNull ? nil : bounds.maximums[page],
                hasNulls: leaf.isOptional && nulls != 0,
                hasValues: !isNull,
                scale: scale
            )
            return isWanted && starts[page] < starts[page + 1] ? starts[page]..<starts[page + 1] : nil
        }
    }

    private static func intersection(_ left: [Range<Int>], _ right: [Range<Int>]) -> [Range<Int>] {
        left.flatMap { mine in
            right.compactMap { theirs in
                let common = mine.clamped(to: theirs)
                return common.isEmpty ? nil : common
            }
        }
    }
}

extension SchemaElement {
    /// How many of the column's units one of ours is; `nil` where its bounds cannot be compared.
    fileprivate var filterScale: Int64? {
        switch (type, effectiveLogicalType) {
        case (.int64, .timestamp(.milliseconds, _)), (.byteArray, .string): 1
        case (.int64, .timestamp(.microseconds, _)): 1000
        case (.int64, .timestamp(.nanoseconds, _)): 1_000_000
        case (.int64, .none), (.int32, .none), (.int64, .integer(_, isSigned: true)),
            (.int32, .integer(_, isSigned: true)):
            1
        default: nil
        }
    }
}
