import Synchronization
import TillCore
import TillInput
import TillInspect
import TillReceipts
import TillRender
import TillReportModel
import TillRows
import TillTestSupport
import TillTrust

/// Documents of each format, streams of all of them, and what is said about them.
enum DocumentTargets {
    static let all =
        ReceiptFormatRegistry.all.map { format in
            let readers = Readers(format: format.name)
            return FuzzTarget(name: format.name) { bytes in readers.check(bytes) }
        } + [
            FuzzTarget(name: "stream") { bytes in streams.check(bytes) },
            FuzzTarget(name: "text") { bytes in texts.check(bytes) },
            FuzzTarget(name: "csv", check: checkDelimited),
            FuzzTarget(name: "trust", check: checkTrust),
            FuzzTarget(name: "inspect", check: checkInspection),
        ]

    private static let streams = Readers(format: nil)
    private static let texts = Readers(format: nil, findsRuns: true)

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
        delimited.check(bytes, header: header)
    }

    private static let delimited = Readers(format: nil)

    // MARK: Trust

    private static let trustReaders = Kept(DocumentReader(trust: .check(TrustChecker())))
    private static let requiringReaders = Kept(DocumentReader(trust: .require(TrustChecker())))
    private static let plainReader = Kept(DocumentReader())

    /// Checking signatures changes nothing but what is said of them; what `--trust require` leaves is what `check`
    /// trusts.
    private static func checkTrust(_ bytes: [UInt8]) {
        let plain = plainReader.use { Reading(bytes, with: &$0) }
        let checked = trustReaders.use { Reading(bytes, with: &$0) }
        require(plain.rejects == checked.rejects, "rejects with signatures checked")
        require(plain.events == checked.events && plain.consumed == checked.consumed, "events with signatures checked")
        for (ours, theirs) in [
            (plain.transactions, checked.transactions), (plain.documents, checked.documents),
            (plain.renewals, checked.renewals),
        ] {
            require(ours.map(withoutTrust) == theirs.map(withoutTrust), "rows with signatures checked")
        }
        let required = requiringReaders.use { Reading(bytes, with: &$0) }
        require(
            required.transactions.allSatisfy { $0["trust"] == "trusted" } && required.accepted <= checked.accepted,
            "--trust require"
        )
    }

    private static func withoutTrust(_ row: Reading.Row) -> Reading.Row {
        row.filter { $0.key != "trust" && $0.key != "trust_code" }
    }

    // MARK: Inspection

    private static let tracing = Kept(
        {
            var reader = DocumentReader()
            reader.keepsTraces = true
            return reader
        }()
    )

    /// What `inspect` shows of any document is text without control characters, and JSON that a plain reader takes.
    private static func checkInspection(_ bytes: [UInt8]) {
        let padded = bytes + Array(repeating: 0, count: ByteBuffer.padding)
        var inspector = Inspector()
        let text = InspectionTextRenderer(options: InspectionOptions())
        let json = InspectionJSONRenderer(options: InspectionOptions())
        tracing.use { reader in
            var rows = RowBatch()
            let summary = reader.read(
                padded.span.bytes,
                limit: bytes.count,
                streamOffset: 0,
                isFinal: true,
                into: &rows
            )
            require(
                reader.traces.count == summary.documents,
                "\(reader.traces.count) traces of \(summary.documents) documents"
            )
            for trace in reader.traces.prefix(8) {
                let place = InspectedDocument.Place(
                    source: "input",
                    number: trace.ordinal + 1,
                    line: trace.line + 1,
                    offset: trace.offset
                )
                let document = inspector.inspect(trace, at: place, rows: rows)
                let shown = text.render(document, isFirst: true)
                require(
                    shown.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A },
                    "control characters in the text of inspect"
                )
                require(String(validating: shown, as: UTF8.self) != nil, "inspect writes text that is not UTF-8")
                require(
                    PlainJSON.isValid(json.beginning + json.render(document, isFirst: true) + json.end),
                    "JSON of inspect"
                )
            }
        }
    }
}

/// A reader that is used again for every input, as the command does; libFuzzer has one thread.
final class Kept: @unchecked Sendable {
    private var reader: DocumentReader

    init(_ reader: DocumentReader) { self.reader = reader }

    func use<Result>(_ body: (inout DocumentReader) -> Result) -> Result { body(&reader) }
}

/// The readers that one input is given to, and what they must agree on.
///
/// A new reader has no templates of objects, so it reads the first object of each shape key by key. One that has read
/// the input before compares with the templates that it has learned.
final class Readers: Sendable {
    private let format: String?
    private let findsRuns: Bool
    private let kept: Kept

    init(format: String?, findsRuns: Bool = false) {
        self.format = format
        self.findsRuns = findsRuns
        kept = Kept(Self.reader(format, findsRuns))
    }

    private static func reader(_ format: String?, _ findsRuns: Bool) -> DocumentReader {
        var reader = DocumentReader(format: format)
        reader.findsRuns = findsRuns
        return reader
    }

    /// Bytes at a time: one, a few, a prime number of them, and most of them.
    private static let steps = [1, 2, 3, 7, 13, 61, 127, 509, 1021, 4093]

    func check(_ bytes: [UInt8], header: CSVHeader? = nil) {
        let (whole, again) = kept.use { reader in
            reader.csvHeader = header
            return (Reading(bytes, with: &reader), Reading(bytes, with: &reader))
        }
        account(for: whole, bytes)
        same(again, whole, "read again, with templates")
        let choice = bytes.chosen
        // The shortest step that is not slow for a long input.
        let steps = Self.steps.filter { bytes.count / $0 < 64 }
        if header == nil, let step = steps.isEmpty ? nil : steps[Int(choice % UInt64(steps.count))] {
            same(kept.use { Reading(bytes, step: step, with: &$0) }, whole, "\(step) bytes at a time")
        }
        if choice % 8 == 0 {
            var new = Self.reader(format, findsRuns)
            new.csvHeader = header
            same(Reading(bytes, with: &new), whole, "read by a new reader")
        }
    }

    private func same(_ reading: Reading, _ whole: Reading, _ way: String) {
        guard reading != whole else { return }
        require(reading.rejects == whole.rejects, "rejects \(way):\n\(reading.rejects)\nwhole:\n\(whole.rejects)")
        require(
            reading.transactions == whole.transactions,
            "transactions \(way):\n\(reading.transactions)\nwhole:\n\(whole.transactions)"
        )
        require(
            reading.documents == whole.documents,
            "documents \(way):\n\(reading.documents)\nwhole:\n\(whole.documents)"
        )
        require(reading.events == whole.events, "events \(way):\n\(reading.events)\nwhole:\n\(whole.events)")
        require(reading.renewals == whole.renewals, "renewals \(way):\n\(reading.renewals)\nwhole:\n\(whole.renewals)")
        require(
            false,
            "counts \(way): \(reading.accepted) accepted, \(reading.consumed) bytes, \(reading.lines) lines, "
                + "\(reading.openBrackets) brackets; whole \(whole.accepted), \(whole.consumed), \(whole.lines), \(whole.openBrackets)"
        )
    }

    /// Every byte and line counts, a document is a row or a reject, and a reject is where it says.
    private func account(for reading: Reading, _ bytes: [UInt8]) {
        require(reading.consumed == bytes.count, "\(reading.consumed) bytes of \(bytes.count)")
        require(reading.lines == bytes.count { $0 == 0x0A }, "\(reading.lines) lines")
        require((reading.documents + reading.events).count == reading.accepted, "rows of accepted documents")
        let rejected = Set(reading.rejects.map { String($0.document) })
        let rows = reading.documents + reading.events + reading.transactions + reading.renewals
        require(rows.allSatisfy { !rejected.contains($0["document"] ?? "") }, "a reject has a row")
        for reject in reading.rejects {
            require(reject.offset + reject.length <= bytes.count && reject.innerOffset >= 0, "place of a reject")
            require(reject.raw.count <= reject.length && !reject.code.isEmpty, "raw text of a reject")
        }
    }
}
