import TillColumns
import TillCore
import TillReceipts
import TillRender
import TillReportModel
import TillRows

/// Inspects every document and writes the result.
struct InspectConsumer: DocumentConsumer {
    /// Thrown when the rest of a source is not needed.
    struct StopReading: Error {}

    /// The result so far; shared by the streams of all sources.
    final class State {
        let describe: InspectRun.Describe
        let renderer: any InspectionRenderer
        var output: OutputStream
        let account: RunAccount
        /// Documents written, and how many of them could not be read.
        var shown = 0
        var rejected = 0
        /// Wanted documents of other apps, which are not written.
        var foreign = 0
        /// Files of folders that hold no documents.
        var foreignFiles = ListedNames()
        /// Documents met, in all sources.
        var documents = 0
        /// The number of the last document met in the source at hand, and the largest in any.
        var lastNumber = 0
        var mostDocuments = 0

        init(
            _ run: InspectRun,
            account: RunAccount,
            renderer: any InspectionRenderer,
            describe: @escaping InspectRun.Describe
        ) throws(RunError) {
            self.describe = describe
            (self.account, self.renderer) = (account, renderer)
            output = try OutputStream(run.outputPath, isPrivate: run.showsPrivate)
            try output.write(renderer.beginning)
        }

        /// Whether the reader of standard output has closed the pipe.
        var isClosed: Bool { output.isClosed }

        func write(_ document: InspectedDocument) throws(RunError) {
            try output.write(renderer.render(document, isFirst: shown == 0))
            shown += 1
            if document.defect != nil { rejected += 1 }
        }

        func count(_ count: Int) {
            documents += count
            lastNumber += count
            mostDocuments = max(mostDocuments, lastNumber)
        }

        func finish() throws(RunError) {
            try output.write(renderer.end)
            try output.finish()
        }
    }

    let state: State
    private let wanted: Int?
    private let choosesApps: Bool

    init(
        _ run: InspectRun,
        account: RunAccount,
        renderer: any InspectionRenderer,
        describe: @escaping InspectRun.Describe
    ) throws(RunError) {
        state = try State(run, account: account, renderer: renderer, describe: describe)
        wanted = run.document
        choosesApps = !run.reading.bundleIDs.isEmpty
    }

    func consume(_ chunk: TracedChunk, rows: borrowing RowBatch) throws {
        if let wanted, state.lastNumber >= wanted { throw StopReading() }
        state.count(chunk.traces.count)
        let kept = choosesApps ? Self.documents(in: rows) : []
        for trace in chunk.traces {
            let number = chunk.firstDocument + trace.ordinal
            guard wanted.map({ $0 == number }) ?? true else { continue }
            if choosesApps, trace.diagnostic == nil, !kept.contains(Int64(trace.ordinal)) {
                state.foreign += 1
                continue
            }
            let place = InspectedDocument.Place(
                source: chunk.source,
                compression: chunk.compression,
                number: number,
                line: chunk.firstLine + trace.line,
                offset: chunk.offset + trace.offset
            )
            try state.write(state.describe(trace, place, rows))
            guard !state.isClosed else { throw StopReading() }
        }
    }

    /// The documents that have rows: of those that could be read, all but those of other apps.
    private static func documents(in rows: borrowing RowBatch) -> Set<Int64> {
        let documents = (0..<rows.documents.rowCount).compactMap { rows.documents[.document, $0] }
        return Set((0..<rows.events.rowCount).compactMap { rows.events[.document, $0] }).union(documents)
    }

    func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) {}

    func consume(_ reject: Reject) throws {
        // A document that was never complete in memory has no trace.
        let isTraced = reject.number <= state.lastNumber
        if !isTraced { state.count(1) }
        guard wanted.map({ $0 == reject.number }) ?? true else { return }
        try state.account.write(reject)
        guard !isTraced else { return }
        var document = InspectedDocument(
            source: reject.position.source,
            number: reject.document,
            line: reject.position.line,
            offset: reject.position.offset,
            length: reject.position.length,
            kind: nil
        )
        document.defect = InspectedDefect(
            code: reject.diagnostic.code,
            reason: reject.diagnostic.reason,
            offset: reject.diagnostic.innerOffset
        )
        try state.write(document)
    }

    func consume(_ warning: Warning) { state.account.warn(warning) }

    func report(_ progress: ReadProgress) {}
}
