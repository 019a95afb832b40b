import TillColumns
import TillCore
import TillRows

/// A key by which the rows of a table are partitioned, in Hive's layout: `purchase_month=2026-03/`.
public enum PartitionKey: String, CaseIterable, Sendable {
    case purchaseMonth = "purchase_month"
    case purchaseDay = "purchase_day"
    case environment
    case bundleID = "bundle_id"
    case month, day

    /// The source of a partition value.
    enum Value {
        /// An instant's month or day of UTC.
        case month, day
        case text
    }

    var value: Value {
        switch self {
        case .purchaseMonth, .month: .month
        case .purchaseDay, .day: .day
        case .environment, .bundleID: .text
        }
    }

    /// The column whose value it is.
    var columnName: String {
        switch self {
        case .purchaseMonth, .purchaseDay: TransactionColumn.purchaseDate.name
        case .environment: TransactionColumn.environment.name
        case .bundleID: TransactionColumn.bundleID.name
        case .month, .day: EventColumn.at.name
        }
    }

    /// The table whose rows have the key.
    public var table: TableName {
        switch self {
        case .purchaseMonth, .purchaseDay, .environment, .bundleID: .transactions
        case .month, .day: .events
        }
    }

    /// The keys in a list such as `environment,purchase_month`; `nil` if the list has another word.
    public static func keys(_ list: String) -> [PartitionKey]? {
        let names = list.split(separator: ",", omittingEmptySubsequences: false)
        let keys = names.compactMap { PartitionKey(rawValue: String($0)) }
        return keys.count == names.count && Set(keys).count == keys.count ? keys : nil
    }

    /// The name of the partition of rows without a value; Hive's own.
    static let none = "__HIVE_DEFAULT_PARTITION__"

    /// The month or the day of an instant, as text.
    func text(of instant: Int64) -> String {
        let text = Timestamp(milliseconds: instant).text(alwaysWithMilliseconds: false)
        let date = text.prefix { $0 != "T" }
        return String(value == .month ? date.dropLast(3) : date)
    }

    /// Bytes that Hive writes as `%` and two digits in names of partitions (`FileUtils.escapePathName`).
    private static let escaped = Set(Array("\"#%'*/:=?\\{[]^".utf8) + Array(0...0x1F) + [0x7F])

    /// A value as part of a file name.
    static func name(of bytes: some Sequence<UInt8>) -> String {
        var name: [UInt8] = []
        for byte in bytes {
            if escaped.contains(byte) {
                name += Array("%".utf8) + Array(String(byte, radix: 16, uppercase: true).utf8).padded
            } else {
                name.append(byte)
            }
        }
        return String(decoding: name, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Two digits.
    fileprivate var padded: [UInt8] { count < 2 ? [0x30] + self : self }
}
