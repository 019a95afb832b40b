import Glibc
import TillColumns
import TillCore
import TillInput
import TillLedger
import TillPricing
import TillReceipts
import TillRows

/// One decoder and what must hold of it for every input. A violation traps, which libFuzzer reports with the input.
struct FuzzTarget: Sendable {
    let name: String
    let check: @Sendable ([UInt8]) -> Void

    /// Set once, before the first input.
    nonisolated(unsafe) static var current: FuzzTarget?

    static let all: [FuzzTarget] =
        ReceiptFormatRegistry.all.map { format in
            let reader = Kept(DocumentReader(format: format.name))
            return FuzzTarget(name: format.name) { bytes in reader.use { checkStream(bytes, with: &$0) } }
        } + [
            FuzzTarget(name: "stream") { bytes in
                streamReader.use { checkStream(bytes, with: &$0) }
                streamReader.use { checkPieces(bytes, with: &$0) }
            },
            FuzzTarget(name: "csv", check: checkDelimited),
            FuzzTarget(name: "compressed", check: checkCompressed),
            FuzzTarget(name: "base64") { bytes in
                var output: [UInt8] = []
                guard (try? Base64.decode(bytes.span.bytes, into: &output)) != nil else { return }
                var again: [UInt8] = []
                let digits = Base64.encode(output)
                precondition((try? Base64.decode(digits.span.bytes, into: &again)) != nil && again == output)
            },
            FuzzTarget(name: "plist") { bytes in _ = try? PropertyListParser.parse(bytes.span.bytes) },
            FuzzTarget(name: "xml") { bytes in _ = try? XMLPropertyList.parse(bytes.span.bytes) },
            FuzzTarget(name: "prices") { bytes in _ = try? PriceList(csv: bytes, name: "prices.csv") },
        ]

    private static let streamReader = Kept(DocumentReader())

    /// Reads the bytes as a whole source.
    private static func checkStream(_ bytes: [UInt8], with reader: inout DocumentReader) {
        let counts = Counts(bytes, with: &reader)
        precondition(counts.consumed == bytes.count && counts.lines == bytes.count { $0 == 0x0A })
        precondition(counts.rows == counts.accepted)
    }

    /// Reads `bytes` in two chunks, which must give the same counts as one chunk.
    private static func checkPieces(_ bytes: [UInt8], with reader: inout DocumentReader) {
        let whole = Counts(bytes, with: &reader)
        let cut = bytes.isEmpty ? 0 : Int(bytes[0]) * 251 % (bytes.count + 1)
        var pieces = Counts()
        pieces.read(bytes[..<cut], isFinal: false, with: &reader)
        pieces.read(bytes[pieces.consumed...], isFinal: true, with: &reader)
        precondition(pieces == whole)
    }

    private static func checkDelimited(_ bytes: [UInt8]) {
        let padded = bytes + Array(repeating: 0, count: ByteBuffer.padding)
        let answer = CSVHeader.find(
            in: padded.span.bytes,
            limit: bytes.count,
            wanted: CSVHeader.usualColumns,
            isAnnounced: true,
            isFinal: true
        )
        guard case .header(let header) = answer else { return }
        streamReader.use { reader in
            reader.csvHeader = header
            defer { reader.csvHeader = nil }
            checkStream(bytes, with: &reader)
        }
    }

    /// Inflates a file with these bytes, of which one read gives no more than is asked for.
    private static func checkCompressed(_ bytes: [UInt8]) {
        // In memory; the same file for every input.
        let path = "/dev/shm/tillroll-fuzz-\(getpid())"
        let descriptor = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0o600)
        precondition(descriptor >= 0 && write(descriptor, bytes, bytes.count) == bytes.count)
        close(descriptor)
        defer { unlink(path) }
        do throws(InputError) {
            guard let file = try InputFile.expand([path]).first else { return }
            let reader = try InputReader(file)
            let buffer = ByteBuffer()
            for _ in 0..<64 {
                buffer.removeAll()
                let got = try buffer.append(upTo: 1 << 16) { memory throws(InputError) in try reader.read(into: memory)
                }
                if got < 1 << 16 { break }
            }
        } catch {
            precondition(error.offset <= bytes.count && !error.reason.isEmpty)
        }
    }
}

/// A reader that is used again for every input, as the command does; libFuzzer has one thread.
private final class Kept: @unchecked Sendable {
    private var reader: DocumentReader

    init(_ reader: DocumentReader) { self.reader = reader }

    func use(_ body: (inout DocumentReader) -> Void) { body(&reader) }
}

/// What reading came to, as far as it can be counted.
private struct Counts: Equatable {
    var consumed = 0
    var lines = 0
    var accepted = 0
    var rows = 0
    var transactions = 0
    var codes: [String] = []
    var lengths: [Int] = []

    init() {}

    init(_ bytes: [UInt8], with reader: inout DocumentReader) {
        read(bytes[...], isFinal: true, with: &reader)
    }

    mutating func read(_ bytes: ArraySlice<UInt8>, isFinal: Bool, with reader: inout DocumentReader) {
        let padded = Array(bytes) + Array(repeating: 0, count: ByteBuffer.padding)
        var batch = RowBatch()
        let summary = reader.read(
            padded.span.bytes,
            limit: bytes.count,
            streamOffset: bytes.startIndex,
            isFinal: isFinal,
            into: &batch
        )
        precondition(summary.consumed <= bytes.count)
        for reject in summary.rejects {
            // Of a row of delimited text it is the cell that is kept.
            precondition(
                (reject.bytes(in: padded.span.bytes) ?? []).count <= reject.length && reject.diagnostic.innerOffset >= 0
            )
            precondition(reject.offset + reject.length <= bytes.count)
        }
        consumed += summary.consumed
        lines += summary.lines
        accepted += summary.accepted
        rows += batch.documents.rowCount + batch.events.rowCount
        transactions += batch.transactions.rowCount
        codes += summary.rejects.map(\.diagnostic.code)
        lengths += summary.rejects.map(\.length)
    }
}
