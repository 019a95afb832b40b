import TillCore
public import TillLedger
import TillPricing

/// The figure that is to be explained: which transactions it is made of.
///
///     month=2026-03,product_id=pro,currency=USD
///
/// `null` stands for what is not known. An hour is told by any instant in it, as any report writes one.
public struct Selection: Sendable {
    /// By what transactions are chosen: by what tells rows apart, or by an id.
    public enum Key: Hashable, Sendable {
        case group(GroupKey)
        case transactionID
        case originalTransactionID

        public static let all = GroupKey.allCases.map(Key.group) + [.transactionID, .originalTransactionID]

        public var name: String {
            switch self {
            case .group(let key): key.rawValue
            case .transactionID: "transaction_id"
            case .originalTransactionID: "original_transaction_id"
            }
        }

        init?(name: String) {
            let group = GroupKey(name: name).map(Key.group)
            guard let key = group ?? Self.all.first(where: { $0.name == name }) else { return nil }
            self = key
        }
    }

    /// The text of each key; `nil` for what is not known.
    public let values: [Key: String?]
    /// The instant by which an hour is told, where it is one.
    private let hour: Timestamp?

    /// Reads keys and values; what is wrong with them is said in a sentence.
    public init(_ text: String) throws(SelectionError) {
        var values: [Key: String?] = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let key = Key(name: String(pair[0])) else {
                let names = Key.all.map(\.name)
                let question = pair.count == 2 ? NearestWord.clause(about: String(pair[0]), among: names) : ""
                throw SelectionError(
                    "'\(part)' is not key=value with a key of \(names.joined(separator: ", "))\(question)"
                )
            }
            guard values[key] == nil else { throw SelectionError("\(key.name) is there twice") }
            values[key] = pair[1] == "null" ? .some(nil) : String(pair[1])
        }
        self.values = values
        hour = (values[.group(.hour)] ?? nil).flatMap { Timestamp.parse(Array($0.utf8).span.bytes) }
    }

    /// Whether a transaction is part of the figure on account of something dated `date`.
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

/// Why a selection cannot be understood.
public struct SelectionError: Error, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
