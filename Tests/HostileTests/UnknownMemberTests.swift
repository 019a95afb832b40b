import Testing
import TillCore
import TillTestSupport

/// Defects that stand behind a member of which nothing is known, and text of another encoding.
@Suite("Unknown members and encodings")
struct UnknownMemberTests {
    static let broken: [(String, String)] = [
        (#"{"status":0,"new":tru}"#, ""),
        (#"{"status":0,"receipt":{"bundle_id":"b","new":tru}}"#, "receipt"),
        (#"{"status":0,"receipt":{"in_app":[{"quantity":"1","new":tru}]}}"#, "in_app[0]"),
        (#"{"status":0,"pending_renewal_info":[{"product_id":"p","new":tru}]}"#, "pending_renewal_info[0]"),
        (#"{"notification_type":"CANCEL","new":tru}"#, ""),
        (#"{"notification_type":"CANCEL","unified_receipt":{"status":0,"new":tru}}"#, "unified_receipt"),
        (#"{"notificationType":"TEST","data":{"bundleId":"b","new":tru}}"#, "data"),
        (#"{"transactionId":"1","new":tru}"#, ""),
        (#"{"event":"failed","error":{"code":1,"new":tru}}"#, "error"),
        (#"{"event":"failed","quantity":1,"new":tru}"#, ""),
    ]

    @Test("A defect behind an unknown key is not told of the known key before it", arguments: broken)
    func tellsPath(_ text: String, _ path: String) throws {
        let reject = try #require(Reading(text).rejects.first)
        #expect(reject.code.hasPrefix("json.") && reject.path == path)
    }

    @Test("A reason at the top level of an iOS 6 response is that of the transaction that was cancelled")
    func readsTopLevelReason() {
        func reasons(_ members: String) -> [String?] {
            Reading(#"{"status":0,"cancellation_reason":"1",\#(members)}"#).transactions.map {
                $0["cancellation_reason"]
            }
        }
        let cancelled = #""transaction_id":"2","cancellation_date_ms":"1521757701000""#
        #expect(reasons(#""receipt":{"bid":"b","transaction_id":"1"}"#) == ["1"])
        #expect(
            reasons(#""receipt":{"bid":"b","transaction_id":"1"},"latest_receipt_info":{\#(cancelled)}"#) == [nil, "1"]
        )
        #expect(reasons(#""receipt":{"bid":"b","cancellation_reason":"0",\#(cancelled)}"#) == ["0"])
    }

    @Test("Text in UTF-16 is a reject that says so", arguments: [UInt8]([0, 1, 2, 3]))
    func rejectsUTF16(_ kind: UInt8) throws {
        let units = Array((kind > 1 ? "\u{FEFF}" : "").utf16) + Array(#"{"status":21003}"#.utf16)
        let bytes = units.flatMap {
            kind & 1 == 0 ? [UInt8($0 & 255), UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8($0 & 255)]
        }
        let reading = Reading(bytes)
        #expect(reading.accepted == 0)
        #expect(try #require(reading.rejects.first).diagnostic.reason.contains("UTF-16"))
        #expect(Reading("\0\0\0\0\0\0\0\0").rejects.isEmpty)
    }
}
