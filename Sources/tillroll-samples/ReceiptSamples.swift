import TillCore

/// App receipts in the wrappings in which they arrive.
struct ReceiptSamples {
    private let seed: UInt64
    private let customers: [Customer]

    init(seed: UInt64, clientele: Clientele) {
        self.seed = seed
        // Half of these are in the verifyReceipt log too, so that the copies have to be merged.
        customers = Array(clientele.customers.suffix(12))
    }

    func files() throws -> [SampleFile] {
        let receipts = receipts()
        return [
            SampleFile(
                path: "pkcs7/receipts.ndjson",
                shows: "app receipts as a client posts them, each in `receipt-data`; some of the customers are in "
                    + "`verify/` as well",
                lines: try receipts.prefix(8).map { receipt in
                    JSONValue.object([("receipt-data", .string(try receipt.base64))]).compact()
                }
            ),
            SampleFile(
                path: "pkcs7/receipts.b64",
                shows: "app receipts as bare base64, one a line",
                lines: try receipts.dropFirst(8).map { try $0.base64 }
            ),
            SampleFile(
                path: "pkcs7/xcode-ber.b64",
                shows: "a receipt that Xcode wrote: indefinite lengths, a payload in pieces, the transaction id 0",
                lines: [try xcode().base64]
            ),
        ]
    }

    /// Each customer once, and the first four again two weeks later.
    func receipts() -> [AppReceipt] {
        let first = customers.map { $0.snapshot(at: Timestamp.utc(2026, 3, 2, hour: 9)) }
        let again = customers.prefix(4).map { $0.snapshot(at: Timestamp.utc(2026, 3, 16, hour: 9)) }
        return (first + again).map { AppReceipt(snapshot: $0, seed: seed) }
    }

    private func xcode() -> AppReceipt {
        let date = Timestamp.utc(2026, 3, 20, hour: 10)
        let purchase = Purchase(product: Shop.pro, id: 0, originalID: 0, date: date, originalDate: date)
        let developer = Customer(
            app: Shop.lumen,
            isSandbox: true,
            installed: date,
            downloadID: 0,
            purchases: [purchase]
        )
        return AppReceipt.xcode(snapshot: developer.snapshot(at: date.adding(minutes: 1)), seed: seed)
    }
}
