import TillColumns
public import TillCore

/// Attempts of one kind, and the failures among them, whose keys have the same values.
public struct GroupRate: Sendable {
    /// The kind of the attempts, such as `purchase`.
    public let family: AttemptFamilyName
    /// In the order of the keys.
    public let values: [FailureGroup.Value]
    public let attempts: Int
    /// Failures, without cancellations and deferrals.
    public let failed: Int
}

/// Rates of failure by the keys of a report.
///
/// Each line of the log that has a time counts, as in incidents; the rates of the whole report count transactions.
public struct GroupRates: Sendable {
    /// In no particular order.
    public let groups: [GroupRate]
    /// The hours up to this instant are left out: they have more different values than are kept.
    public let lostBefore: Timestamp?

    private struct Group: Hashable {
        var family: AttemptFamily
        var codes: [Int64]
    }

    private struct Sum {
        var attempts = 0
        var failed = 0
    }

    /// - Parameter hasPeriod: whether only the records of the period count.
    init(
        _ cells: IncidentCells,
        by grouping: FailureGrouping,
        hasPeriod: Bool,
        _ texts: borrowing TextDictionary
    ) {
        let hasUnderlying = grouping.keys.contains(.underlyingCode)
        let attempts: IncidentCells.Table = hasPeriod ? .attemptsOfPeriod : .attemptsByValues
        let failures: IncidentCells.Table = hasPeriod ? .failuresOfPeriod : .failuresByValues
        let underlying: IncidentCells.Table = hasPeriod ? .underlyingOfPeriod : .underlying
        let tables: Set = hasUnderlying ? [attempts, failures, underlying] : [attempts, failures]
        let lostThrough = Set(tables.compactMap(\.limit)).compactMap { cells.lostThrough[$0.rawValue] }.max()
        lostBefore = lostThrough.map { Timestamp(startOfHour: $0 + 1) }
        var sums: [Group: Sum] = [:]
        for cell in cells.ordered(of: tables) where cell.key.time > lostThrough ?? .min {
            let (table, series) = (cell.key.table, cells.series[Int(cell.key.series)])
            let count = Int(clamping: cell.count)
            func add(_ attempts: Int, _ failed: Int, _ combination: Combination, underlying: Int32 = -1) {
                let codes = grouping.codes(of: combination, cell.key.time, app: series.app, underlying: underlying)
                sums[Group(family: series.family, codes: codes), default: Sum()].attempts += attempts
                sums[Group(family: series.family, codes: codes), default: Sum()].failed += failed
            }
            switch table {
            case attempts: add(count, 0, cells.combinations[cell.key.value])
            case failures: add(0, count, cells.combinations[cell.key.value])
            default:
                // It is among the failures without an error under theirs.
                add(0, -count, .unknown)
                add(0, count, .unknown, underlying: cell.key.value)
            }
        }
        let place = grouping.keys.firstIndex(of: .underlyingCode)
        let own = sums
        for group in own.keys { sums[group]?.attempts = Self.attempts(of: group, in: own, withoutErrorAt: place) }
        groups = sums.filter { $0.value.attempts > 0 || $0.value.failed > 0 }.map { group, sum in
            GroupRate(
                family: group.family.name,
                values: grouping.values(of: group.codes, texts, underlying: cells.underlying),
                attempts: sum.attempts,
                failed: sum.failed
            )
        }
    }

    /// The attempts with which the failures of a group are compared: of an error under theirs, the attempts of all errors.
    private static func attempts(of group: Group, in sums: [Group: Sum], withoutErrorAt place: Int?) -> Int {
        var all = group
        if let place { all.codes[place] = GroupCode.unknown }
        let attempts = sums[all]?.attempts ?? 0
        guard group.family == .products else { return attempts }
        // A request for products has no success: it is counted among the purchases.
        all.family = .purchase
        return attempts + (sums[all]?.attempts ?? 0)
    }
}

extension SettledLedger {
    /// The rates of failure by some keys, in the period. It has no groups without ``LedgerNeeds/incidents``.
    public func failureRates(by grouping: FailureGrouping) -> GroupRates {
        GroupRates(events.cells, by: grouping, hasPeriod: rules.period != nil, texts)
    }
}
