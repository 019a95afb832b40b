import TillColumns
import TillCore
public import TillPricing

/// The failures that a figure counts: those with certain values.
public struct FailureFilter: Sendable {
    /// The criteria for selecting failures.
    public enum Key: Hashable, Sendable, CaseIterable {
        case domain, code
        case dimension(FailureDimension)
        case unit(CalendarUnit)

        public static let allCases =
            [.domain, .code] + FailureDimension.allCases.map(Key.dimension) + CalendarUnit.allCases.map(Key.unit)

        /// The name of the column of the report.
        public var name: String {
            switch self {
            case .domain: "domain"
            case .code: "code"
            case .dimension(let dimension): dimension.name
            case .unit(let unit): GroupKey(unit).rawValue
            }
        }
    }

    /// A value that a failure must have.
    public enum Value: Hashable, Sendable {
        /// An unknown value.
        case unknown
        /// A text of the failure, or the name of a day, week or month in the calendar.
        case text(String)
        case code(Int64)
        /// A UTC hour, by the number of hours since 1970.
        case hour(Int)
    }

    /// The required values, by their keys.
    public let values: [Key: Value]
    private let calendar: BookingCalendar

    /// Chooses the failures that have all of `values`; without values, every failure.
    ///
    /// - Parameter calendar: names the days, weeks and months among the values.
    public init(_ values: [Key: Value], in calendar: BookingCalendar) {
        (self.values, self.calendar) = (values, calendar)
    }

    /// Whether a failure has all values of the filter.
    func includes(_ failure: FailureOccurrence, _ texts: borrowing TextDictionary) -> Bool {
        for (key, wanted) in values {
            let isWanted =
                switch key {
                case .domain: Self.isText(failure.code.domain, wanted, texts)
                case .code: failure.code.code.map { wanted == .code($0) } ?? (wanted == .unknown)
                case .dimension(let dimension): Self.isText(failure.combination[dimension], wanted, texts)
                case .unit(let unit): value(of: unit, failure) == wanted
                }
            guard isWanted else { return false }
        }
        return true
    }

    private static func isText(_ code: Int32, _ wanted: Value, _ texts: borrowing TextDictionary) -> Bool {
        guard case .text(let text) = wanted else { return code < 0 && wanted == .unknown }
        return code >= 0 && texts.isText(text.utf8Span.span.bytes, of: Int(code))
    }

    private func value(of unit: CalendarUnit, _ failure: FailureOccurrence) -> Value {
        guard let at = failure.at else { return .unknown }
        let hour = Timestamp(milliseconds: at).hour
        guard unit != .hour else { return .hour(hour) }
        return .text(calendar.name(of: FailureGrouping.code(ofHour: hour, by: unit, in: calendar), by: unit))
    }
}
