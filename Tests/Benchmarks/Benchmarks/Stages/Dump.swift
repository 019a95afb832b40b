import Foundation
import TillInput

/// Samples, repeated until they make a dump of some size. The same on every machine.
///
///     Samples/verify/responses.ndjson × n, transaction ids moved on by each repetition › chunks of 2 MiB at line ends
struct Dump: Sendable {
    /// Some 16 MB: more than a cache holds, little enough to be made at every start.
    static let size = 16_000_000
    private static let chunkLength = 2 << 20

    static let verify = Dump(repeating: "verify/responses.ndjson")
    static let pkcs7 = Dump(repeating: "pkcs7/receipts.ndjson")
    static let events = Dump(repeating: "events/events.ndjson")
    static let base64 = Dump(repeating: "pkcs7/receipts.b64")

    let bytes: [UInt8]
    /// The bytes cut at line ends, each with the zeros behind it that readers rely on.
    let chunks: [[UInt8]]
    /// The text of each line without its line feed.
    var lines: [ArraySlice<UInt8>] { bytes.split(separator: UInt8(ascii: "\n")) }

    private init(repeating sample: String) {
        var root = URL(filePath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let once: [UInt8]
        do {
            once = try Array(Data(contentsOf: root.appending(path: "Samples/\(sample)")))
        } catch {
            fatalError("Samples/\(sample) cannot be read: \(error)")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.size + once.count)
        var repetition: UInt64 = 0
        while bytes.count < Self.size {
            let start = bytes.count
            bytes += once
            if bytes.last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
            Self.renumber(&bytes, from: start, by: repetition &* 1_000_003)
            repetition += 1
        }
        self.bytes = bytes
        chunks = Self.cut(bytes)
    }

    /// Adds `distance` to all transaction ids, so that repetitions are other transactions, of as many digits.
    private static func renumber(_ bytes: inout [UInt8], from start: Int, by distance: UInt64) {
        let key = Array("transaction_id\":\"".utf8)
        var position = start
        while position + key.count < bytes.count {
            guard bytes[position] == key[0], bytes[position..<position + key.count].elementsEqual(key) else {
                position += 1
                continue
            }
            position += key.count
            let first = position
            while bytes[position] != UInt8(ascii: "\"") { position += 1 }
            var carry = distance
            for index in (first..<position).reversed() where (0x30...0x39).contains(bytes[index]) {
                carry += UInt64(bytes[index] - 0x30)
                bytes[index] = 0x30 + UInt8(carry % 10)
                carry /= 10
            }
        }
    }

    private static func cut(_ bytes: [UInt8]) -> [[UInt8]] {
        var chunks: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            var end = min(start + chunkLength, bytes.count)
            while bytes[end - 1] != UInt8(ascii: "\n") { end -= 1 }
            chunks.append(bytes[start..<end] + Array(repeating: 0, count: ByteBuffer.padding))
            start = end
        }
        return chunks
    }
}
