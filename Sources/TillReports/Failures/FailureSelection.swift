public import TillCore
public import TillLedger
public import TillPricing

/// The selection of the failures that a figure counts, as people write it.
///
///     domain=SKErrorDomain,code=0,app_version=5.2.0,hour=2026-03-09T14:00:00Z
///
/// `null` stands for a value that is not known. Any instant within an hour selects the hour. `incident=3f9a1c20b7de`
/// selects the failures of an incident of the report.
public struct FailureSelection: Sendable {
    /// The keys that a selection can have, for help texts.
    public static let keyNames = FailureFilter.Key.allCases.map(\.name) + [incidentKey]
    private static let incidentKey = "incident"

    /// The id of an incident; `nil` where failures of none are wanted.
    public private(set) var incidentID: String?
    /// The incident of ``incidentID``, which must be looked for before the failures are read.
    public var incident: Incident?
    let values: [FailureFilter.Key: FailureFilter.Value]

    /// Parses keys and values.
    public init(_ text: String) throws(Finding) {
        var values: [FailureFilter.Key: FailureFilter.Value] = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { throw Finding(argument: "'\(part)' is not key=value, such as code=500") }
            if pair[0] == Self.incidentKey {
                guard incidentID == nil else { throw Finding(argument: "incident is there twice") }
                incidentID = String(pair[1])
                continue
            }
            guard let key = FailureFilter.Key.allCases.first(where: { $0.name == pair[0] }) else {
                throw Finding(argument: NearestWord.unknown("key", String(pair[0]), among: Self.keyNames))
            }
            guard values[key] == nil else { throw Finding(argument: "\(key.name) is there twice") }
            values[key] = pair[1] == "null" ? .unknown : try Self.value(String(pair[1]), of: key)
        }
        self.values = values
    }

    private static func value(
        _ text: String,
        of key: FailureFilter.Key
    ) throws(Finding) -> FailureFilter.Value {
        switch key {
        case .domain, .dimension: return .text(text)
        case .code:
            guard let code = Int64(text) else {
                throw Finding(argument: "'\(text)' is not a code; write a number, or null")
            }
            return .code(code)
        case .unit(.hour): return .hour(try selectedHour(text).hour)
        case .unit: return .text(text)
        }
    }

    /// Throws if a month, week or day of the selection is not one of a calendar.
    public func check(in calendar: BookingCalendar) throws(Finding) {
        for unit in CalendarUnit.allCases {
            if case .text(let name) = values[.unit(unit)] { try calendar.check(name, as: unit) }
        }
    }

    /// The failures, with units of time as a calendar names them.
    public func filter(in calendar: BookingCalendar) -> FailureFilter {
        FailureFilter(values, of: incident, in: calendar)
    }
}
