import TillCore
import TillJSON

/// The types of Apple's notifications (`notification_type` of version 1, `notificationType` of version 2).
///
/// A notification of a type that is not among them is read all the same where its other members are Apple's.
enum NotificationType {
    private static let names: Set<String> = [
        // Version 1.
        "CANCEL", "CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "DID_FAIL_TO_RENEW",
        "DID_RECOVER", "DID_RENEW", "INITIAL_BUY", "INTERACTIVE_RENEWAL", "PRICE_INCREASE_CONSENT", "REFUND", "RENEWAL",
        "REVOKE",
        // Version 2.
        "EXPIRED", "EXTERNAL_PURCHASE_TOKEN", "GRACE_PERIOD_EXPIRED", "METADATA_UPDATE", "MIGRATION", "OFFER_REDEEMED",
        "ONE_TIME_CHARGE", "PRICE_CHANGE", "PRICE_INCREASE", "REFUND_DECLINED", "REFUND_REVERSED", "RENEWAL_EXTENDED",
        "RENEWAL_EXTENSION", "RESCIND_CONSENT", "SUBSCRIBED", "TEST",
    ]

    /// Whether the value of a member is one of these types.
    static func isKnown(_ token: JSONToken?, in json: JSONBytes) -> Bool {
        guard let token, token.kind == .string, token.count <= 32 else { return false }
        var text: [UInt8] = []
        json.appendText(of: token, to: &text)
        return names.contains(String(input: text))
    }
}
