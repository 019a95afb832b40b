import Foundation
import Testing

/// Texts of combining marks, whose normal form takes time in the square of their length, in every member of every format.
@Suite("Combining marks")
struct CombiningMarksTests {
    /// A document of each format; each text and each name in it is replaced in turn.
    static let documents = [
        #"{"v":1,"ts":"2026-03-01T00:00:00Z","event":"failed","error_domain":"SKErrorDomain","error_code":2,"error_message":"m","bundle_id":"a.b","app_version":"1","os":"ios","os_version":"1","storefront":"USA","product_id":"p","transaction_id":"1","original_transaction_id":"1","currency":"USD","underlying_domain":"X","underlying_code":1,"attempt_id":"a","session_id":"s","account_token":"t","environment":"Production"}"#,
        #"{"status":0,"environment":"Production","receipt":{"receipt_type":"Production","bundle_id":"a.b","application_version":"1","request_date":"2024-01-01 00:00:00 Etc/GMT","in_app":[{"quantity":"1","product_id":"p","transaction_id":"1","original_transaction_id":"1","purchase_date_ms":"1704067200000","expires_date_ms":"1706745600000","web_order_line_item_id":"5","is_trial_period":"false","promotional_offer_id":"o","in_app_ownership_type":"PURCHASED","subscription_group_identifier":"g"}]},"pending_renewal_info":[{"auto_renew_product_id":"p","product_id":"p","original_transaction_id":"1","auto_renew_status":"1"}]}"#,
        #"{"transactionId":"1","originalTransactionId":"1","bundleId":"a.b","productId":"p","purchaseDate":1700000000000,"quantity":1,"type":"Consumable","inAppOwnershipType":"PURCHASED","signedDate":1700000001000,"environment":"Production","price":990,"currency":"USD","storefront":"USA","offerIdentifier":"o","appAccountToken":"t"}"#,
        #"{"notificationType":"DID_RENEW","subtype":"BILLING_RECOVERY","notificationUUID":"u","version":"2.0","signedDate":1700000000000,"data":{"bundleId":"a.b","bundleVersion":"1","environment":"Production","status":1}}"#,
        #"{"notification_type":"RENEWAL","environment":"PROD","bid":"a.b","bvrs":"1","auto_renew_product_id":"p","password":"x","unified_receipt":{"status":0,"latest_receipt_info":[{"product_id":"p","transaction_id":"1","purchase_date_ms":"1704067200000"}]}}"#,
        #"<?xml version="1.0"?><plist version="1.0"><dict><key>"bid"</key><string>"a.b"</string><key>"transaction-id"</key><string>"1"</string></dict></plist>"#,
        #"{ "bid" = "a.b"; "product-id" = "p"; "transaction-id" = "1"; }"#,
        #"2026-03-01 00:00:00 Error Domain="SKErrorDomain" Code=2 "m" UserInfo={"NSLocalizedDescription"="x"}"#,
    ]

    static let commands = [
        "report all FILE -t json", "report all FILE -t html", "report all FILE -t table --detail",
        "report failures FILE -t json --by day,app_version,storefront --examples 3",
        "convert FILE -t csv --table transactions --safe", "convert FILE -t ndjson", "inspect FILE", "verify FILE",
        "report all FILE --partial -o FILE.tillpart",
    ]

    /// All documents, once for each text in quotes, which is replaced.
    static func dump(_ text: String) -> String {
        documents.flatMap { document -> [String] in
            let parts = document.components(separatedBy: "\"")
            return stride(from: 1, to: parts.count, by: 2).map { place in
                var changed = parts
                changed[place] = text
                let whole = changed.joined(separator: "\"")
                // Elements have no quotes around their texts.
                return document.hasPrefix("<")
                    ? whole.replacingOccurrences(of: ">\"", with: ">")
                        .replacingOccurrences(of: "\"</", with: "</") : whole
            }
        }
        .joined(separator: "\n")
    }

    @Test("A text of marks takes about as long as a plain one of its length, wherever it is", arguments: commands)
    func takesNoLonger(_ command: String) throws {
        let marks = "a" + String(repeating: "\u{301}\u{316}", count: 3000)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tillroll-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var seconds: [Double] = []
        for text in [String(repeating: "a", count: marks.utf8.count), marks] {
            let file = folder.appendingPathComponent("\(seconds.count)")
            try Self.dump(text).write(to: file, atomically: true, encoding: .utf8)
            let start = ContinuousClock.now
            let script = "tillroll \(command.replacingOccurrences(of: "FILE", with: "'\(file.path)'")) > /dev/null 2>&1"
            #expect([0, 3].contains(try EndToEndTests.run(script).status))
            seconds.append((ContinuousClock.now - start) / .seconds(1))
        }
        #expect(seconds[1] < 4 * seconds[0] + 2, "\(seconds)")
    }
}
