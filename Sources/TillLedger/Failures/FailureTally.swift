import TillColumns
public import TillCore

/// What failed: the outer error's domain and code, as far as they are known.
public struct FailureKey: Hashable, Sendable, Comparable {
    public var domain: String?
    public var code: Int64?

    public init(domain: String?, code: Int64?) {
        self.domain = domain
        self.code = code
    }

    // Bytes, not characters: Unicode holds some different domains to be equal, and which of them a report showed would
    // depend on which came first.
    public static func == (left: Self, right: Self) -> Bool {
        guard left.code == right.code else { return false }
        guard let domain = left.domain, let other = right.domain else {
            return left.domain == nil && right.domain == nil
        }
        return domain.utf8.elementsEqual(other.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        guard let domain else { return }
        for byte in domain.utf8 { hasher.combine(byte) }
    }

    /// By domain, bytewise, then by code; what is not known comes last.
    public static func < (left: Self, right: Self) -> Bool {
        let (first, second) = (left.domain.map { Array($0.utf8) }, right.domain.map { Array($0.utf8) })
        guard first == second else {
            guard let first else { return false }
            return second.map(first.lexicographicallyPrecedes) ?? true
        }
        guard let first = left.code else { return false }
        return right.code.map { first < $0 } ?? true
    }
}

/// The dimensions by which failures are told apart, in the order in which their values are counted.
public enum FailureDimension: Int, CaseIterable, Sendable {
    case appVersion, osVersion, storefront, productID

    /// The name of the column.
    public var name: String {
        switch self {
        case .appVersion: "app_version"
        case .osVersion: "os_version"
        case .storefront: "storefront"
        case .productID: "product_id"
        }
    }
}

/// Failures of one domain and code.
public struct FailureCounts: Sendable {
    public internal(set) var count = 0
    /// When the first and the last of them were, as far as instants are known.
    public internal(set) var first: Timestamp?
    public internal(set) var last: Timestamp?
    var classes: [String: Int] = [:]
    /// How many in each UTC hour, by the number of hours since 1970.
    public internal(set) var hours: [Int: Int] = [:]
    /// How many in each hour for each value of each dimension.
    var values = DimensionCounts()

    /// Adds failures that were counted apart.
    mutating func merge(_ other: FailureCounts) {
        count += other.count
        first = [first, other.first].compactMap(\.self).min()
        last = [last, other.last].compactMap(\.self).max()
        classes.merge(other.classes, uniquingKeysWith: +)
        hours.merge(other.hours, uniquingKeysWith: +)
        other.values.visit { values.add($0) }
    }

    /// The same with the codes of another dictionary.
    func translated(_ translation: TextTranslation) -> FailureCounts {
        var counts = self
        counts.values = DimensionCounts()
        values.visit { entry in
            var entry = entry
            entry.value = translation.text(entry.value)
            counts.values.add(entry)
        }
        return counts
    }

    /// Adds hours that are known from outside the period; an hour that is partly in it stays as it is.
    mutating func addHistory(_ other: FailureCounts) {
        let own = Set(hours.keys)
        for (hour, count) in other.hours where !own.contains(hour) { hours[hour] = count }
        other.values.visit { if !own.contains($0.hour) { values.add($0) } }
    }

    /// The class of most of them; of two equally frequent ones, the first by name.
    public var failureClass: String {
        classes.min { ($1.value, $0.key) < ($0.value, $1.key) }?.key ?? FailureClass.unknown.rawValue
    }
}

/// Failures counted by domain and code, hour and dimension.
///
/// Its memory is that of distinct combinations, not of failures.
struct FailureTally: Sendable {
    private var numbers: [FailureKey: Int] = [:]
    private(set) var keys: [FailureKey] = []
    /// By number of the key; without what ``recent`` holds.
    private var stored: [FailureCounts] = []
    /// Failures by key, hour and dimension, counted as they come: a failure is up to six counts here.
    private var recent = IntegerMap<UInt128, Int>()
    /// The classes that ``recent`` speaks of.
    private var classes: [String] = []
    /// The earliest and the latest instant of anything that could have failed: before and after them nothing is known, between
    /// them silence is.
    private(set) var start: Timestamp?
    private(set) var end: Timestamp?

    /// What one count of ``recent`` is about, packed into a word for the table and out of it again.
    ///
    ///     127       96 95        64 63            3 2    0
    ///     [ number+1 ][   value   ][     hour      ][kind ]      kind: a dimension, the hour or the class
    private struct Cell {
        static let hour = 4
        static let failureClass = 5

        var number: Int
        var kind: Int
        var hour = 0
        /// A code of the ledger's dictionary, or the number of a class.
        var value: Int32 = 0

        init(_ number: Int, kind: Int, hour: Int = 0, value: Int32 = 0) {
            (self.number, self.kind, self.hour, self.value) = (number, kind, hour, value)
        }

        init(packed: UInt128) {
            let (high, low) = (UInt64(packed >> 64), UInt64(truncatingIfNeeded: packed))
            number = Int(high >> 32) - 1
            value = Int32(truncatingIfNeeded: high)
            // No instant of 64 bits lies in an hour that needs more than 42.
            hour = Int(Int64(bitPattern: low) >> 3)
            kind = Int(low & 7)
        }

        var packed: UInt128 {
            let high = UInt64(number + 1) << 32 | UInt64(UInt32(bitPattern: value))
            return UInt128(high) << 64 | UInt128(UInt64(bitPattern: Int64(hour)) << 3 | UInt64(kind))
        }
    }

    /// By number of the key. Costs time for each thing counted since the last ``flush()``.
    var counts: [FailureCounts] {
        guard !recent.isEmpty else { return stored }
        var counts = stored
        recent.visit { key, count in
            let cell = Cell(packed: key)
            switch cell.kind {
            case Cell.hour: counts[cell.number].hours[cell.hour, default: 0] += count
            case Cell.failureClass: counts[cell.number].classes[classes[Int(cell.value)], default: 0] += count
            default:
                counts[cell.number].values.add(
                    DimensionCounts.Entry(hour: cell.hour, dimension: cell.kind, value: cell.value, count: count)
                )
            }
        }
        return counts
    }

    /// Makes ``counts`` cheap, for when they are about to be asked for again and again.
    mutating func flush() {
        stored = counts
        recent = IntegerMap()
    }

    /// Notes that the log covers an instant.
    mutating func see(at milliseconds: Int64?) {
        guard let milliseconds else { return }
        if milliseconds < start?.milliseconds ?? .max { start = Timestamp(milliseconds: milliseconds) }
        if milliseconds > end?.milliseconds ?? .min { end = Timestamp(milliseconds: milliseconds) }
    }

    /// The number under which a key is counted.
    mutating func number(of key: FailureKey) -> Int {
        if let number = numbers[key] { return number }
        numbers[key] = keys.count
        keys.append(key)
        stored.append(FailureCounts())
        return keys.count - 1
    }

    /// Adds failures that were counted apart.
    mutating func merge(_ other: FailureTally, _ translation: TextTranslation) {
        see(at: other.start?.milliseconds)
        see(at: other.end?.milliseconds)
        for (key, counts) in zip(other.keys, other.counts) { merge(counts.translated(translation), of: key) }
    }

    /// Codes of the values of dimensions.
    var texts: Set<Int32> {
        var texts: Set<Int32> = []
        for counts in counts { counts.values.visit { texts.insert($0.value) } }
        return texts
    }

    /// Takes the codes of another dictionary in place of its own.
    mutating func renumber(_ translation: TextTranslation) {
        flush()
        for number in stored.indices { stored[number] = stored[number].translated(translation) }
    }

    /// Adds failures of one key, whose dimension values are codes of the ledger's dictionary.
    mutating func merge(_ added: FailureCounts, of key: FailureKey) {
        stored[number(of: key)].merge(added)
        // The log covers its own failures, whatever else it tells.
        see(at: added.last?.milliseconds)
    }

    mutating func count(_ key: FailureKey, failureClass: String, at instant: Int64?, dimensions: InlineArray<4, Int32>)
    {
        let number = number(of: key)
        count(number, failureClass: self.number(ofClass: failureClass), at: instant, dimensions: dimensions)
    }

    /// Counts a failure of a key and a class, by their numbers; `dimensions` are codes in the order of ``FailureDimension``,
    /// -1 where not known.
    private mutating func count(
        _ number: Int,
        failureClass: Int32,
        at milliseconds: Int64?,
        dimensions: InlineArray<4, Int32>
    ) {
        stored[number].count += 1
        recent.add(1, to: Cell(number, kind: Cell.failureClass, value: failureClass).packed)
        guard let milliseconds else { return }
        let instant = Timestamp(milliseconds: milliseconds)
        stored[number].first = min(stored[number].first ?? instant, instant)
        stored[number].last = max(stored[number].last ?? instant, instant)
        Self.visitHour(of: number, at: instant, dimensions) { recent.add(1, to: $0.packed) }
    }

    /// Failures between asking for their counts and adding to them.
    private static let prefetchDistance = 4

    /// Counts failures one after the other, each asked for some failures ahead.
    mutating func count(_ occurrences: [EventArrivals.Occurrence]) {
        for index in occurrences.indices {
            let ahead = index + Self.prefetchDistance
            if ahead < occurrences.count { prefetch(occurrences[ahead]) }
            let failure = occurrences[index]
            count(failure.key, failureClass: failure.failureClass, at: failure.at, dimensions: failure.dimensions)
        }
    }

    /// Brings near what counting a failure will look at.
    private func prefetch(_ failure: EventArrivals.Occurrence) {
        guard let milliseconds = failure.at else { return }
        let instant = Timestamp(milliseconds: milliseconds)
        Self.visitHour(of: failure.key, at: instant, failure.dimensions) { recent.prefetch($0.packed) }
    }

    /// What a failure adds to the counts of its hour.
    @inline(__always)
    private static func visitHour(
        of number: Int,
        at instant: Timestamp,
        _ dimensions: InlineArray<4, Int32>,
        _ body: (Cell) -> Void
    ) {
        let hour = instant.hour
        body(Cell(number, kind: Cell.hour, hour: hour))
        for dimension in dimensions.indices where dimensions[dimension] >= 0 {
            body(Cell(number, kind: dimension, hour: hour, value: dimensions[dimension]))
        }
    }

    /// The number under which a class is counted.
    mutating func number(ofClass name: String) -> Int32 {
        // There are a dozen at most.
        if let number = classes.firstIndex(of: name) { return Int32(number) }
        classes.append(name)
        return Int32(classes.count - 1)
    }
}
