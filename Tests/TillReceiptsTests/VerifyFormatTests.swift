import Testing
import TillTestSupport

@Suite("verifyReceipt responses")
struct VerifyFormatTests {
    private static func transaction(_ id: Int, _ members: String = "") -> String {
        #"{"transaction_id":"\#(id)"\#(members.isEmpty ? "" : "," + members)}"#
    }

    private static func response(_ members: String) -> Reading {
        Reading(#"{"status":0,\#(members)}"#)
    }

    @Test("The rows are the union of all lists, one per transaction id, in order of first appearance")
    func unitesLists() {
        let lists = """
            "receipt":{"in_app":[\(Self.transaction(1)),\(Self.transaction(2))]},
            "latest_receipt_info":[\(Self.transaction(3)),\(Self.transaction(2))],
            "latest_expired_receipt_info":\(Self.transaction(4))
            """
        let reading = Self.response(lists)
        #expect(reading.transactions.map { $0["transaction_id"] } == ["1", "2", "3", "4"])
        #expect(reading.transactions.map { $0["row"] } == ["1", "2", "3", "4"])
        #expect(reading.documents.first?["transactions"] == "4")
    }

    @Test("A list of one may be an object, empty text or null, and may be missing")
    func readsObjectsAsLists() {
        for (value, count) in [
            (Self.transaction(1), 1), ("[\(Self.transaction(1))]", 1), ("[]", 0), ("null", 0), ("\"\"", 0),
        ] {
            let latest = Self.response("\"latest_receipt_info\":\(value)")
            #expect(latest.transactions.count == count, "latest_receipt_info: \(value)")
            let inApp = Self.response("\"receipt\":{\"in_app\":\(value)}")
            #expect(inApp.transactions.count == count, "in_app: \(value)")
            #expect(inApp.accepted == 1)
        }
        #expect(Reading(#"{"status":21003}"#).documents.first?["transactions"] == "0")
        #expect(Reading(#"{"status":0,"receipt":{}}"#).accepted == 1)
        #expect(Reading(#"{"status":21002,"receipt":null}"#).accepted == 1)
    }

    @Test(
        "The latest_* copy is right whichever comes first, and known beats null either way",
        arguments: [false, true]
    )
    func prefersLatest(latestFirst: Bool) throws {
        let lists = [
            #""receipt":{"in_app":[\#(Self.transaction(1, #""product_id":"old","quantity":"2","is_trial_period":"true""#))]}"#,
            #""latest_receipt_info":[\#(Self.transaction(1, #""product_id":"new","quantity":null,"offer_code_ref_name":"o""#))]"#,
        ]
        let reading = Self.response((latestFirst ? lists.reversed() : lists).joined(separator: ","))
        #expect(reading.transactions.count == 1)
        let row = try #require(reading.transactions.first)
        #expect(row["product_id"] == "new")
        #expect(row["quantity"] == "2")
        #expect(row["is_trial"] == "true")
        #expect(row["offer_id"] == "o")
    }

    @Test("What any latest_* copy tells beats in_app, field by field, in any order of the lists")
    func prefersLatestFieldByField() throws {
        let latest = [Self.transaction(1), Self.transaction(1, #""expires_date_ms":"1594755402000""#)]
        let old = #""receipt":{"in_app":[\#(Self.transaction(1, #""expires_date_ms":"1594755401000""#))]}"#
        for order in [latest, latest.reversed()] {
            let new = "\"latest_receipt_info\":[\(order.joined(separator: ","))]"
            for members in ["\(old),\(new)", "\(new),\(old)"] {
                let reading = Self.response(members)
                #expect(reading.transactions.count == 1)
                #expect(reading.transactions.first?["expires_date"] == "2020-07-14T19:36:42.000Z", "\(members)")
            }
        }
    }

    @Test("An id twice in one list is one row, and the first copy is kept where both know a field")
    func joinsCopiesOfOneList() {
        let reading = Self.response(
            """
            "receipt":{"in_app":[
              \(Self.transaction(1, #""product_id":"a""#)),
              \(Self.transaction(1, #""product_id":"b","quantity":"3""#))
            ]}
            """
        )
        #expect(reading.transactions.count == 1)
        #expect(reading.transactions.first?["product_id"] == "a")
        #expect(reading.transactions.first?["quantity"] == "3")
    }

    @Test("Ids that are missing, null, empty or 0 name nothing and are never joined")
    func neverJoinsNamelessRows() {
        let rows = [#"{"product_id":"a"}"#, #"{"transaction_id":null}"#, #"{"transaction_id":""}"#]
        let zeros = [#"{"transaction_id":"0"}"#, #"{"transaction_id":0}"#]
        let list = (rows + rows + zeros).joined(separator: ",")
        let reading = Self.response("\"receipt\":{\"in_app\":[\(list)]}")
        #expect(reading.transactions.count == 8)
        #expect(reading.transactions.map { $0["transaction_id"] } == Array(repeating: nil, count: 6) + ["0", "0"])
    }

    @Test("A text and a number are the same id; leading zeros make another one; 18 digits stay exact")
    func comparesIDsAsText() {
        let ids = [
            #""700""#, "700", #""0700""#, #""abc""#, #""a\u0062c""#, "900000000000000001", #""900000000000000001""#,
        ]
        let list = ids.map { "{\"transaction_id\":\($0)}" }.joined(separator: ",")
        let reading = Self.response("\"receipt\":{\"in_app\":[\(list)]}")
        #expect(reading.transactions.map { $0["transaction_id"] } == ["700", "0700", "abc", "900000000000000001"])
    }

    @Test("More transactions than any table begins with are still one row per id")
    func joinsThousands() {
        let list = (0..<3000).map { Self.transaction(1_000_000 + $0 % 1500) }.joined(separator: ",")
        let reading = Self.response("\"latest_receipt_info\":[\(list)]")
        #expect(reading.transactions.count == 1500)
        #expect(Set(reading.transactions.compactMap { $0["transaction_id"] }).count == 1500)
    }

    @Test("Ids of one document are not joined with those of the next")
    func keepsDocumentsApart() {
        let document = #"{"status":0,"receipt":{"in_app":[\#(Self.transaction(1))]}}"#
        let reading = Reading(document + "\n" + document)
        #expect(reading.transactions.map { $0["document"] } == ["0", "1"])
        #expect(reading.transactions.map { $0["row"] } == ["1", "1"])
    }

    @Test("Only 0 and 21006 give rows; another status says how many it withheld", arguments: [2, 21002, 21003, 21007])
    func withholdsRows(_ status: Int) throws {
        let members = #"""
            "receipt":{"bundle_id":"a","in_app":[{"transaction_id":"1"},{"transaction_id":"2"}]},
            "latest_receipt_info":[{"transaction_id":"2"}],"auto_renew_status":1,
            "pending_renewal_info":[{"product_id":"p"}]
            """#
        let withheld = Reading("{\"status\":\(status),\(members)}")
        #expect(withheld.transactions.isEmpty && withheld.renewals.isEmpty)
        #expect(withheld.documents.first?["transactions"] == "0")
        #expect(withheld.documents.first?["withheld"] == "2")
        #expect(withheld.documents.first?["status"] == "\(status)")
        #expect(withheld.documents.first?["bundle_id"] == "a")

        let late = Reading("{\(members),\"status\":\"21006\"}")
        #expect(late.transactions.count == 2)
        #expect(late.documents.first?["status"] == "21006")
        #expect(late.documents.first?["withheld"] == "0")
    }

    @Test("A flat iOS 6 receipt is its own transaction and tells the app of the document")
    func readsFlatReceipts() throws {
        let receipt = """
            "bid":"com.example","bvrs":"7","item_id":"1","product_id":"p","transaction_id":"5",
            "original_transaction_id":"5","quantity":"1","unique_identifier":"device"
            """
        let reading = Self.response("\"receipt\":{\(receipt)}")
        let row = try #require(reading.transactions.first)
        #expect(row["bundle_id"] == "com.example" && row["app_version"] == "7" && row["product_id"] == "p")
        #expect(row["environment"] == nil)
        #expect(!row.values.contains("device"))
        #expect(reading.documents.first?["bundle_id"] == "com.example")
        #expect(reading.documents.first?["app_version"] == "7")

        let withheld = Reading("{\"status\":21007,\"receipt\":{\(receipt)}}")
        #expect(withheld.transactions.isEmpty)
        #expect(withheld.documents.first?["withheld"] == "1")
        #expect(withheld.documents.first?["bundle_id"] == "com.example")
    }

    @Test("A row that names its own app keeps it")
    func keepsTheRowsOwnApp() {
        let reading = Self.response(
            #"""
            "receipt":{"bid":"a","bvrs":"68","transaction_id":"5"},
            "latest_receipt_info":{"bid":"a","bvrs":"13","transaction_id":"5"}
            """#
        )
        #expect(reading.transactions.count == 1)
        #expect(reading.transactions.first?["app_version"] == "13")
        #expect(reading.documents.first?["app_version"] == "68")
    }

    @Test("Renewal state at the top level is a row, of the subscription that the response is about")
    func readsTopLevelRenewal() throws {
        let state =
            #""auto_renew_status":0,"auto_renew_product_id":"q","expiration_intent":"1","is_in_billing_retry_period":"0""#
        let receipt = #""receipt":{"bid":"a","product_id":"p","transaction_id":"6","original_transaction_id":"5"}"#
        for members in ["\(state),\(receipt)", "\(receipt),\(state)"] {
            let reading = Self.response(members)
            #expect(reading.renewals.count == 1)
            let row = try #require(reading.renewals.first)
            #expect(row["auto_renew_status"] == "0" && row["auto_renew_product_id"] == "q")
            #expect(row["expiration_intent"] == "1" && row["is_in_billing_retry_period"] == "false")
            #expect(row["product_id"] == "p" && row["original_transaction_id"] == "5")
            #expect(row["bundle_id"] == "a" && row["kind"] == "verify")
        }
        #expect(Self.response("\"auto_renew_status\":null,\(receipt)").renewals.isEmpty)
        let listed = Self.response("\(state),\"pending_renewal_info\":[{\"product_id\":\"z\"}],\(receipt)")
        #expect(listed.renewals.map { $0["product_id"] } == ["z"])
    }

    @Test(
        "An entry of pending_renewal_info without a value is no row",
        arguments: ["[{}]", "{}", #"[{"x":1}]"#, #"[{"product_id":"","auto_renew_status":null}]"#]
    )
    func leavesOutEmptyRenewals(_ list: String) {
        let response = Self.response(#""environment":"Sandbox","pending_renewal_info":\#(list)"#)
        #expect(response.accepted == 1 && response.renewals.isEmpty)
        let notification = Reading(
            #"{"notification_type":"DID_RENEW","bid":"b","auto_renew_status":"true","auto_renew_product_id":"m","#
                + #""original_transaction_id":"7","unified_receipt":{"pending_renewal_info":\#(list)}}"#
        )
        #expect(notification.renewals.map { $0["original_transaction_id"] } == ["7"])
    }

    @Test("A time that a database has written with its type is the time of the response")
    func readsTypedTimes() {
        for time in [#"{"$date":"2019-03-05T00:00:00Z"}"#, #"{"$date":{"$numberLong":"1551744000000"}}"#] {
            for text in [
                #"{"timestamp":\#(time),"status":21003}"#, #"{"received_at":\#(time),"response":{"status":21003}}"#,
            ] {
                #expect(Reading(text).documents.map { $0["logged_at"] } == ["2019-03-05T00:00:00.000Z"], "\(text)")
            }
        }
    }

    @Test("Every entry of pending_renewal_info is a row, whatever the types of its members")
    func readsRenewals() throws {
        let reading = Self.response(
            #"""
            "environment":"Sandbox","receipt":{"bundle_id":"b","request_date_ms":"5000"},
            "pending_renewal_info":[
              {"product_id":"p","auto_renew_product_id":"q","original_transaction_id":"1","auto_renew_status":"1",
               "expiration_intent":"2","is_in_billing_retry_period":"1","price_consent_status":"0",
               "grace_period_expires_date":"1970-01-01 00:00:09 Etc/GMT","grace_period_expires_date_ms":"7000"},
              {"product_id":"p","auto_renew_status":true,"expiration_intent":2,"promotional_offer_id":"o",
               "grace_period_expires_date":"1970-01-01 00:00:09 Etc\/GMT"}]
            """#
        )
        #expect(reading.renewals.count == 2)
        let row = try #require(reading.renewals.first)
        #expect(row["auto_renew_product_id"] == "q" && row["original_transaction_id"] == "1")
        #expect(row["auto_renew_status"] == "1" && row["expiration_intent"] == "2")
        #expect(row["is_in_billing_retry_period"] == "true" && row["price_consent_status"] == "0")
        #expect(row["grace_period_expires_date"] == "1970-01-01T00:00:07.000Z")
        #expect(row["environment"] == "sandbox" && row["bundle_id"] == "b")
        #expect(row["observed_at"] == "1970-01-01T00:00:05.000Z")
        #expect(reading.renewals.last?["auto_renew_status"] == "1")
        #expect(reading.renewals.last?["offer_id"] == "o")
        #expect(reading.renewals.last?["grace_period_expires_date"] == "1970-01-01T00:00:09.000Z")
    }
}
