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
    var values: [DimensionValue: Int] = [:]

    struct DimensionValue: Hashable, Sendable {
        var hour: Int
        var dimension: Int
        /// A code of the ledger's dictionary.
        var value: Int32

        // One word instead of three: every failure looks four of these up.
        func hash(into hasher: inout Hasher) {
            hasher.combine(hour &<< 34 ^ Int(value) &<< 2 ^ dimension)
        }
    }

    /// Adds failures that were counted apart.
    mutating func merge(_ other: FailureCounts) {
        count += other.count
        first = [first, other.first].compactMap(\.self).min()
        last = [last, other.last].compactMap(\.self).max()
        classes.merge(other.classes, uniquingKeysWith: +)
        hours.merge(other.hours, uniquingKeysWith: +)
        values.merge(other.values, uniquingKeysWith: +)
    }

    /// The same with the codes of another dictionary.
    func translated(_ translation: TextTranslation) -> FailureCounts {
        var counts = self
        counts.values = [:]
        for (key, count) in values {
            var key = key
            key.value = translation.text(key.value)
            counts.values[key, default: 0] += count
        }
        return counts
    }

    /// Adds hours that are known from outside the period; an hour that is partly in it stays as it is.
    mutating func addHistory(_ other: FailureCounts) {
        let own = Set(hours.keys)
        for (hour, count) in other.hours where !own.contains(hour) { hours[hour] = count }
        for (value, count) in other.values where !own.contains(value.hour) { values[value] = count }
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
    private(set) var counts: [FailureCounts] = []
    /// The earliest instant of anything that could have failed: before it nothing is known, after it silence is.
    private(set) var start: Timestamp?

    /// Notes that the log covers an instant.
    mutating func see(at milliseconds: Int64?) {
        guard let milliseconds, milliseconds < start?.milliseconds ?? .max else { return }
        start = Timestamp(milliseconds: milliseconds)
    }

    /// The number under which a key is counted.
    mutating func number(of key: FailureKey) -> Int {
        if let number = numbers[key] { return number }
        numbers[key] = keys.count
        keys.append(key)
        counts.append(FailureCounts())
        return keys.count - 1
    }

    /// Adds failures that were counted apart.
    mutating func merge(_ other: FailureTally, _ translation: TextTranslation) {
        see(at: other.start?.milliseconds)
        for (key, counts) in zip(other.keys, other.counts) { merge(counts.translated(translation), of: key) }
    }

    /// Codes of the values of dimensions.
    var texts: Set<Int32> {
        counts.reduce(into: []) { texts, counts in for value in counts.values.keys { texts.insert(value.value) } }
    }

    /// Takes the codes of another dictionary in place of its own.
    mutating func renumber(_ translation: TextTranslation) {
        for number in counts.indices { counts[number] = counts[number].translated(translation) }
    }

    /// Adds failures of one key, whose dimension values are codes of the ledger's dictionary.
    mutating func merge(_ added: FailureCounts, of key: FailureKey) {
        counts[number(of: key)].merge(added)
    }

    mutating func count(_ key: FailureKey, failureClass: String, at instant: Int64?, dimensions: InlineArray<4, Int32>)
    {
        count(number(of: key), failureClass: failureClass, at: instant, dimensions: dimensions)
    }

    /// Counts a failure; `dimensions` are codes in the order of ``FailureDimension``, -1 where not known.
    mutating func count(_ number: Int, failureClass: String, at milliseconds: Int64?, dimensions: InlineArray<4, Int32>)
    {
        counts[number].count += 1
        counts[number].classes[failureClass, default: 0] += 1
        guard let milliseconds else { return }
        let instant = Timestamp(milliseconds: milliseconds)
        counts[number].first = min(counts[number].first ?? instant, instant)
        counts[number].last = max(counts[number].last ?? instant, instant)
        let hour = instant.hour
        counts[number].hours[hour, default: 0] += 1
        for dimension in dimensions.indices where dimensions[dimension] >= 0 {
            let value = FailureCounts.DimensionValue(hour: hour, dimension: dimension, value: dimensions[dimension])
            counts[number].values[value, default: 0] += 1
        }
    }
}
