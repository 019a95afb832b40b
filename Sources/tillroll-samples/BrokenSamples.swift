import TillCore

/// A dump as it comes out of a real archive: good documents of every kind, and some that cannot be read.
struct BrokenSamples {
    private static let documentCount = 41

    let clientele: Clientele

    func file() throws -> SampleFile {
        let defects = try defects()
        var documents = try good(count: Self.documentCount - defects.count).map { Array($0.utf8) }
        // From the last to the first, so that every position counts good documents only.
        for (index, defect) in defects.enumerated().reversed() { documents.insert(defect, at: 3 + index * 4) }
        return SampleFile("broken/mixed.ndjson", octets: documents.flatMap { $0 + [UInt8(ascii: "\n")] })
    }

    /// Responses, receipts and events in turn.
    private func good(count: Int) throws -> [String] {
        let responses = try VerifySamples(clientele).responses()
        let receipts = ReceiptSamples(clientele: clientele).receipts()
        let events = EventSamples(clientele).lines()
        return try (0..<count).map { index in
            let turn = index / 3
            switch index % 3 {
            case 0: return responses[turn]
            case 1:
                let receipt = try receipts[turn].base64
                return turn % 2 == 0 ? receipt : ReceiptSamples.posted(receipt)
            default: return events[turn]
            }
        }
    }

    private func defects() throws -> [[UInt8]] {
        let customer = clientele.customers.first { $0.purchases.count > 3 } ?? clientele.customers[0]
        let receipt = try AppReceipt(snapshot: customer.snapshot(at: .utc(2026, 3, 31)), seed: clientele.seed).octets
        let invalidUTF8 = #"{"v":1,"ts":"2026-03-02T10:16:00.000Z","event":"failed","error":{"message":"caf"#
        return [
            #"{"logged_at_ms":1772442600000,"request_id":"9d1c","status":0,"receipt":{"bundle_id":"com.exam"#,
            "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>",
            "{",
            #"{"v":1,"ts":"2026-03-02T10:15:00.120Z","event":"failed","bundle_id":"\x41"}"#,
            ReceiptSamples.posted(foreignCharacter(in: receipt.base64)),
            ReceiptSamples.posted(lengthPastParent(in: receipt).base64),
            "nightly export finished without errors",
        ]
        .map { Array($0.utf8) } + [invalidUTF8.utf8 + [0xC3, 0x28] + #""}}"#.utf8]
    }

    /// An asterisk somewhere in the middle.
    private func foreignCharacter(in base64: String) -> String {
        let place = base64.count / 2 + clientele.random("broken").number(in: 0...99)
        return base64.prefix(place) + "*" + base64.dropFirst(place + 1)
    }

    /// The first purchase date (attribute 1704) promises 64 octets and has 20.
    ///
    ///     02 02 06 A8   02 01 01   04 16   16 14 32 30 32 36 …
    ///     type          version    value      ^^ becomes 40
    private func lengthPastParent(in receipt: [UInt8]) -> [UInt8] {
        let start: [UInt8] = [0x02, 0x02, 0x06, 0xA8, 0x02, 0x01, 0x01, 0x04, 0x16, 0x16]
        return receipt.replacing(start + [0x14], with: start + [0x40], maxReplacements: 1)
    }
}
