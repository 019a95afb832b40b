public import TillColumns

/// The columns of the table `events`: one row per client event.
///
/// Raw values are positions; the order is part of the contract.
public enum EventColumn: Int, TableColumn {
    case at
    case event
    case environment
    case bundleID
    case appVersion
    case os
    case osVersion
    case storefront
    case productID
    case quantity
    case transactionID
    case originalTransactionID
    case price
    case currency
    case errorDomain
    case errorCode
    case underlyingDomain
    case underlyingCode
    case errorClass
    case errorMessage
    case domainInferred
    case accountToken
    case sessionID
    case attemptID
    case source
    case document

    public static let tableName = "events"

    public var name: String {
        switch self {
        case .bundleID: "bundle_id"
        case .appVersion: "app_version"
        case .osVersion: "os_version"
        case .productID: "product_id"
        case .transactionID: "transaction_id"
        case .originalTransactionID: "original_transaction_id"
        case .errorDomain: "error_domain"
        case .errorCode: "error_code"
        case .underlyingDomain: "underlying_domain"
        case .underlyingCode: "underlying_code"
        case .errorClass: "error_class"
        case .errorMessage: "error_message"
        case .domainInferred: "domain_inferred"
        case .accountToken: "account_token"
        case .sessionID: "session_id"
        case .attemptID: "attempt_id"
        case .at, .event, .environment, .os, .storefront, .quantity, .price, .currency, .source, .document: "\(self)"
        }
    }

    public var type: ColumnType {
        switch self {
        case .event, .environment, .bundleID, .appVersion, .os, .osVersion, .storefront, .productID, .currency,
            .errorDomain, .underlyingDomain, .errorClass, .errorMessage, .accountToken, .sessionID, .attemptID, .source:
            .text
        case .transactionID, .originalTransactionID: .identifier
        case .quantity, .price, .errorCode, .underlyingCode, .document: .int64
        case .domainInferred: .bool
        case .at: .instant
        }
    }
}
