import TillCore

/// App receipts in the wrappings in which they arrive.
struct ReceiptSamples {
    let clientele: Clientele

    func files() throws -> [SampleFile] {
        let receipts = try receipts().map { try $0.base64 }
        return [
            SampleFile("pkcs7/receipts.ndjson", lines: receipts.prefix(8).map(Self.posted)),
            SampleFile("pkcs7/receipts.b64", lines: Array(receipts.dropFirst(8))),
            SampleFile("pkcs7/xcode-ber.b64", lines: [try xcode().base64]),
        ]
    }

    /// The body in which an app sends its receipt to verifyReceipt.
    static func posted(_ base64: String) -> String { (["receipt-data": base64] as JSON).compact }

    /// Each customer once, and the first four again two weeks later.
    func receipts() -> [AppReceipt] {
        // Half of these customers are in the verifyReceipt log too, so the copies have to be merged.
        let customers = clientele.customers.suffix(12)
        let first = customers.map { $0.snapshot(at: .utc(2026, 3, 2, hour: 9)) }
        let again = customers.prefix(4).map { $0.snapshot(at: .utc(2026, 3, 16, hour: 9)) }
        return (first + again).map { AppReceipt(snapshot: $0, seed: clientele.seed) }
    }

    private func xcode() -> AppReceipt {
        let date = Timestamp.utc(2026, 3, 20, hour: 10)
        let purchase = Purchase(product: Shop.pro, id: 0, originalID: 0, date: date, originalDate: date)
        let tester = Customer(app: Shop.lumen, isSandbox: true, installed: date, downloadID: 0, purchases: [purchase])
        let snapshot = tester.snapshot(at: date.adding(minutes: 1))
        return AppReceipt(snapshot: snapshot, seed: clientele.seed, isFromXcode: true)
    }
}
