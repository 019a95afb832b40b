import TillTestSupport

/// Quirks of app receipts: ASN.1, attributes, dates.
enum ReceiptQuirks {
    private static let sample = ReceiptDER.sample()
    private static let rows: [QuirkCase.Row] = [["transaction_id": "100"], ["transaction_id": "101"]]
    private static let one = [Made.text(1702, "coins"), Made.text(1703, "7")]

    /// A receipt whose certificates' OID and lengths are written with four octets where fewer would do.
    private static let longLengths = DER.element(
        0x30,
        ReceiptDER.signedData + DER.element(0xA0, signed, lengthWidth: 4),
        lengthWidth: 4
    )
    private static let signed = DER.element(
        0x30,
        DER.integer(1) + DER.element(0x31, [], lengthWidth: 3)
            + DER.element(
                0x30,
                ReceiptDER.data + DER.element(0xA0, DER.element(0x04, sample.payload, lengthWidth: 4), lengthWidth: 2),
                lengthWidth: 4
            ) + DER.set([]),
        lengthWidth: 4
    )

    static let cases: [QuirkCase] =
        [
            QuirkCase("Quirk 6: raw DER, as it lies in a bundle", sample.der, transactions: rows),
            QuirkCase("Quirk 8: BER of indefinite length in fragments", sample.ber(fragments: 7), transactions: rows),
            QuirkCase("Quirk 9: lengths of more octets than they need", longLengths, transactions: rows),
            QuirkCase(
                "Quirk 10: an indefinite length whose end is cut off is no shorter receipt",
                Array(sample.ber(fragments: 50).dropLast(2)),
                rejects: ["ber.truncated"]
            ),
            QuirkCase(
                "Quirk 11: the payload in a second OCTET STRING",
                ReceiptDER.wrap(DER.octets(DER.octets(sample.payload))),
                transactions: rows
            ),
            QuirkCase(
                "Quirk 12: an attribute of two members, and one of four",
                ReceiptDER([DER.sequence(DER.integer(2), DER.integer(1))]).base64 + "\n"
                    + ReceiptDER([
                        DER.sequence(DER.integer(2), DER.integer(1), DER.octets(DER.utf8("b")), DER.integer(1))
                    ]).base64 + "\n" + sample.base64,
                transactions: rows,
                rejects: ["pkcs7.attribute", "pkcs7.attribute"]
            ),
            QuirkCase(
                "Quirk 13: neither attributes nor purchases are sorted",
                ReceiptDER([
                    ReceiptDER.purchase([Made.text(1703, "9"), Made.text(1702, "b")]), Made.text(2, "app"),
                    ReceiptDER.purchase([Made.text(1702, "a"), Made.text(1703, "8")]), Made.text(0, "Production"),
                ]).der,
                transactions: [
                    ["transaction_id": "9", "product_id": "b", "bundle_id": "app", "environment": "production"],
                    ["transaction_id": "8", "product_id": "a", "bundle_id": "app", "environment": "production"],
                ]
            ),
            QuirkCase(
                "Quirk 14: an empty string is an absent value",
                Made.receipt(
                    one + [Made.date(1708, ""), Made.date(1712, ""), Made.text(1705, ""), Made.date(1704, "")],
                    [Made.date(12, "")]
                ).der,
                transactions: [
                    [
                        "transaction_id": "7", "expires_date": "", "cancellation_date": "", "purchase_date": "",
                        "original_transaction_id": "", "observed_at": "",
                    ]
                ]
            ),
            QuirkCase(
                "Quirk 15: a row needs none of its attributes",
                Made.receipt([Made.text(1702, "coins")]).der,
                transactions: [["product_id": "coins", "transaction_id": "", "web_order_line_item_id": ""]]
            ),
            QuirkCase(
                "Quirk 17: ids of 64 bits keep all digits, and a web order id of 0 is none",
                Made.receipt(one + [Made.number(1711, 9_007_199_254_740_993)]).base64 + "\n"
                    + Made.receipt(one + [Made.number(1711, 0)]).base64,
                transactions: [
                    ["web_order_line_item_id": "9007199254740993"], ["web_order_line_item_id": ""],
                ]
            ),
            QuirkCase(
                "Quirk 19: constants of the sandbox belong to the app and are no dates of a row",
                Made.receipt(one, [Made.date(18, "2013-08-01T07:00:00Z"), Made.text(19, "1.0")]).der,
                transactions: [["original_purchase_date": "", "purchase_date": "", "app_version": ""]],
                documents: [["app_version": "", "observed_at": ""]]
            ),
            QuirkCase(
                "Quirk 29: fractions of a second are cut to milliseconds",
                Made.receipt(one + [Made.date(1704, "2020-09-14T10:11:12.9876Z")]).der,
                transactions: [["purchase_date": "2020-09-14T10:11:12.987Z"]]
            ),
            QuirkCase(
                "Quirk 30: offsets without a colon",
                Made.receipt(one + [Made.date(1704, "2020-10-26T12:00:00+0100")]).der,
                transactions: [["purchase_date": "2020-10-26T11:00:00.000Z"]]
            ),
            QuirkCase(
                "Quirk 31: the years 4001 and 1",
                Made.receipt(one + [Made.date(1708, "4001-01-01T00:00:00Z")]).base64
                    + "\n{\"receiptType\":\"Xcode\",\"originalPurchaseDate\":-62135769600000}",
                transactions: [["expires_date": "4001-01-01T00:00:00.000Z"]],
                documents: [["kind": "pkcs7"], ["kind": "jws", "environment": "xcode", "transactions": "0"]]
            ),
            QuirkCase(
                "Quirk 38: a subscription of five minutes says nothing of its product",
                Made.receipt(
                    one + [Made.date(1704, "2026-03-01T08:00:00Z"), Made.date(1708, "2026-03-01T08:05:00Z")]
                ).der,
                transactions: [["expires_date": "2026-03-01T08:05:00.000Z", "product_type": ""]]
            ),
        ] + productTypes + receiptTypes

    private static let productTypes = [
        (0, "non_consumable"), (1, "consumable"), (2, "non_renewing"), (3, "auto_renewable"), (4, "free_subscription"),
        (9, "9"),
    ].map { number, word in
        QuirkCase(
            "Quirk 16: product type \(number)",
            Made.receipt(one + [Made.number(1707, Int64(number))]).der,
            transactions: [["product_type": word]]
        )
    }

    private static let receiptTypes = [
        ("Production", "production"), ("ProductionVPP", "production"), ("ProductionSandbox", "sandbox"),
        ("ProductionVPPSandbox", "sandbox"), ("Xcode", "xcode"), ("Moon", "Moon"),
    ].map { type, word in
        QuirkCase(
            "Quirk 18: receipt type \(type)",
            ReceiptDER([Made.text(0, type), ReceiptDER.purchase(one)]).der,
            transactions: [["environment": word]],
            documents: [["environment": word, "receipt_type": type]]
        )
    }
}
