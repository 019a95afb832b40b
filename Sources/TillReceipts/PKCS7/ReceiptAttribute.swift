/// The properties of an attribute of an app receipt, by its number.
///
/// Names are from Apple's "Receipt Fields" and from verifyReceipt's JSON; attributes reserved by Apple are named so.
/// ``PKCS7Format`` decodes the few of them that are columns.
package struct ReceiptAttribute: Sendable {
    /// The encoding of the value.
    package enum Encoding: Sendable {
        /// One element of a string type; empty where there is no value (quirk 14).
        case text
        /// The same, holding an instant (RFC 3339).
        case date
        /// One INTEGER.
        case integer
        /// The bytes themselves.
        case octets
        /// A SET of attributes: one purchase.
        case purchase
    }

    package let type: Int64
    package let name: String
    package let encoding: Encoding
    /// Whether the value tells of the device that the receipt was made for.
    package var isPrivate = false

    /// `nil` for an unknown number.
    package static func known(_ type: Int64) -> ReceiptAttribute? {
        all.first { $0.type == type }
    }

    package static let all: [ReceiptAttribute] = [
        ReceiptAttribute(type: 0, name: "receipt_type", encoding: .text),
        ReceiptAttribute(type: 1, name: "adam_id", encoding: .integer),
        ReceiptAttribute(type: 2, name: "bundle_id", encoding: .text),
        ReceiptAttribute(type: 3, name: "application_version", encoding: .text),
        ReceiptAttribute(type: 4, name: "opaque_value", encoding: .octets, isPrivate: true),
        ReceiptAttribute(type: 5, name: "sha1_hash", encoding: .octets, isPrivate: true),
        ReceiptAttribute(type: 6, name: "reserved", encoding: .octets),
        ReceiptAttribute(type: 7, name: "reserved", encoding: .octets),
        ReceiptAttribute(type: 8, name: "transaction_date", encoding: .date),
        ReceiptAttribute(type: 9, name: "fulfilment_tool_version", encoding: .integer),
        ReceiptAttribute(type: 10, name: "age_rating", encoding: .text),
        ReceiptAttribute(type: 11, name: "developer_id", encoding: .integer),
        ReceiptAttribute(type: 12, name: "receipt_creation_date", encoding: .date),
        ReceiptAttribute(type: 13, name: "os_version_hint", encoding: .integer),
        ReceiptAttribute(type: 14, name: "reserved", encoding: .integer),
        ReceiptAttribute(type: 15, name: "download_id", encoding: .integer),
        ReceiptAttribute(type: 16, name: "version_external_identifier", encoding: .integer),
        ReceiptAttribute(type: 17, name: "in_app", encoding: .purchase),
        ReceiptAttribute(type: 18, name: "original_purchase_date", encoding: .date),
        ReceiptAttribute(type: 19, name: "original_application_version", encoding: .text),
        ReceiptAttribute(type: 20, name: "reserved", encoding: .text),
        ReceiptAttribute(type: 21, name: "expiration_date", encoding: .date),
        ReceiptAttribute(type: 25, name: "reserved", encoding: .integer),
        ReceiptAttribute(type: 1701, name: "quantity", encoding: .integer),
        ReceiptAttribute(type: 1702, name: "product_id", encoding: .text),
        ReceiptAttribute(type: 1703, name: "transaction_id", encoding: .text),
        ReceiptAttribute(type: 1704, name: "purchase_date", encoding: .date),
        ReceiptAttribute(type: 1705, name: "original_transaction_id", encoding: .text),
        ReceiptAttribute(type: 1706, name: "original_purchase_date", encoding: .date),
        ReceiptAttribute(type: 1707, name: "product_type", encoding: .integer),
        ReceiptAttribute(type: 1708, name: "expires_date", encoding: .date),
        ReceiptAttribute(type: 1709, name: "reserved", encoding: .text),
        ReceiptAttribute(type: 1710, name: "reserved", encoding: .integer),
        ReceiptAttribute(type: 1711, name: "web_order_line_item_id", encoding: .integer),
        ReceiptAttribute(type: 1712, name: "cancellation_date", encoding: .date),
        ReceiptAttribute(type: 1713, name: "is_trial_period", encoding: .integer),
        ReceiptAttribute(type: 1714, name: "reserved", encoding: .text),
        ReceiptAttribute(type: 1715, name: "reserved", encoding: .text),
        ReceiptAttribute(type: 1716, name: "reserved", encoding: .text),
        ReceiptAttribute(type: 1717, name: "reserved", encoding: .text),
        ReceiptAttribute(type: 1718, name: "reserved", encoding: .text),
        ReceiptAttribute(type: 1719, name: "is_in_intro_offer_period", encoding: .integer),
        ReceiptAttribute(type: 1721, name: "promotional_offer_id", encoding: .text),
        ReceiptAttribute(type: 1722, name: "reserved", encoding: .integer),
    ]
}
