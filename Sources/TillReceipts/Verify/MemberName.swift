/// A member of a response or of a notification, by its key.
///
/// A reader notes each member it reads, and only an error needs the text. This type holds no `String`, which would have
/// to be released with each member.
enum MemberName {
    case request(RequestKey)
    case response(ResponseKey)
    case receipt(ReceiptKey)
    case transaction(TransactionKey)
    case renewal(RenewalKey)
    case notification(NotificationKey)
    case notificationData(NotificationDataKey)
    case unifiedReceipt(UnifiedReceiptKey)

    var text: String {
        switch self {
        case .request(let key): key.rawValue
        case .response(let key): key.rawValue
        case .receipt(let key): key.rawValue
        case .transaction(let key): key.rawValue
        case .renewal(let key): key.rawValue
        case .notification(let key): key.rawValue
        case .notificationData(let key): key.rawValue
        case .unifiedReceipt(let key): key.rawValue
        }
    }
}
