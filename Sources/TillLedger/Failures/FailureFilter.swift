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

    /// The attempt that failed.
    struct Attempt {
        /// A text of the ledger's dictionary, -1 where not known.
        let app: Int32
        /// `nil` where the customer cancelled, or waits for approval.
        let family: AttemptFamily?
    }

    /// The required values, by their keys.
    public let values: [Key: Value]
    /// The incident to which the failures must belong; `nil` for all failures.
    let incident: Incident?
    private let calendar: BookingCalendar

    /// Chooses the failures that have all of `values`; without values, every failure.
    ///
    /// - Parameters:
    ///   - incident: the incident to which they must belong.
    ///   - calendar: names the days, weeks and months among the values.
    public init(_ values: [Key: Value], of incident: Incident? = nil, in calendar: BookingCalendar) {
        (self.values, self.incident, self.calendar) = (values, incident, calendar)
    }

    /// Whether a failure has all values of the filter.
    ///
    /// - Parameter attempt: the attempt that failed; needed only where the filter has an incident.
    func includes(_ failure: FailureOccurrence, of attempt: Attempt?, _ texts: borrowing TextDictionary) -> Bool {
        if let incident {
            guard let attempt, incident.counts(failure, of: attempt, texts) else { return false }
        }
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

extension Incident {
    /// Whether a failure is one of ``failures``.
    fileprivate func counts(
        _ failure: FailureOccurrence,
        of attempt: FailureFilter.Attempt,
        _ texts: borrowing TextDictionary
    ) -> Bool {
        guard let at = failure.at, (since.milliseconds..<until.milliseconds).contains(at),
            attempt.family?.name == family
        else { return false }
        if let app {
            guard attempt.app < 0 ? app.isEmpty : texts.isText(app.utf8Span.span.bytes, of: Int(attempt.app)) else {
                return false
            }
        }
        let domain = failure.code.domain < 0 ? nil : texts.text(of: Int(failure.code.domain))
        return allCodes.contains(FailureKey(domain: domain, code: failure.code.code))
    }
}
