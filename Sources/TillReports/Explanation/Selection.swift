public import TillCore
public import TillLedger
public import TillPricing

/// The selection of the transactions that a figure is made of.
///
///     month=2026-03,product_id=pro,currency=USD
///
/// `null` stands for a value that is not known. Any instant within an hour selects the hour, in the spelling of any
/// report.
public struct Selection: Sendable {
    /// A key of the selection: a key by which rows are grouped, or an id.
    public enum Key: Hashable, Sendable {
        case group(GroupKey)
        case transactionID
        case originalTransactionID

        /// All keys in the order in which help and errors list them: those of sales, then the ids.
        public static let all =
            GroupKey.allCases.filter(\.isOfSales).map(Key.group) + [.transactionID, .originalTransactionID]

        /// The word before `=`: the name of a key of rows, `transaction_id` or `original_transaction_id`.
        public var name: String {
            switch self {
            case .group(let key): key.rawValue
            case .transactionID: "transaction_id"
            case .originalTransactionID: "original_transaction_id"
            }
        }

        init?(name: String) {
            let group = GroupKey(name: name).flatMap { $0.isOfSales ? Key.group($0) : nil }
            guard let key = group ?? Self.all.first(where: { $0.name == name }) else { return nil }
            self = key
        }
    }

    /// The wanted text of each key; `nil` for a value that is not known.
    public let values: [Key: String?]
    /// The instant that selects an hour; `nil` if the selection names no hour.
    private let hour: Timestamp?

    /// Parses keys and values.
    public init(_ text: String) throws(Finding) {
        var values: [Key: String?] = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { throw Finding(argument: "'\(part)' is not key=value, such as month=2026-03") }
            guard let key = Key(name: String(pair[0])) else {
                throw Finding(argument: NearestWord.unknown("key", String(pair[0]), among: Key.all.map(\.name)))
            }
            guard values[key] == nil else { throw Finding(argument: "\(key.name) is there twice") }
            values[key] = pair[1] == "null" ? .some(nil) : String(pair[1])
        }
        self.values = values
        hour = if let text = values[.group(.hour)] ?? nil { try selectedHour(text) } else { nil }
    }

    /// Throws if a month, week or day of the selection is not one of a calendar.
    public func check(in calendar: BookingCalendar) throws(Finding) {
        for unit in CalendarUnit.allCases {
            if let name = values[.group(GroupKey(unit))] ?? nil { try calendar.check(name, as: unit) }
        }
    }

    private init(values: [Key: String?], hour: Timestamp?) {
        (self.values, self.hour) = (values, hour)
    }

    /// The selection without its units of time.
    var withoutTime: Selection {
        let others = values.filter { key, _ in
            if case .group(let key) = key { return key.unit == nil }
            return true
        }
        return Selection(values: others, hour: nil)
    }

    /// Whether a transaction is part of the figure by a booking of `date`.
    func includes(_ transaction: SettledTransaction, at date: Timestamp?, _ ledger: borrowing SettledLedger) -> Bool {
        for (key, wanted) in values {
            let value: String?
            switch key {
            case .group(let key):
                let calendar = ledger.rules.calendar
                let code = SettledLedger.code(of: transaction, by: key, at: date, in: calendar)
                if key == .hour, let hour {
                    if code != calendar.code(of: hour, by: .hour) { return false }
                    continue
                }
                value = ledger.name(of: code, by: key)
            case .transactionID: value = ledger.identifier(of: transaction.number)
            case .originalTransactionID: value = ledger.originalIdentifier(of: transaction.number)
            }
            if value != wanted { return false }
        }
        return true
    }
}

/// The instant by which a text selects an hour.
func selectedHour(_ text: String) throws(Finding) -> Timestamp {
    guard let instant = Timestamp.parse(text.utf8Span.span.bytes) else {
        throw Finding(argument: "'\(text)' is not an hour; write a time in it, such as 2026-03-09T14:00:00Z")
    }
    return instant
}

extension BookingCalendar {
    /// Throws if a text is not the name of a month, week or day. An hour is named by any instant in it, which is
    /// checked when a selection is parsed.
    func check(_ name: String, as unit: CalendarUnit) throws(Finding) {
        guard unit != .hour, code(named: name, by: unit) == nil else { return }
        // 8 March 2026.
        let example = self.name(of: code(of: Timestamp(milliseconds: 1_773_000_000_000), by: unit), by: unit)
        throw Finding(argument: "'\(name)' is not a \(unit.rawValue); one is written as \(example)")
    }
}
