import Testing
import TillTestSupport

@Suite("Dates of verifyReceipt responses")
struct VerifyDateTests {
    private static let texts: [(String, String?)] = [
        (#""purchase_date_ms":"1594755400000""#, "2020-07-14T19:36:40.000Z"),
        (#""purchase_date_ms":1594755400123"#, "2020-07-14T19:36:40.123Z"),
        (#""purchase_date_ms":1594755400123.9"#, "2020-07-14T19:36:40.123Z"),
        (#""purchase_date_ms":1215648000000"#, "2008-07-10T00:00:00.000Z"),
        (#""purchase_date":"2020-07-14 19:36:40 Etc/GMT""#, "2020-07-14T19:36:40.000Z"),
        (#""purchase_date":"2020-07-14 19:36:40 Etc\/GMT""#, "2020-07-14T19:36:40.000Z"),
        (#""purchase_date":"1594755400000""#, "2020-07-14T19:36:40.000Z"),
        (#""purchase_date":1594755400000"#, "2020-07-14T19:36:40.000Z"),
        (#""purchase_date":"2020-07-22T18:33:15+0100""#, "2020-07-22T17:33:15.000Z"),
        (#""purchase_date":null"#, nil),
        (#""purchase_date_ms":null"#, nil),
        (#""purchase_date_pst":"2020-07-14 12:36:40 America/Los_Angeles""#, nil),
        (#""purchase_date_pst":"what is this""#, nil),
    ]

    @Test(
        "Milliseconds, text and text with an escaped slash are dates; the Pacific copy is never read",
        arguments: texts
    )
    func readsDates(_ member: String, _ expected: String?) throws {
        let reading = Reading(#"{"status":0,"receipt":{"in_app":[{\#(member)}]}}"#)
        let row = try #require(reading.transactions.first, "\(reading.rejects)")
        #expect(row["purchase_date"] == expected)
    }

    @Test("Milliseconds win over the text, whichever comes first, and the text is not even read")
    func prefersMilliseconds() {
        let milliseconds = #""expires_date_ms":"1594755400000""#
        for text in ["2031-01-01 00:00:00 Etc/GMT", "someday", "2020-07-14 12:36:40 America/Los_Angeles"] {
            for members in [
                "\(milliseconds),\"expires_date\":\"\(text)\"", "\"expires_date\":\"\(text)\",\(milliseconds)",
            ] {
                let reading = Reading(#"{"status":0,"receipt":{"in_app":[{\#(members)}]}}"#)
                #expect(reading.transactions.first?["expires_date"] == "2020-07-14T19:36:40.000Z", "\(members)")
            }
        }
    }

    @Test("The dates of the receipt follow the same rules as those of its transactions")
    func readsReceiptDates() {
        let dates =
            #""request_date":"2020-07-14 19:36:40 Etc\/GMT","request_date_pst":"2020-07-14 12:36:40 America\/LA""#
        let text = Reading(#"{"status":0,"receipt":{"in_app":[],\#(dates)}}"#)
        #expect(text.documents.first?["observed_at"] == "2020-07-14T19:36:40.000Z")

        let both = Reading(#"{"status":0,"receipt":{"in_app":[],"request_date":"soon","request_date_ms":"1000"}}"#)
        #expect(both.documents.first?["observed_at"] == "1970-01-01T00:00:01.000Z")

        let reversed = Reading(#"{"status":0,"receipt":{"request_date_ms":"1000","request_date":"soon","in_app":[]}}"#)
        #expect(reversed.documents.first?["observed_at"] == "1970-01-01T00:00:01.000Z")
    }

    @Test("What a document shows was observed at its request, else when the receipt was created")
    func observes() {
        let creation = #""receipt_creation_date_ms":"1000""#
        let request = #""request_date_ms":"2000""#
        for (members, expected) in [
            ("\(creation),\(request)", "1970-01-01T00:00:02.000Z"),
            ("\(request),\(creation)", "1970-01-01T00:00:02.000Z"),
            (creation, "1970-01-01T00:00:01.000Z"),
        ] {
            let reading = Reading(#"{"status":0,"receipt":{\#(members),"in_app":[{"product_id":"a"}]}}"#)
            #expect(reading.documents.first?["observed_at"] == expected)
            #expect(reading.transactions.first?["observed_at"] == expected)
        }
    }

    @Test("A date that is none is a reject that says where")
    func rejectsOtherText() throws {
        let text = #"{"status":0,"receipt":{"in_app":[{"product_id":"a"},{"purchase_date":"14.07.2020"}]}}"#
        let reject = try #require(Reading(text).rejects.first)
        #expect(reject.code == "receipt.date")
        #expect(reject.path == "in_app[1] › purchase_date")
        #expect(reject.innerOffset == 70)

        let request = try #require(Reading(#"{"status":0,"receipt":{"request_date":"today"}}"#).rejects.first)
        #expect(request.path == "request_date")
        #expect(request.innerOffset == 39)
    }

    @Test("In iOS 6 responses expires_date is milliseconds and expires_date_formatted the text")
    func readsFormattedExpiry() {
        let milliseconds = #""expires_date":"1594755400123","expires_date_formatted":"2020-07-14 19:36:40 Etc/GMT""#
        let both = Reading(#"{"status":0,"receipt":{"bid":"a","product_id":"b",\#(milliseconds)}}"#)
        #expect(both.transactions.first?["expires_date"] == "2020-07-14T19:36:40.123Z")

        let text = #""expires_date_formatted":"2020-07-14 19:36:40 Etc/GMT""#
        let formatted = Reading(#"{"status":0,"receipt":{"bid":"a","product_id":"b",\#(text)}}"#)
        #expect(formatted.transactions.first?["expires_date"] == "2020-07-14T19:36:40.000Z")
    }
}
