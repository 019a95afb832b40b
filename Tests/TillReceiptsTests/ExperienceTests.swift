import Testing
import TillTestSupport

/// Readers remember what objects looked like; what they say of a document must not tell.
@Suite("What was read before")
struct ExperienceTests {
    private static func response(_ number: Int) -> String {
        let date = "2024-09-0\(1 + number % 9) 05:56:32 Etc/GMT"
        func transaction(_ id: Int) -> String {
            """
            {"quantity":"1","product_id":"com.example.coins\(id % 7 * 50)","transaction_id":"17070831141\(id)",\
            "original_transaction_id":"17070831141\(id)","purchase_date":"\(date)","purchase_date_ms":"1725774992000",\
            "purchase_date_pst":"\(date)","original_purchase_date":"\(date)","is_trial_period":"\(id % 2 == 0)",\
            "subscription_group_identifier":"20500028"}
            """
        }
        return """
            {"status":0,"environment":"Production","receipt":{"receipt_type":"Production","adam_id":680948820,\
            "bundle_id":"com.example.app","receipt_creation_date":"\(date)","request_date_pst":"\(date)",\
            "in_app":[\(transaction(1000 + number)),\(transaction(2000 + number))]},\
            "latest_receipt_info":[\(transaction(2000 + number))],\
            "pending_renewal_info":[{"auto_renew_product_id":"com.example.month","original_transaction_id":\
            "17070831141\(number)","product_id":"com.example.month","auto_renew_status":"1","unheard_of":"x"}]}
            """
    }

    /// What is told of the last document of a stream: its rows or what is wrong with it, wherever it stands.
    private static func last(_ reading: Reading) -> [String] {
        let number = String(reading.documentCount - 1)
        func rows(_ rows: [Reading.Row]) -> [String] {
            rows.filter { $0["document"] == number }.map { row in
                row.filter { $0.key != "document" }.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(
                    separator: " "
                )
            }
        }
        let reject = reading.rejects.last.flatMap { reject in
            reject.document == reading.documentCount - 1 ? "\(reject.diagnostic) \(reject.length)" : nil
        }
        return rows(reading.transactions) + rows(reading.documents) + rows(reading.renewals)
            + [reject].compactMap(\.self)
    }

    @Test("A damaged response is told alike by one who has read many and by one who has read none", arguments: 0..<8)
    func isNotTold(part: Int) {
        let before = (0..<6).map { Self.response($0) + "\n" }.joined()
        let document = Array(Self.response(7).utf8)
        let damage = Array("\"\\,:{}[]0x \n\u{1}".utf8)
        for index in stride(from: part, to: document.count, by: 8) {
            var damaged = document
            damaged[index] = damage[index / 8 % damage.count]
            let alone = Self.last(Reading(damaged))
            let after = Self.last(Reading(Array(before.utf8) + damaged))
            #expect(after == alone, "\(index): \(String(decoding: damaged, as: UTF8.self))")
            #expect(!alone.isEmpty || damaged[index] == 0x0A)
        }
    }
}
