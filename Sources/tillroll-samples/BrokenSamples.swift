import TillCore

/// A dump as it comes out of a real archive: good documents of every kind, and some that cannot be read.
struct BrokenSamples {
    private static let documentCount = 41

    private var random: SplitMix64
    private let seed: UInt64
    private let clientele: Clientele

    init(seed: UInt64, clientele: Clientele) {
        random = SplitMix64(seed: seed, stream: "broken")
        self.seed = seed
        self.clientele = clientele
    }

    mutating func files() throws -> [SampleFile] {
        let bad = try defects().map { Array($0.utf8) } + [invalidUTF8]
        var documents = try good(count: Self.documentCount - bad.count).map { Array($0.utf8) }
        // From the last to the first, so that every position counts good documents only.
        for (index, defect) in bad.enumerated().reversed() {
            documents.insert(defect, at: 3 + index * 4)
        }
        return [
            SampleFile(
                path: "broken/mixed.ndjson",
                shows: "\(Self.documentCount) documents of all kinds, \(bad.count) of them unreadable: truncated "
                    + "JSON, an HTML page, a lone brace, a bad escape, a character that base64 lacks, a length that "
                    + "runs past its parent, plain text, invalid UTF-8",
                octets: documents.flatMap { $0 + [UInt8(ascii: "\n")] }
            )
        ]
    }

    /// Responses, receipts and events in turn.
    private func good(count: Int) throws -> [String] {
        var verify = VerifySamples(seed: seed, clientele: clientele)
        var events = EventSamples(seed: seed)
        let responses = try verify.responses().prefix(count).map { $0.compact() }
        let receipts = ReceiptSamples(seed: seed, clientele: clientele).receipts()
        let lines = events.lines()
        return try (0..<count).map { index in
            let turn = index / 3
            return switch index % 3 {
            case 0: responses[turn]
            case 1: turn % 2 == 0 ? try receipts[turn].base64 : wrapped(try receipts[turn].base64)
            default: lines[turn]
            }
        }
    }
}

// MARK: - Defects

extension BrokenSamples {
    /// All that can be written as text, one line each.
    private mutating func defects() throws -> [String] {
        [
            #"{"logged_at_ms":1772442600000,"request_id":"9d1c","status":0,"receipt":{"bundle_id":"com.exam"#,
            "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>",
            "{",
            #"{"v":1,"ts":"2026-03-02T10:15:00.120Z","event":"failed","bundle_id":"\x41"}"#,
            wrapped(foreignCharacter(in: try receipt.base64)),
            wrapped(Base64.encode(lengthPastParent(in: try receipt.octets))),
            "nightly export finished without errors",
        ]
    }

    private var invalidUTF8: [UInt8] {
        let start = #"{"v":1,"ts":"2026-03-02T10:16:00.000Z","event":"failed","error":{"message":"caf"#
        return Array(start.utf8) + [0xC3, 0x28] + Array(#""}}"#.utf8)
    }

    private var receipt: AppReceipt {
        let customer = clientele.customers.first { $0.purchases.count > 3 } ?? clientele.customers[0]
        return AppReceipt(snapshot: customer.snapshot(at: Timestamp.utc(2026, 3, 31)), seed: seed)
    }

    private func wrapped(_ base64: String) -> String {
        JSONValue.object([("receipt-data", .string(base64))]).compact()
    }

    /// An asterisk somewhere in the middle.
    private mutating func foreignCharacter(in base64: String) -> String {
        var octets = Array(base64.utf8)
        octets[octets.count / 2 + random.number(in: 0...99)] = UInt8(ascii: "*")
        return String(decoding: octets, as: UTF8.self)
    }

    /// The first purchase date (attribute 1704) promises 64 octets and has 20.
    ///
    ///     02 02 06 A8   02 01 01   04 16   16 14 32 30 32 36 …
    ///     type          version    value      ^^ becomes 40
    private func lengthPastParent(in octets: [UInt8]) -> [UInt8] {
        let pattern: [UInt8] = [0x02, 0x02, 0x06, 0xA8, 0x02, 0x01, 0x01, 0x04, 0x16, 0x16]
        let starts = octets.indices.dropLast(pattern.count)
        guard let start = starts.first(where: { octets[$0...].starts(with: pattern) }) else { return octets }
        var result = octets
        result[start + pattern.count] = 0x40
        return result
    }
}
