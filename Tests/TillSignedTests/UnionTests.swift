import Testing

/// Which lists make up the rows of a document: the union of all, one row per transaction id.
@Suite("Union of lists")
struct UnionTests {
    /// A transaction with an id and more members.
    private static func row(_ id: Int, _ members: String = "") -> String {
        #"{"transaction_id":"\#(id)"\#(members)}"#
    }

    private static func ids(_ reading: SignedReading) -> [String?] { reading.transactions.map { $0["transaction_id"] } }

    @Test("Quirk 40: rows of either list are kept, and the latest_* copy of one that both have is right")
    func joinsLists() {
        let old = Self.row(1, #","quantity":"1","product_id":"old""#)
        let new = Self.row(1, #","quantity":"2","expires_date_ms":"1594755401000""#)
        let lists = [
            #""receipt":{"in_app":[\#(old),\#(Self.row(2))]}"#, #""latest_receipt_info":[\#(Self.row(3)),\#(new)]"#,
        ]
        for members in [lists, lists.reversed()] {
            let reading = SignedReading(#"{"status":0,\#(members.joined(separator: ","))}"#)
            #expect(Set(Self.ids(reading)) == ["1", "2", "3"] && reading.transactions.count == 3)
            let row = reading.transactions.first { $0["transaction_id"] == "1" } ?? [:]
            #expect(row["quantity"] == "2" && row["product_id"] == "old")
            #expect(row["expires_date"] == "2020-07-14T19:36:41.000Z")
        }
    }

    @Test("Quirk 42: one id twice in one list is one row, and what is known beats what is not")
    func joinsWithinList() {
        let rows = [Self.row(1, #","expires_date_ms":"1594755401000""#), Self.row(1, #","quantity":"1""#)]
        for members in [
            #""status":0,"latest_receipt_info":[\#(rows.joined(separator: ","))]"#,
            #""notification_type":"X","unified_receipt":{"latest_receipt_info":[\#(rows.joined(separator: ","))]}"#,
            #""notification_type":"X","latest_receipt_info":\#(rows[0]),"latest_expired_receipt_info":\#(rows[1])"#,
        ] {
            let reading = SignedReading("{\(members)}")
            #expect(reading.transactions.count == 1)
            #expect(reading.transactions.first?["expires_date"] == "2020-07-14T19:36:41.000Z")
            #expect(reading.transactions.first?["quantity"] == "1")
        }
    }

    @Test("Quirk 57: ids that are missing or 0 name nothing and are never joined")
    func keepsNamelessRows() {
        let rows = [Self.row(0), Self.row(0), #"{"quantity":1}"#, #"{"quantity":1}"#].joined(separator: ",")
        #expect(SignedReading(#"{"status":0,"latest_receipt_info":[\#(rows)]}"#).transactions.count == 4)
        #expect(SignedReading(#"{"notification_type":"X","latest_receipt_info":[\#(rows)]}"#).transactions.count == 4)
    }

    @Test("Quirk 54: pending_renewal_info may list several entries for one product, and all are rows")
    func keepsRenewals() {
        let list = #""pending_renewal_info":[{"product_id":"p"},{"product_id":"p"},{"product_id":"q"}]"#
        for members in [#""status":0,\#(list)"#, #""notification_type":"X","unified_receipt":{\#(list)}"#] {
            #expect(SignedReading("{\(members)}").renewals.map { $0["product_id"] } == ["p", "p", "q"])
        }
    }

    @Test("An id in one document is not that of another")
    func endsWithDocument() {
        let line = #"{"status":0,"latest_receipt_info":[\#(Self.row(1))]}"#
        let notification = #"{"notification_type":"X","latest_receipt_info":[\#(Self.row(1))]}"#
        let reading = SignedReading([line, notification, line].joined(separator: "\n"))
        #expect(reading.transactions.map { $0["document"] } == ["0", "1", "2"])
    }
}
