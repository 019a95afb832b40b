import TillRows

/// Unique transactions, counted by outcome.
public struct CoverageCounts: Hashable, Sendable {
    /// Of the environment `production`, requested or not.
    public private(set) var production = 0
    /// Of the environment `sandbox`, requested or not.
    public private(set) var sandbox = 0
    /// Of the environment `xcode`, requested or not.
    public private(set) var xcode = 0
    /// Of the environment `local_testing`, requested or not.
    public private(set) var localTesting = 0
    /// Without an environment of Apple's in any duplicate.
    public private(set) var unknownEnvironment = 0
    /// Of environments that were not requested.
    public private(set) var notCounted = 0
    /// Shared by a family member, among those of the requested environments.
    public private(set) var familyShared = 0
    /// With duplicates that differ in a known value.
    public private(set) var conflicts = 0
    /// With duplicates of less trusted documents that differ in a fact of the sale.
    public private(set) var changedByUnsigned = 0
    /// Units of the counted transactions; their absolute values are added.
    var units: UInt64 = 0

    /// Whether all units of several parts are at most `Int64.max`, so that their sums of units need no check.
    public static func unitsFit(_ parts: some Sequence<CoverageCounts>) -> Bool {
        parts.reduce(UInt128(0)) { $0 + UInt128($1.units) } <= UInt128(Int64.max)
    }

    /// Every count of transactions, in the order in which a closed partial has them.
    static let counts: [WritableKeyPath<CoverageCounts, Int> & Sendable] = [
        \.production, \.sandbox, \.xcode, \.localTesting, \.unknownEnvironment, \.notCounted, \.familyShared,
        \.conflicts, \.changedByUnsigned,
    ]

    /// No transactions.
    public init() {}

    /// Adds transactions.
    ///
    /// - Parameter counts: the number of transactions with each of the shared values.
    mutating func add(
        _ counts: [Int],
        _ sharedValues: [SharedValues],
        isCounted: [Bool],
        conflicts: Int,
        changedByUnsigned: Int
    ) {
        self.conflicts += conflicts
        self.changedByUnsigned += changedByUnsigned
        for (number, count) in counts.enumerated() {
            let shared = sharedValues[number]
            self[keyPath: Self.environment(shared)] += count
            if !isCounted[number] {
                notCounted += count
            } else if shared[.ownership] == Word.familyShared.rawValue {
                familyShared += count
            }
        }
    }

    private static func environment(_ shared: SharedValues) -> WritableKeyPath<Self, Int> {
        switch Word(environment: Int64(shared[.environment])) {
        case .production: \.production
        case .sandbox: \.sandbox
        case .xcode: \.xcode
        case .localTesting: \.localTesting
        default: \.unknownEnvironment
        }
    }
}
