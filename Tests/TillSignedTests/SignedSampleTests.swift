import Foundation
import Testing

/// The package's own samples of both formats.
@Suite("Samples of payloads and notifications")
struct SignedSampleTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Samples")

    private static func reading(_ name: String) throws -> SignedReading {
        try SignedReading(Array(Data(contentsOf: folder.appending(path: name))))
    }

    @Test(
        "Every document of the samples is read as what its folder says",
        arguments: [
            ("jws/signed.jws", "jws"), ("jws/payloads.ndjson", "jws"), ("jws/xcode.jws", "jws"),
            ("notification/v2.ndjson", "notification"), ("notification/v2-decoded.json", "notification"),
            ("notification/v1.ndjson", "notification"),
        ]
    )
    func areRead(_ name: String, _ kind: String) throws {
        let reading = try Self.reading(name)
        #expect(reading.accepted > 0 && reading.rejects.isEmpty)
        #expect(Set(reading.documents.map { $0["kind"] }) == [kind])
        #expect(!reading.transactions.isEmpty)
    }

    @Test("Prices are totals in thousandths, trials are free, and a product without a price has none")
    func havePrices() throws {
        let rows = try Self.reading("jws/signed.jws").transactions
        #expect(rows.contains { $0["quantity"] == "2" && $0["currency"] == "USD" && $0["price"] == "1980" })
        #expect(rows.contains { $0["is_trial"] == "true" && $0["price"] == "0" })
        #expect(rows.contains { $0["product_id"] == "com.example.tabi.stamps" && $0["price"] == nil })
        #expect(rows.contains { $0["environment"] == "sandbox" } && rows.contains { $0["cancellation_date"] != nil })
    }

    @Test("Of notifications, a refund is undone and the shared secret is gone")
    func haveTypes() throws {
        let second = try Self.reading("notification/v2.ndjson")
        #expect(second.transactions.contains { $0["refund_reversed_at"] != nil })
        let types = Set(second.documents.compactMap { $0["notification_type"] })
        #expect(types.isSuperset(of: ["SUBSCRIBED", "DID_RENEW", "REFUND", "REFUND_REVERSED", "TEST"]))
        let first = try Self.reading("notification/v1.ndjson")
        #expect(!first.texts.contains { $0.contains("00000000000000000000") })
        #expect(first.renewals.count == first.accepted)
    }
}
