import Testing
import TillTestSupport

/// Every member that a format knows, with every kind of value that it may not have.
@Suite("Wrong types")
struct WrongTypeTests {
    private static let values = [
        "null", "true", "false", "0", "-0", "1", "-1", "1.5", "1e3", "1E400", "-1e-400", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "123456789012345678901234567890", "\"\"", "\" \"", "\"x\"",
        "\"0\"", "\"-1\"", "\"NaN\"", "\"1970-01-01 00:00:00 Etc/GMT\"", "\"9999-99-99 99:99:99 Etc/GMT\"",
        "\"\\u0000\"", "\"é\\ud83d\\ude00\"", "[]", "[1]", "[[]]", "[{}]", "{}", "{\"a\":[{}]}",
        "{\"transaction_id\":{}}",
    ]

    private static let responseKeys = [
        "status", "environment", "receipt", "latest_receipt_info", "latest_receipt", "latest_expired_receipt_info",
        "pending_renewal_info", "is_retryable", "is-retryable", "exception", "auto_renew_status",
        "auto_renew_product_id",
        "expiration_intent", "is_in_billing_retry_period", "request_id", "receipt_data", "receipt-data", "request",
        "response",
        "notification_type", "unified_receipt", "logged_at_ms", "logged_at", "ts", "timestamp", "@timestamp", "time",
        "received_at", "password",
    ]
    private static let transactionKeys = [
        "quantity", "product_id", "transaction_id", "original_transaction_id", "purchase_date", "purchase_date_ms",
        "expires_date", "expires_date_ms", "expires_date_formatted", "web_order_line_item_id", "is_trial_period",
        "is_in_intro_offer_period", "cancellation_date", "cancellation_date_ms", "cancellation_reason",
        "in_app_ownership_type", "is_upgraded", "promotional_offer_id", "app_account_token", "bid", "bvrs", "in_app",
        "receipt_type", "application_version", "receipt_creation_date", "request_date_ms",
    ]
    private static let payloadKeys = [
        "transactionId", "originalTransactionId", "productId", "bundleId", "purchaseDate", "expiresDate", "quantity",
        "type",
        "price", "currency", "offerType", "offerDiscountType", "revocationDate", "revocationReason", "isUpgraded",
        "environment", "signedDate", "autoRenewProductId", "autoRenewStatus", "renewalPrice", "receiptType",
        "transactionReceipt", "signedPayload", "notificationType", "data", "summary", "subtype",
    ]
    private static let eventKeys = [
        "event", "ts", "received_at", "error", "quantity", "price", "transaction_id", "env", "currency", "session_id",
        "v",
    ]
    private static let errorKeys = ["domain", "code", "message", "underlying"]

    /// Documents with a hole, and the members that may stand in it.
    static let holes: [(before: String, keys: [String], after: String)] = [
        ("{", responseKeys, "}"), ("{\"status\":0,", responseKeys, "}"),
        ("{\"status\":0,\"receipt\":{\"in_app\":[{", transactionKeys, "}]}}"),
        ("{\"status\":0,\"receipt\":{\"bid\":\"b\",", transactionKeys, "}}"),
        (
            "{\"status\":0,\"pending_renewal_info\":[{",
            [
                "auto_renew_status", "expiration_intent", "grace_period_expires_date", "grace_period_expires_date_ms",
                "product_id", "price_consent_status",
            ], "}]}"
        ),
        ("{\"response\":{\"status\":21003},\"request\":{", ["receipt-data", "password"], "}}"),
        ("{\"transactionId\":\"1\",", payloadKeys, "}"), ("{", payloadKeys, "}"),
        (
            "{\"notificationType\":\"T\",\"data\":{",
            ["environment", "bundleId", "bundleVersion", "signedTransactionInfo", "signedRenewalInfo", "status"], "}}"
        ),
        (
            "{\"notification_type\":\"T\",",
            [
                "cancellation_date", "cancellation_date_ms", "web_order_line_item_id", "auto_renew_status",
                "unified_receipt", "bid",
            ], "}"
        ),
        ("{\"event\":\"failed\",", eventKeys, "}"), ("{\"event\":\"failed\",\"error\":{", errorKeys, "}}"),
        ("{\"event\":\"failed\",\"error\":{\"code\":1,\"underlying\":[{", errorKeys, "}]}}"),
    ]

    @Test("Whatever a member holds, its document is a row or a reject, and the next one is read", arguments: holes)
    func isOneDocument(_ before: String, _ keys: [String], _ after: String) {
        var text = ""
        var count = 0
        for key in keys {
            for value in Self.values {
                text += before + "\"\(key)\":\(value)" + after + "\n"
                // A key that comes twice.
                text += before + "\"\(key)\":\(value),\"\(key)\":\(value)" + after + "\n"
                count += 2
            }
        }
        let reading = Reading(text)
        #expect(reading.documentCount == count)
        #expect(reading.documents.count + reading.events.count == reading.accepted)
        // All of it is JSON, so nothing of it may be called broken JSON.
        let broken = reading.rejects.filter { $0.code.hasPrefix("json.") }.map {
            String(decoding: $0.raw, as: UTF8.self)
        }
        #expect(broken == [])
    }

    @Test("Of a member that comes twice, no value is added to another: the document still has one row")
    func keepsOneRow() {
        let reading = Reading(
            #"{"status":0,"status":0,"receipt":{"in_app":[{"transaction_id":"1","quantity":"1","quantity":"2"}]}}"#
        )
        #expect(reading.transactions.map { $0["quantity"] } == ["2"])
        #expect(reading.documents.map { $0["status"] } == ["0"])
    }
}
