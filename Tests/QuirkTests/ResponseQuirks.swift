import TillTestSupport

/// Quirks of verifyReceipt responses: dates, lists, spellings.
enum ResponseQuirks {
    private static let id = #""transaction_id":"7""#
    private static let instant = "2020-07-14T19:36:40.000Z"

    static let cases: [QuirkCase] = [
        QuirkCase(
            "Quirk 32: milliseconds win, then Etc/GMT; Pacific time is never read",
            Made.response(
                #"\#(id),"purchase_date":"2001-01-01 00:00:00 Etc/GMT","purchase_date_ms":"1594755400000","#
                    + #""expires_date":"2020-07-14 19:36:40 Etc/GMT","expires_date_pst":"x","#
                    + #""cancellation_date_pst":"2020-07-14 12:36:40 America/Los_Angeles""#
            ),
            transactions: [["purchase_date": instant, "expires_date": instant, "cancellation_date": ""]]
        ),
        QuirkCase(
            "Quirk 33: digits alone are milliseconds, under the key of the text too",
            #"{"status":0,"receipt":{"bid":"b",\#(id),"expires_date":"1594755400000","expires_date_formatted":"2001-01-01 00:00:00 Etc/GMT"}}"#,
            transactions: [["expires_date": instant]]
        ),
        QuirkCase(
            "Quirk 34: the text alone",
            #"{"status":0,"receipt":{"bid":"b",\#(id),"purchase_date":"2020-07-14 19:36:40 Etc\/GMT"}}"#,
            transactions: [["purchase_date": instant]]
        ),
        QuirkCase(
            "Quirk 36: no date depends on a locale: that of a 12-hour clock is none",
            Made.response(#"\#(id),"purchase_date":"14/07/2020, 7:36:40 PM""#),
            rejects: ["receipt.date"]
        ),
        QuirkCase(
            "Quirk 39: latest_receipt_info is an object, an array, or absent",
            #"{"status":0,"latest_receipt_info":{\#(id)}}"#
                + #"{"status":0,"latest_receipt_info":[{\#(id)}]}{"status":21003}"#,
            transactions: [["transaction_id": "7"], ["transaction_id": "7"]],
            documents: [["transactions": "1"], ["transactions": "1"], ["transactions": "0"]]
        ),
        QuirkCase(
            "Quirk 41: lists in ascending order and in descending",
            #"{"status":0,"latest_receipt_info":[{"transaction_id":"1"},{"transaction_id":"2"}]}"#
                + #"{"status":0,"latest_receipt_info":[{"transaction_id":"2"},{"transaction_id":"1"}]}"#,
            transactions: ["1", "2", "2", "1"].map { ["transaction_id": $0] }
        ),
        QuirkCase(
            "Quirk 43: what has vanished from a later receipt stays in the union",
            Made.response(id) + "\n" + Made.response(#""transaction_id":"8""#),
            transactions: [["transaction_id": "7", "document": "0"], ["transaction_id": "8", "document": "1"]]
        ),
        QuirkCase(
            "Quirk 44: a list that was cut is filled by the other",
            #"{"status":0,"receipt":{"in_app":[{\#(id)}]},"latest_receipt_info":[{"transaction_id":"8"},{\#(id)}]}"#,
            transactions: [["transaction_id": "7"], ["transaction_id": "8"]]
        ),
        QuirkCase(
            "Quirk 45: a response of more than five megabytes",
            Made.response(id, outer: #""latest_receipt":"\#(String(repeating: "QUJD", count: 1_400_000))","#),
            transactions: [["transaction_id": "7"]]
        ),
        QuirkCase(
            "Quirk 46: booleans and numbers as strings; \"false\" is false",
            Made.response(#"\#(id),"is_trial_period":"false","is_in_intro_offer_period":"true","quantity":"3""#)
                + Made.response(#"\#(id),"is_trial_period":false,"is_in_intro_offer_period":true,"quantity":3"#),
            transactions: Array(repeating: ["is_trial": "false", "is_intro": "true", "quantity": "3"], count: 2)
        ),
        QuirkCase(
            "Quirk 47: a key as string, number or null; 18 digits stay 18 digits",
            #"{"status":0,"receipt":{"application_version":3,"app_item_id":null,"in_app":[{"transaction_id":123456789012345678,"quantity":null}]}}"#
                + #"{"status":"0","receipt":{"application_version":"3","app_item_id":5,"in_app":[{"transaction_id":"123456789012345678","quantity":""}]}}"#,
            transactions: Array(
                repeating: ["transaction_id": "123456789012345678", "app_version": "3", "quantity": ""],
                count: 2
            )
        ),
        QuirkCase(
            "Quirk 39: a list that PHP has made an object of, and an empty one",
            #"{"status":0,"receipt":{"in_app":{"0":{\#(id)},"2":{"transaction_id":"8"}}},"latest_receipt_info":{}}"#,
            transactions: [["transaction_id": "7"], ["transaction_id": "8"]]
        ),
        QuirkCase(
            "Quirk 46: words, numbers and flags with escapes of JSON",
            #"{"status":"\u0030","environment":"Product\u0069on","receipt":{"in_app":[{\#(id),"quantity":"\u0032","#
                + #""is_trial_period":"tru\u0065","in_app_ownership_type":"FAMILY\u005FSHARED","purchase_date_ms":"\u0031594755400000"}]}}"#,
            transactions: [
                [
                    "transaction_id": "7", "environment": "production", "quantity": "2", "is_trial": "true",
                    "ownership_type": "family_shared",
                ]
            ]
        ),
        QuirkCase(
            "Quirk 48: a line item that is null, or not there",
            Made.response(#"\#(id),"web_order_line_item_id":null"#) + Made.response(id),
            transactions: Array(repeating: ["web_order_line_item_id": "", "transaction_id": "7"], count: 2)
        ),
        QuirkCase(
            "Quirk 49: no rows, an empty list, and a status that Apple never sends",
            #"{"status":0,"receipt":{"in_app":[]}}{"status":0,"receipt":{}}{"status":2}"#,
            documents: [["status": "0"], ["status": "0"], ["status": "2", "withheld": "0"]]
        ),
        QuirkCase(
            "Quirk 50: a receipt beside a status other than 0 and 21006 gives no rows",
            Made.response(id, status: 21003) + Made.response(id, status: 21007) + Made.response(id, status: 21006),
            transactions: [["transaction_id": "7", "document": "2"]],
            documents: [["withheld": "1"], ["withheld": "1"], ["withheld": "0", "status": "21006"]]
        ),
        QuirkCase(
            "Quirk 51: a status of the range keeps its number",
            #"{"status":21100,"is-retryable":true}{"status":21199}{"status":21009}"#,
            documents: [["status": "21100"], ["status": "21199"], ["status": "21009"]]
        ),
        QuirkCase(
            "Quirk 52: is-retryable with a hyphen or an underscore, of any type",
            #"{"status":21100,"is-retryable":true}{"status":21100,"is_retryable":"1"}{"status":21100,"is-retryable":0}"#,
            documents: [["is_retryable": "true"], ["is_retryable": "true"], ["is_retryable": "false"]]
        ),
        QuirkCase(
            "Quirk 53: the environment is the response's, else that of the receipt type",
            #"{"status":0,"environment":"Sandbox","receipt":{"receipt_type":"Production","in_app":[{\#(id)}]}}"#
                + #"{"status":0,"receipt":{"receipt_type":"ProductionSandbox","in_app":[{\#(id)}]}}"#,
            transactions: [["environment": "sandbox"], ["environment": "sandbox"]],
            documents: [["receipt_type": "Production"], ["receipt_type": "ProductionSandbox"]]
        ),
        QuirkCase(
            "Quirk 55: a cancellation belongs to its transaction and not to its product",
            #"{"status":0,"receipt":{"in_app":[{\#(id),"product_id":"p","cancellation_date_ms":"1594755400000"},{"transaction_id":"8","product_id":"p"}]}}"#,
            transactions: [["cancellation_date": instant], ["cancellation_date": ""]]
        ),
        QuirkCase(
            "Alphabet: spaces at either end of a line are none of its digits, one within it is a plus sign",
            #"{"receipt-data":"\#(indented)"}"#,
            transactions: [["transaction_id": "100"], ["transaction_id": "101"]]
        ),
    ]

    /// Base64 in lines of 64 that are indented and padded, as a pretty-printer leaves them.
    private static let indented =
        "\\n    " + ReceiptDER.base64(ReceiptDER.sample().der, width: 64, lineEnd: " \\r\\n    ") + "  \\n  "
}
