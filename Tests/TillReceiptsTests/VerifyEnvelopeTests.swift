import Testing
import TillTestSupport

@Suite("What a verifyReceipt response tells outside its transactions")
struct VerifyEnvelopeTests {
    @Test(
        "The environment is the response's, else the receipt type's, in words",
        arguments: [
            (#""environment":"Production","receipt":{}"#, "production"),
            (#""environment":"PROD","receipt":{}"#, "production"),
            (#""environment":"Sandbox","receipt":{"receipt_type":"Production"}"#, "sandbox"),
            (#""receipt":{"receipt_type":"ProductionSandbox"},"environment":"""#, "sandbox"),
            (#""environment":null,"receipt":{"receipt_type":"ProductionVPP"}"#, "production"),
            (#""receipt":{"receipt_type":"ProductionVPPSandbox"}"#, "sandbox"),
            (#""receipt":{"receipt_type":"Xcode"}"#, "xcode"),
            (#""environment":"Moonbase","receipt":{"receipt_type":"Production"}"#, "Moonbase"),
            (#""receipt":{}"#, nil),
        ]
    )
    func settlesEnvironment(_ members: String, _ expected: String?) {
        let row = #""latest_receipt_info":[{"product_id":"p"}],"pending_renewal_info":[{"product_id":"p"}]"#
        let reading = Reading(#"{"status":0,\#(members),\#(row)}"#)
        #expect(reading.documents.first?["environment"] == expected)
        #expect(reading.transactions.first?["environment"] == expected)
        #expect(reading.renewals.first?["environment"] == expected)
    }

    @Test(
        "A value may be text, a number, a boolean, null or empty where text is usual",
        arguments: [
            ("quantity", #""3""#, "3"), ("quantity", "3", "3"), ("quantity", "3.0", "3"), ("quantity", #""""#, nil),
            ("quantity", "null", nil), ("product_id", "77", "77"), ("product_id", #""\u0061\/b""#, "a/b"),
            ("product_id", #""é""#, "é"), ("product_id", #""\ud83d\ude00""#, "😀"),
            ("is_trial_period", #""true""#, "true"), ("is_trial_period", "true", "true"),
            ("is_trial_period", #""false""#, "false"), ("is_trial_period", "false", "false"),
            ("is_trial_period", "1", "true"), ("is_trial_period", #""0""#, "false"), ("is_trial_period", "null", nil),
            ("is_in_intro_offer_period", #""true""#, "true"), ("is_upgraded", #""true""#, "true"),
            ("cancellation_reason", #""1""#, "1"), ("cancellation_reason", "0", "0"),
            ("web_order_line_item_id", "900000000000000001", "900000000000000001"),
            ("web_order_line_item_id", #""0""#, nil), ("web_order_line_item_id", "0", nil),
            ("web_order_line_item_id", "null", nil), ("original_transaction_id", #""007""#, "007"),
            ("in_app_ownership_type", #""PURCHASED""#, "purchased"),
            ("in_app_ownership_type", #""FAMILY_SHARED""#, "family_shared"),
            ("in_app_ownership_type", #""RENTED""#, "RENTED"), ("promotional_offer_id", #""o""#, "o"),
            ("app_account_token", #""t""#, "t"),
        ]
    )
    func readsEverySpelling(_ key: String, _ value: String, _ expected: String?) throws {
        let columns = [
            "is_trial_period": "is_trial", "is_in_intro_offer_period": "is_intro", "promotional_offer_id": "offer_id",
            "in_app_ownership_type": "ownership_type", "app_account_token": "account_token",
        ]
        let reading = Reading(#"{"status":0,"receipt":{"in_app":[{"\#(key)":\#(value)}]}}"#)
        let row = try #require(reading.transactions.first, "\(reading.rejects.map(\.code))")
        #expect(row[columns[key] ?? key] == expected)
    }

    @Test("Of two members for one cell the same counts, in whatever order they come")
    func ignoresOrder() {
        for members in [
            #""promotional_offer_id":"p","offer_code_ref_name":"c""#,
            #""offer_code_ref_name":"c","promotional_offer_id":"p""#,
        ] {
            let text = #"{"status":0,"receipt":{"in_app":[{\#(members)}]},"pending_renewal_info":[{\#(members)}]}"#
            #expect(Reading(text).transactions.map { $0["offer_id"] } == ["p"])
            #expect(Reading(text).renewals.map { $0["offer_id"] } == ["p"])
        }
        for members in [
            #""price_consent_status":"0","price_increase_status":"1""#,
            #""price_increase_status":"1","price_consent_status":"0""#,
        ] {
            let reading = Reading(#"{"status":0,"pending_renewal_info":[{\#(members)}]}"#)
            #expect(reading.renewals.map { $0["price_consent_status"] } == ["0"])
        }
        for members in [
            #""is-retryable":true,"is_retryable":"0""#, #""is_retryable":"0","is-retryable":true"#,
            #""is-retryable":"1","is_retryable":null"#, #""is_retryable":1,"is-retryable":null"#,
        ] {
            let reading = Reading(#"{"status":21100,\#(members)}"#)
            #expect(reading.documents.map { $0["is_retryable"] } == ["true"], "\(members)")
        }
        let reading = Reading(#"{"status":0,"pending_renewal_info":[{"price_increase_status":"1"}]}"#)
        #expect(reading.renewals.map { $0["price_consent_status"] } == ["1"])
    }

    @Test(
        "An id that was kept as a floating-point number is the same id, as far as such numbers are exact",
        arguments: [
            ("1000000093384828.0", "1000000093384828"), ("9007199254740992.0", "9007199254740992"),
            ("9007199254740993.0", "9007199254740993.0"), ("1.5", "1.5"), (#""12.0""#, "12"),
            (#""9007199254740993.0""#, "9007199254740993.0"), (#""12.10""#, "12.10"),
        ]
    )
    func readsFloatingPointIDs(_ value: String, _ expected: String) {
        let reading = Reading(#"{"status":0,"receipt":{"in_app":[{"transaction_id":\#(value),"product_id":"a"}]}}"#)
        #expect(reading.transactions.map { $0["transaction_id"] } == [expected])
    }

    @Test("The environment of a receipt or a transaction counts where the response tells none")
    func readsInnerEnvironments() {
        let transaction = #""transaction_id":"1","product_id":"p","purchase_date_ms":"1772442600000""#
        for (text, expected) in [
            (#"{"status":0,"receipt":{"environment":"Sandbox","in_app":[{@}]}}"#, "sandbox"),
            (#"{"status":0,"receipt":{"bid":"b","environment":"Sandbox",@}}"#, "sandbox"),
            (#"{"status":0,"receipt":{"in_app":[{"environment":"Sandbox",@}]}}"#, "sandbox"),
            (#"{"status":0,"latest_receipt_info":[{@,"environment":"PRODUCTION"}]}"#, "production"),
            (#"{"status":0,"environment":"Production","receipt":{"environment":"x","in_app":[{@}]}}"#, "production"),
            (
                #"{"status":0,"receipt":{"environment":"x","receipt_type":"ProductionSandbox","in_app":[{@}]}}"#,
                "sandbox"
            ),
        ] {
            let reading = Reading(text.replacing("@", with: transaction))
            #expect(reading.transactions.map { $0["environment"] } == [expected], "\(text)")
        }
    }

    @Test("A receipt that is a list is a reject, or its elements are documents; an empty list is no receipt")
    func losesNoListedReceipts() {
        let receipt =
            #"{"bundle_id":"b","in_app":[{"transaction_id":"1","product_id":"p","purchase_date_ms":"1772442600000"}]}"#
        let found = Reading(#"{"status":0,"environment":"Sandbox","receipt":[\#(receipt)]}"#)
        #expect(found.transactions.map { $0["environment"] } == ["sandbox"] && found.accepted == 1)
        let beside = Reading(#"{"status":0,"receipt":[\#(receipt)],"latest_receipt_info":[]}"#)
        #expect(beside.rejects.map(\.code) == ["receipt.type"] && beside.rejects.map(\.path) == ["receipt"])
        let unknown = Reading(#"{"status":0,"environment":"Sandbox","receipt":["something else"]}"#)
        #expect(unknown.rejects.map(\.code) == ["receipt.type"])
        for text in [
            #"{"status":0,"environment":"Sandbox","receipt":[ ]}"#, #"{"status":21003,"receipt":[\#(receipt)]}"#,
        ] {
            let reading = Reading(text)
            #expect(reading.accepted == 1 && reading.transactions.isEmpty && reading.rejects.isEmpty, "\(text)")
        }
    }

    @Test("A receipt that is a list of transactions is read as in_app is")
    func readsListsOfTransactions() {
        let list = (1...2).map { #"{"transaction_id":"\#($0)","product_id":"p","purchase_date_ms":"1772442600000"}"# }
            .joined(separator: ",")
        for status in ["0", "21003"] {
            for order in [#"{"status":\#(status),@}"#, #"{@,"status":\#(status)}"#] {
                let listed = Reading(order.replacing("@", with: #""receipt":[\#(list)]"#))
                let usual = Reading(order.replacing("@", with: #""receipt":{"in_app":[\#(list)]}"#))
                #expect(listed.transactions == usual.transactions && listed.documents == usual.documents)
                #expect(listed.rejects.isEmpty && listed.accepted == 1)
            }
        }
    }

    @Test("Members beside the response of a pair are none of it, in whatever order they come")
    func keepsResponsesApart() {
        let response =
            #""response":{"status":0,"environment":"Sandbox","is_retryable":false,"ts":1772323200000,"request_id":"inner","#
            + #""receipt":{"bundle_id":"b","in_app":[{"transaction_id":"1","product_id":"p"}]}}"#
        let plain = Reading("{\(response)}")
        #expect(plain.transactions.count == 1 && plain.rejects == [])
        let others = [
            #""status":200"#, #""status":21003"#, #""status":"ok""#, #""status":{"code":1}"#, #""status":null"#,
            #""environment":"Production""#, #""environment":"staging""#, #""is_retryable":true"#,
            #""receipt":{"bundle_id":"other","in_app":[{"transaction_id":"2","product_id":"q"}]}"#,
            #""latest_receipt_info":[{"transaction_id":"1","product_id":"q"}]"#, #""auto_renew_status":1"#,
        ]
        for other in others {
            for text in ["{\(other),\(response)}", "{\(response),\(other)}"] {
                let reading = Reading(text)
                #expect(reading.rejects == [], "\(text)")
                #expect(reading.transactions == plain.transactions, "\(text)")
                #expect(reading.documents == plain.documents && reading.renewals == [], "\(text)")
            }
        }
        // When it was written, and the id of the request, are told by the dump first.
        for outer in [
            #""logged_at":1772326800000,"request_id":"outer""#, #""time":1772326800000,"request_id":"outer""#,
        ] {
            for text in ["{\(outer),\(response)}", "{\(response),\(outer)}"] {
                let document = Reading(text).documents.first
                #expect(document?["logged_at"] == "2026-03-01T01:00:00.000Z" && document?["pair_key"] == "outer")
            }
        }
        // The dump's word for the environment counts where the response has none.
        let silent = #""response":{"status":0,"receipt":{"bundle_id":"b","in_app":[{"transaction_id":"1"}]}}"#
        for (word, expected) in [("Sandbox", "sandbox"), ("staging", nil)] as [(String, String?)] {
            for text in [#"{"environment":"\#(word)",\#(silent)}"#, #"{\#(silent),"environment":"\#(word)"}"#] {
                #expect(Reading(text).transactions.map { $0["environment"] } == [expected], "\(text)")
            }
        }
    }

    @Test("A pair is its response, whatever stands in place of the request")
    func readsPairs() {
        let response = #""response":{"status":21003,"environment":"Sandbox"}"#
        let receipt = ReceiptDER.base64(ReceiptDER.sample().der)
        for request in [#""[redacted]""#, #""receipt-data=x""#, #""\#(receipt)""#] {
            let reading = Reading(#"{"request":\#(request),\#(response)}"#)
            #expect(reading.rejects == [] && reading.documents.map { $0["status"] } == ["21003"], "\(request)")
        }
        // The answers of many services have a status of 0.
        #expect(Reading(#"{"request":"log in","response":{"status":0}}"#).accepted == 0)
        // A receipt by itself ties the pair to others.
        let whole = Reading(#"{"request":{"receipt-data":"\#(receipt)"},\#(response)}"#)
        let alone = Reading(#"{"request":"\#(receipt)",\#(response)}"#)
        #expect(whole.documents == alone.documents && whole.documents.first?["pair_key"] != nil)
    }

    @Test(
        "A value that no spelling explains is a reject with code, path and offset",
        arguments: [
            (#"{"status":0,"is_retryable":"maybe"}"#, "receipt.boolean", "is_retryable", 28),
            (#"{"status":0,"receipt":{"in_app":7}}"#, "receipt.type", "in_app", 32),
            (#"{"status":0,"receipt":{"in_app":[null]}}"#, "receipt.type", "in_app[0]", 33),
            (#"{"status":0,"latest_receipt_info":[{"bid":"a"},[]]}"#, "receipt.type", "latest_receipt_info[1]", 47),
            (#"{"status":0,"pending_renewal_info":[1]}"#, "receipt.type", "pending_renewal_info[0]", 36),
            (#"{"status":0,"receipt":{"in_app":[{"quantity":"x"}]}}"#, "receipt.integer", "in_app[0] › quantity", 46),
            (#"{"status":0,"receipt":{"in_app":[{"quantity":{}}]}}"#, "receipt.type", "in_app[0] › quantity", 45),
            (
                #"{"status":0,"receipt":{"in_app":[{"bid":"a"},{"is_trial_period":"yes"}]}}"#, "receipt.boolean",
                "in_app[1] › is_trial_period", 65
            ),
            (#"{"status":0,"receipt":{"in_app":[{"quantity":01}]}}"#, "json.number", "in_app[0] › quantity", 46),
        ]
    )
    func rejectsOthers(_ text: String, _ code: String, _ path: String, _ offset: Int) throws {
        let reading = Reading("{\"status\":21003}\n  " + text + "\n{\"status\":21003}")
        #expect(reading.accepted == 2)
        let reject = try #require(reading.rejects.first)
        #expect(reject.code == code)
        #expect(reject.path == path)
        #expect(reject.innerOffset == offset)
        #expect(reject.kind == "verify")
        #expect(reject.document == 1 && reject.line == 2 && reject.offset == 19 && reject.length == text.utf8.count)
        #expect(reject.raw == Array(text.utf8))
    }

    @Test(
        "is-retryable comes with a hyphen or an underscore, as any type",
        arguments: ["1", "true", #""1""#, #""true""#]
    )
    func readsRetryable(_ value: String) {
        for key in ["is-retryable", "is_retryable"] {
            let reading = Reading(#"{"status":21100,"\#(key)":\#(value)}"#)
            #expect(reading.documents.first?["is_retryable"] == "true", "\(key)")
        }
    }

    /// The members in which a dump says when it wrote a document, the most preferred first.
    private static let logged = [
        "logged_at_ms", "logged_at", "ts", "timestamp", "@timestamp", "time", "received_at",
    ]

    @Test("Of the members that tell when a document was logged, the first of the list that has it wins")
    func prefersLoggedMembers() {
        for first in Self.logged.indices {
            let members = Self.logged.indices.dropFirst(first).map {
                #""\#(Self.logged[$0])":\#(1_700_000_000_000 + $0)"#
            }
            for order in [members, members.reversed()] {
                let reading = Reading("{\(order.joined(separator: ",")),\"status\":21003}")
                #expect(reading.documents.first?["logged_at"] == "2023-11-14T22:13:20.00\(first)Z")
            }
        }
        let unknown = Reading(
            #"{"logged_at_ms":"?","logged_at":{"a":[1]},"ts":null,"timestamp":"","time":1700000000,"status":21003}"#
        )
        #expect(unknown.documents.first?["logged_at"] == "2023-11-14T22:13:20.000Z")
    }

    @Test(
        "A logged instant is RFC 3339, milliseconds or seconds, as text or number",
        arguments: [
            (#""2026-03-02T10:15:00.120Z""#, "2026-03-02T10:15:00.120Z"),
            (#""2026-03-02T11:15:00+01:00""#, "2026-03-02T10:15:00.000Z"),
            (#""2026-03-02 10:15:00 Etc\/GMT""#, "2026-03-02T10:15:00.000Z"),
            ("1772446500120", "2026-03-02T10:15:00.120Z"), (#""1772446500120""#, "2026-03-02T10:15:00.120Z"),
            ("1772446500", "2026-03-02T10:15:00.000Z"), ("1772446500.1209", "2026-03-02T10:15:00.120Z"),
            ("1.7724465e9", "2026-03-02T10:15:00.000Z"), (#""yesterday""#, nil), ("true", nil), ("[]", nil),
        ]
    )
    func readsLoggedInstants(_ value: String, _ expected: String?) {
        let reading = Reading(#"{"status":21003,"logged_at":\#(value)}"#)
        #expect(reading.accepted == 1)
        #expect(reading.documents.first?["logged_at"] == expected)
    }

    @Test("Members that nobody knows are passed over, at every level and of every type")
    func passesOverUnknownMembers() {
        let unknown = #""zzz":{"a":[1,{"b":null}]},"yyy":[[],{}],"xxx":"\u00e9","www":-1.5e-3"#
        let reading = Reading(
            #"""
            {\#(unknown),"status":0,"receipt":{\#(unknown),"bundle_id":"b","in_app":[{\#(unknown),"transaction_id":"1",\#(unknown)}]},
             "pending_renewal_info":[{\#(unknown),"product_id":"p"}],\#(unknown)}
            """#
        )
        #expect(reading.accepted == 1)
        #expect(reading.transactions.first?["bundle_id"] == "b")
        #expect(reading.renewals.count == 1)
    }

    @Test("A latest_receipt inside is not a document, and a request id ties a pair together")
    func readsPairKey() {
        let receipt = ReceiptDER.sample().base64
        let reading = Reading(
            #"{"request_id":"r-1","status":0,"latest_receipt":"\#(receipt)","receipt":{"in_app":[]}}"#
        )
        #expect(reading.documentCount == 1)
        #expect(reading.transactions.isEmpty)
        #expect(reading.documents.first?["pair_key"] == "r-1")
        #expect(reading.documents.first?["trust"] == "unsigned")
    }

    @Test("A request is a wrapping of its receipt, under either spelling", arguments: ["receipt-data", "receipt_data"])
    func unwrapsRequests(_ key: String) {
        let receipt = ReceiptDER.sample().base64
        for members in [
            #""\#(key)":"\#(receipt)""#,
            #""password":"secret","\#(key)":"\#(receipt)","exclude-old-transactions":true"#,
            #""\#(key)":"\#(receipt.replacing("/", with: "\\/"))""#,
        ] {
            let reading = Reading("{\(members)}")
            #expect(reading.documents.first?["kind"] == "pkcs7", "\(reading.rejects.map(\.code))")
            #expect(reading.transactions.map { $0["transaction_id"] } == ["100", "101"])
            #expect(!reading.documents.flatMap(\.values).contains("secret"))
        }
    }

    @Test(
        "Purchases of other shops in a member receipt are no sales",
        arguments: [
            #"{"receipt":{"orderId":"GPA.3333-1","productId":"gold","purchaseTime":1770000000000,"quantity":1}}"#,
            #"{"platform":"android","receipt":"{\"orderId\":\"GPA.3333-1\",\"productId\":\"gold\",\"quantity\":1}"}"#,
            #"{"service":"google","status":0,"receipt":{"productId":"gold","purchaseTime":1770000000000}}"#,
            #"{"receipt":{"productId":"gold","purchaseDate":1399070221749,"receiptId":"q1YqVrJSSlGyUiqp"}}"#,
            #"{"receipt":{"product_id":"sku-1","quantity":2}}"#,
            #"{"receipt":{"product_id":"sku-1","transaction_id":null,"price":"9.99"}}"#,
            #"{"status":0,"receipt":{"transaction_id":"GPA.3333-1","product_id":"gold"}}"#,
            #"{"receipt":{"transaction_id":"pi_3MtwBwLkdIwHu7ix28a3tqPa","product_id":"x","purchase_date":1770000000000}}"#,
        ]
    )
    func booksNoOtherShop(_ text: String) {
        let reading = Reading(text)
        #expect(reading.transactions.isEmpty && reading.accepted == 0, "\(reading.documents)")
        #expect(reading.rejects.count == 1)
    }

    @Test(
        "A receipt that is a transaction needs a numeric id, or a member of Apple's",
        arguments: [
            (#"{"transaction_id":"1000000000000001","product_id":"x"}"#, "1000000000000001"),
            (#"{"transaction_id":1000000000000001,"product_id":"x"}"#, "1000000000000001"),
            (#"{"transaction_id":"[FILTERED]","product_id":"x","purchase_date_ms":"1772442600000"}"#, nil),
            (
                #"{"transaction_id":"1000000xxxxxxxxx","product_id":"x","purchase_date_ms":"1772442600000"}"#,
                "1000000xxxxxxxxx"
            ),
            (#"{"product_id":"x","bid":"com.example.shop","quantity":"1"}"#, nil),
        ]
    )
    func booksItsOwn(_ receipt: String, _ identifier: String?) {
        let reading = Reading(#"{"status":0,"receipt":\#(receipt)}"#)
        #expect(reading.transactions.map { $0["product_id"] } == ["x"], "\(reading.rejects)")
        #expect(reading.transactions.first?["transaction_id"] == identifier)
    }

    @Test("A decoded renewal info in a member receipt is a renewal, and no transaction")
    func readsRenewals() {
        let info =
            #"{"originalTransactionId":"2000000000000001","autoRenewProductId":"pro","productId":"pro","#
            + #""autoRenewStatus":1,"signedDate":1772442660000,"environment":"Production"}"#
        let reading = Reading(#"{"receipt":\#(info)}"#)
        #expect(reading.transactions.isEmpty && reading.renewals.count == 1)
    }
}
