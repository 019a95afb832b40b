import TillColumns
import TillCore
public import TillPricing

/// Failures of one code whose keys have the same values.
public struct FailureGroup: Sendable {
    /// The value of a key for a failure.
    public enum Value: Hashable, Sendable {
        case unknown
        case text(String)
        /// A unit of time, by its code in the calendar.
        case time(Int64)
    }

    /// In the order of ``FailureGrouping/keys``.
    public let values: [Value]
    /// The number of failures, at least 1.
    public let count: Int
    /// The first and the last UTC hour of them, by the number of hours since 1970; `nil` if no time is known.
    public let hours: ClosedRange<Int>?
}

/// The keys that group failures: dimensions of events, their app, the error under theirs, and units of time.
///
/// Failures are counted by UTC hour, so a failure belongs to the day, week or month in which its hour begins. This
/// differs from its own day only in time zones whose days begin within a UTC hour.
public struct FailureGrouping: Sendable {
    private enum Part {
        case dimension(FailureDimension)
        case unit(CalendarUnit)
        case app
        case underlying
    }

    /// The keys by which attempts and failures can be grouped.
    public static let known = GroupKey.allCases.filter { part(of: $0) != nil }

    /// The keys by which the failures of a code can be grouped: those that each of them is counted by.
    public static let ofCodes = known.filter { $0 != .bundleID && $0 != .underlyingCode }

    /// The keys in the order in which they were requested, at least one.
    public let keys: [GroupKey]
    private let parts: [Part]
    private let calendar: BookingCalendar

    /// - Parameter keys: some of ``known``; `nil` if another is among them.
    public init?(by keys: [GroupKey], in calendar: BookingCalendar) {
        let parts = keys.compactMap(Self.part)
        guard parts.count == keys.count, !keys.isEmpty else { return nil }
        (self.keys, self.parts, self.calendar) = (keys, parts, calendar)
    }

    private static func part(of key: GroupKey) -> Part? {
        if let unit = key.unit { return .unit(unit) }
        if key == .bundleID { return .app }
        if key == .underlyingCode { return .underlying }
        return FailureDimension.allCases.first { $0.name == key.rawValue }.map { .dimension($0) }
    }

    /// The code of the unit of time that failures of a UTC hour are of.
    static func code(ofHour hour: Int, by unit: CalendarUnit, in calendar: BookingCalendar) -> Int64 {
        let start = Timestamp(startOfHour: hour)
        return unit == .hour ? start.milliseconds : calendar.code(of: start, by: unit)
    }

    private struct Sum {
        var count = 0
        var hours: ClosedRange<Int>?

        mutating func add(_ other: Int, in hour: Int) {
            count += other
            guard hour != FailureCell.noHour else { return }
            hours = min(hour, hours?.lowerBound ?? hour)...max(hour, hours?.upperBound ?? hour)
        }
    }

    /// The groups of the failures of one code, by their cells.
    func groups(
        of cells: ArraySlice<FailureCell>,
        _ combinations: CombinationTable,
        _ texts: borrowing TextDictionary
    ) -> [FailureGroup] {
        var sums: [[Int64]: Sum] = [:]
        for cell in cells {
            sums[codes(of: combinations[cell.combination], cell.hour), default: Sum()].add(cell.count, in: cell.hour)
        }
        return sums.map { codes, sum in
            FailureGroup(values: values(of: codes, texts), count: sum.count, hours: sum.hours)
        }
    }

    /// A code for each key; ``GroupCode/unknown`` if the value is not known.
    ///
    /// - Parameters:
    ///   - app: a text of the ledger's dictionary, -1 where not known.
    ///   - underlying: the number of the error, -1 where not known.
    func codes(of combination: Combination, _ hour: Int, app: Int32 = -1, underlying: Int32 = -1) -> [Int64] {
        parts.map { part in
            switch part {
            case .app: return app < 0 ? GroupCode.unknown : Int64(app)
            case .underlying: return underlying < 0 ? GroupCode.unknown : Int64(underlying)
            case .dimension(let dimension):
                let text = combination[dimension]
                return text < 0 ? GroupCode.unknown : Int64(text)
            case .unit(let unit):
                return hour == FailureCell.noHour ? GroupCode.unknown : Self.code(ofHour: hour, by: unit, in: calendar)
            }
        }
    }

    /// - Parameter underlying: the errors, by number.
    func values(
        of codes: [Int64],
        _ texts: borrowing TextDictionary,
        underlying: [FailureCode] = []
    ) -> [FailureGroup.Value] {
        var values: [FailureGroup.Value] = []
        for (code, part) in zip(codes, parts) {
            switch part {
            case _ where code == GroupCode.unknown: values.append(.unknown)
            case .dimension, .app: values.append(.text(texts.text(of: Int(code))))
            case .underlying:
                let error = underlying[Int(code)]
                let domain = error.domain < 0 ? nil : texts.text(of: Int(error.domain))
                values.append(.text(FailureKey(domain: domain, code: error.code).name))
            case .unit: values.append(.time(code))
            }
        }
        return values
    }
}
