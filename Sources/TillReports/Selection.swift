import TillCore
import TillLedger

/// The figure that is to be explained: which transactions it is made of.
///
///     month=2026-03,product_id=pro,currency=USD
///
/// `null` stands for what is not known.
public struct Selection: Sendable {
    /// By what transactions are chosen.
    public enum Key: String, Sendable, CaseIterable {
        case month
        case productID = "product_id"
        case currency
        case transactionID = "transaction_id"
        case originalTransactionID = "original_transaction_id"
    }

    /// The text of each key; `nil` for what is not known.
    public let values: [Key: String?]

    /// Reads keys and values; what is wrong with them is said in a sentence.
    public init(_ text: String) throws(SelectionError) {
        var values: [Key: String?] = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let names = Key.allCases.map(\.rawValue).joined(separator: ", ")
            guard pair.count == 2, let key = Key(rawValue: String(pair[0])) else {
                throw SelectionError("'\(part)' is not key=value with a key of \(names)")
            }
            guard values[key] == nil else { throw SelectionError("\(key.rawValue) is there twice") }
            values[key] = pair[1] == "null" ? .some(nil) : String(pair[1])
        }
        self.values = values
    }

    /// Whether a transaction is part of the figure on account of something dated `date`.
    func includes(_ transaction: SettledTransaction, at date: Timestamp?, _ ledger: borrowing SettledLedger) -> Bool {
        for (key, wanted) in values {
            let value: String? =
                switch key {
                case .month: date.map { CalendarMonth($0).description }
                case .productID: transaction.product.map { ledger.text(of: $0) }
                case .currency: transaction.price?.currency.description
                case .transactionID: ledger.identifier(of: transaction.number)
                case .originalTransactionID: ledger.originalIdentifier(of: transaction.number)
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
