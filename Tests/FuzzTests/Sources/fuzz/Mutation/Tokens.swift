/// Words and values on which the readers branch.
enum Tokens {
    /// Names of members, columns, elements.
    static let words = """
        status environment receipt in_app latest_receipt_info latest_receipt pending_renewal_info receipt-data password request response
        transaction_id original_transaction_id product_id quantity purchase_date purchase_date_ms expires_date expires_date_ms
        cancellation_date cancellation_date_ms cancellation_reason web_order_line_item_id is_trial_period is_in_intro_offer_period
        original_purchase_date_ms request_date_ms receipt_creation_date bundle_id application_version in_app_ownership_type
        auto_renew_status expiration_intent notification_type notificationType subtype signedPayload signedTransactionInfo
        signedRenewalInfo signedDate data unified_receipt transactionId originalTransactionId productId purchaseDate expiresDate
        revocationDate revocationReason price currency storefront appAccountToken offerType offerDiscountType inAppOwnershipType
        environment version bundleId event ts error code domain underlying message v api attempt_id logged_at timestamp @timestamp
        purchase-info signature signing-status pod unique-identifier item-id bid bvrs Payload body $date $numberLong
        product_id,currency,price date,currency,per_eur from until intro_price territory rate account commission is_retryable
        """.split(whereSeparator: { $0 == " " || $0 == "\n" }).map(String.init)

    static let numbers = [
        "0", "-0", "-1", "1", "127", "128", "255", "256", "32767", "65535", "2147483647", "2147483648", "4294967295",
        "4294967296",
        "9007199254740993", "999999999999999999", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "18446744073709551615", "18446744073709551616", "1e5", "1E400", "1e-400", "0.0005", "1.5", "0.1e1",
        "1.000000000000000000001",
        "00", "+1", "1.", ".5", "1772446500120", "253402300800000", "-62135596800000",
    ]

    static let values =
        numbers + [
            "", " ", "0", "true", "false", "null", "Production", "Sandbox", "ProductionSandbox", "Xcode", "USD", "EUR",
            "JPY", "XTS", "usd",
            "2026-03-02T10:15:00Z", "2026-03-02 10:15:00 Etc/GMT", "2026-02-29", "2024-02-29T23:59:60Z",
            "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59.999Z", "2026-03-02 10:15:00 America/Los_Angeles",
            "2026-03-02T10:15:00.1234567890+14:00", "03/02/2026",
            "USA", "US", "DEU", "P1M", "Auto-Renewable Subscription", "FAMILY_SHARED", "FREE_TRIAL", "REFUND_REVERSED",
            "SUBSCRIBED",
            "21003", "21007", "SKErrorDomain", "NSURLErrorDomain", "N/A", "0.3", "30%", "1,5", "1.234,56", "\\u0000",
            "\\ud83d", "\\ud83d\\ude00",
            "é", "😀", "\u{FEFF}", "\u{202E}", "=1+1", "<script>", "../..", "%2B", "a\\\"b", "S", "R", "IA1", "IAY",
        ]

    /// JSON values.
    static let literals =
        numbers + [
            "null", "true", "false", "\"\"", "{}", "[]", "[{}]", "{\"a\":1}", "[1,2]", "\"0\"", "\"1\"", "nul", "NaN",
            "\"\\u0041\"", "\"\\ud800\"",
            "{\"$numberLong\":\"5\"}", "{\"$date\":\"2026-03-02T10:15:00Z\"}", "\"2026-03-02 10:15:00 Etc/GMT\"",
            "\"1772446500120\"",
        ]

    static let markup = [
        "<dict>", "</dict>", "<key>product-id</key>", "<string>1</string>", "<array/>", "<!--x-->", "<![CDATA[x]]>",
        "&amp;", "&#x41;",
        "&#0;", "<!DOCTYPE a [<!ENTITY b \"c\">]>", "&b;", "<?xml version=\"1.0\"?>",
        "<Cube currency=\"USD\" rate=\"1.5\"/>",
        "<Cube time=\"2026-03-02\">", "</Cube>", "<in_app_purchase>", "<product_id>a</product_id>",
        "<type>consumable</type>", "<data>AA==</data>",
    ]
}
