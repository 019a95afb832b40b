public import TillColumns

/// The columns of the table `documents`: one row per accepted document other than an event.
///
/// Raw values are positions; the order is part of the contract.
public enum DocumentColumn: Int, TableColumn {
    case kind
    case status
    case isRetryable
    case notificationType
    case notificationSubtype
    case environment
    case bundleID
    case appVersion
    case receiptType
    case observedAt
    case loggedAt
    case pairKey
    case trust
    case trustCode
    case transactions
    case withheld
    case source
    case document

    public static let tableName = "documents"

    public var name: String {
        switch self {
        case .isRetryable: "is_retryable"
        case .notificationType: "notification_type"
        case .notificationSubtype: "notification_subtype"
        case .bundleID: "bundle_id"
        case .appVersion: "app_version"
        case .receiptType: "receipt_type"
        case .observedAt: "observed_at"
        case .loggedAt: "logged_at"
        case .pairKey: "pair_key"
        case .trustCode: "trust_code"
        case .kind, .status, .environment, .trust, .transactions, .withheld, .source, .document: "\(self)"
        }
    }

    public var type: ColumnType {
        switch self {
        case .kind, .notificationType, .notificationSubtype, .environment, .bundleID, .appVersion, .receiptType,
            .pairKey, .trust, .trustCode, .source:
            .text
        case .document: .int64
        case .status, .transactions, .withheld: .int32
        case .isRetryable: .bool
        case .observedAt, .loggedAt: .instant
        }
    }
}
