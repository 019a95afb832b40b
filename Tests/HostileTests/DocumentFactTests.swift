import Testing
import TillTestSupport

/// What stands beside the receipt in a document.
@Suite("Members beside the receipt")
struct DocumentFactTests {
    private static let receipt = ReceiptDER.sample().base64
    private static let jws = "eyJhbGciOiJFUzI1NiIsIng1YyI6W119." + payload + ".AAAA"
    private static let payload = ReceiptDER.base64(Array(#"{"transactionId":"7"}"#.utf8)).replacing("=", with: "")

    static let wrapped: [(String, String)] = [
        ("pkcs7", #""receipt-data":"\#(receipt)""#),
        ("legacy", #""receipt-data":"\#(ReceiptDER.base64(Array(TruncationTests.list.utf8)))""#),
        ("pkcs7", #""request":{"receipt-data":"\#(receipt)"}"#), ("pkcs7", #""Payload":"\#(receipt)""#),
        ("jws", #""body":"\#(jws)""#),
        ("notification", #""notification_type":"RENEWAL""#), ("verify", #""body":"{\"status\":21003}""#),
        ("verify", #""status":21003"#),
    ]

    @Test("When a document was logged stands in its row, whatever the document is", arguments: wrapped)
    func readsLogTime(_ kind: String, _ members: String) {
        let instant = "2026-03-01T08:00:00.000Z"
        for time in [
            #""logged_at":"2026-03-01T08:00:00Z""#, #""logged_at_ms":1772352000000"#, #""ts":1772352000,"time":"x""#,
            #""date":1772352000.000999"#, #""__REALTIME_TIMESTAMP":"1772352000000999""#, #""ts_ms":1772352000000"#,
        ] {
            for text in ["{\(time),\(members)}", "{\(members),\(time)}"] {
                let reading = Reading(text)
                #expect(reading.documents.map { $0["kind"] } == [kind], "\(text)")
                #expect(reading.documents.map { $0["logged_at"] } == [instant], "\(text)")
            }
        }
        #expect(Reading("{\(members)}").documents.map { $0["logged_at"] } == [nil])
    }

    @Test("A document in an entry of Loki has the time before it")
    func readsEntriesOfLoki() {
        let response = #""{\"status\":21003}""#
        let event = #""{\"v\":1,\"event\":\"failed\",\"product_id\":\"p\"}""#
        let values = #"[["1772352000000000999",\#(response)],["1772352001000000000",\#(event),{"trace":"1"}]]"#
        for text in [
            #"{"streams":[{"stream":{"app":"shop"},"values":\#(values)}]}"#,
            #"{"status":"success","data":{"resultType":"streams","result":[{"stream":{},"values":\#(values)}]}}"#,
        ] {
            let reading = Reading(text)
            #expect(reading.documents.map { $0["logged_at"] } == ["2026-03-01T08:00:00.000Z"], "\(text)")
            #expect(reading.events.map { $0["at"] } == ["2026-03-01T08:00:01.000Z"], "\(text)")
        }
    }

    @Test("The most preferred of several times counts, and what is no time is none")
    func prefersLogTimes() {
        let reading = Reading(
            #"{"received_at":"2020-01-01T00:00:00Z","ts":{"a":1},"logged_at":"2021-01-01T00:00:00Z","receipt-data":"\#(Self.receipt)"}"#
                + #"{"time":null,"receipt-data":"\#(Self.receipt)"}"#
        )
        #expect(reading.documents.map { $0["logged_at"] } == ["2021-01-01T00:00:00.000Z", nil])
    }

    /// Members of a V1 notification, and the cancellations of its rows.
    static let cancellations: [(String, [String?])] = [
        (
            #""cancellation_date_ms":"1521757701000","latest_receipt_info":{"transaction_id":"1"}"#,
            ["2018-03-22T22:28:21.000Z"]
        ),
        (
            #""cancellation_date":"2018-03-22 22:28:21 Etc/GMT","unified_receipt":{"latest_receipt_info":[{"transaction_id":"1"}]}"#,
            ["2018-03-22T22:28:21.000Z"]
        ),
        (
            #""cancellation_date_ms":"1521757701000","web_order_line_item_id":"20","latest_receipt_info":[{"transaction_id":"1","web_order_line_item_id":"10"},{"transaction_id":"2","web_order_line_item_id":"20"}]"#,
            [nil, "2018-03-22T22:28:21.000Z"]
        ),
        (
            #""cancellation_date_ms":"1521757701000","latest_receipt_info":[{"transaction_id":"1"},{"transaction_id":"2"}]"#,
            [nil, nil]
        ),
        (
            #""cancellation_date_ms":"1521757701000","latest_receipt_info":{"transaction_id":"1","cancellation_date_ms":"1521757702000"}"#,
            ["2018-03-22T22:28:22.000Z"]
        ),
        (
            #""cancellation_date_pst":"2018-03-22 15:28:21 America/Los_Angeles","latest_receipt_info":{"transaction_id":"1"}"#,
            [nil]
        ),
    ]

    @Test(
        "A cancellation at the top level of a V1 notification is that of the transaction it is about",
        arguments: cancellations
    )
    func readsCancellation(_ members: String, _ expected: [String?]) {
        let reading = Reading(#"{"notification_type":"CANCEL",\#(members)}"#)
        #expect(reading.transactions.map { $0["cancellation_date"] } == expected, "\(members)")
    }
}
