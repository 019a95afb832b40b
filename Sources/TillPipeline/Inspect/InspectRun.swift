import TillInput
public import TillReceipts
public import TillRender
public import TillReportModel
public import TillRows

/// One `tillroll inspect`: shows the contents of documents.
public struct InspectRun: Sendable {
    /// Files, folders and `-`; none is standard input.
    public var inputs: [String]
    /// The options for reading; ``run()`` reads with one job, and refuses Parquet.
    public var reading = ReadOptions()
    /// Whether the output holds secrets, so that only the user may read its file.
    public var showsPrivate = false
    /// The number of the one document of each source that is shown, from 1; `nil` shows all.
    public var document: Int?
    /// The name of an output format; `nil` to go by the name of the output, else text.
    public var format: String?
    /// The path of the output; `nil` or `-` is standard output.
    public var outputPath: String?
    /// The file of the rejects, and the number of them that is allowed among the documents that are shown.
    public var rejects = RejectOptions()
    /// The width and the styles of text, and whether long values are shown in full.
    public var display = InspectionOptions()

    /// Describes one document; called with all documents of a run, in their order.
    public typealias Describe = (DocumentTrace, InspectedDocument.Place, borrowing RowBatch) -> InspectedDocument

    /// Makes the function that describes documents, with a checker if ``reading`` asks for one.
    private let makeDescribe: @Sendable ((any SignatureChecker)?) -> Describe

    /// Makes a run that shows all documents as text on standard output, and checks no signatures.
    public init(inputs: [String], makeDescribe: @escaping @Sendable ((any SignatureChecker)?) -> Describe) {
        self.inputs = inputs
        self.makeDescribe = makeDescribe
    }

    /// Runs to the end of the inputs, or of the one requested document.
    ///
    /// A document is written as soon as it is read, so that a dump of any length can be inspected.
    public func run() async throws -> ExitStatus {
        let renderer = try rendererType().init(options: display)
        try OutputPaths.SideFile.checkStandardInput(reading.signatures.sideFiles, besides: inputs)
        let files = try RunAccount.files(inputs, rejects: rejects)
        try OutputPaths(outputPath, called: "the output", rejects: rejects.path)
            .check(inputs: files, files: reading.signatures.sideFiles)
        var reading = reading
        reading.needs = .traces
        reading.rows.isRefused = true
        // One worker is enough for a human reader; more workers would read documents in vain.
        reading.jobs = 1
        let describe = makeDescribe(try reading.signatures.checker())
        let account = try RunAccount(files, rejects: rejects, showsProgress: false)
        let consumer = try InspectConsumer(self, account: account, renderer: renderer, describe: describe)
        try await account.keepingRejects {
            for file in files where !consumer.state.isClosed {
                consumer.state.lastNumber = 0
                var stream = DocumentStream([file], options: reading, consumer: consumer)
                do {
                    try await stream.run()
                } catch is InspectConsumer.StopReading {
                    // The requested document has been shown.
                }
                consumer.state.foreignFiles.add(stream.progress.foreignFiles)
            }
        }
        try account.finishRejects()
        return try finish(consumer.state)
    }

    private func rendererType() throws(RunError) -> any InspectionRenderer.Type {
        let names = InspectionRendererRegistry.all.map { $0.name }
        guard let format else {
            let hint = "name \(names.joined(separator: " or ")) with -t"
            let renderer = try Output.format(byEndingOf: outputPath, hint: hint) { ending in
                let name = ending.lowercased()
                return InspectionRendererRegistry.renderer(named: name == "txt" ? InspectionTextRenderer.name : name)
            }
            return renderer ?? InspectionTextRenderer.self
        }
        guard let renderer = InspectionRendererRegistry.renderer(named: format) else {
            throw RunError(.usage, "there is no output format '\(format)'; choose \(names.joined(separator: ", "))")
        }
        return renderer
    }

    /// Puts the output in place, unless it is refused.
    private func finish(_ state: InspectConsumer.State) throws -> ExitStatus {
        let refusal = refusal(state)
        if refusal == nil || (outputPath ?? "-") == "-" { try state.finish() }
        // A closed pipe has shown some of the documents, and says nothing of the others.
        guard !state.isClosed else { return .finished }
        if !rejects.isQuiet {
            if state.foreign > 0 { Output.writeError("tillroll: documents of other apps, left out: \(state.foreign)") }
            state.account.tellRejects()
            state.account.tell(foreignFiles: state.foreignFiles)
            if state.documents == 0, refusal == nil { Output.writeError("tillroll: the input holds no documents") }
        }
        guard let refusal else { return .finished }
        Output.writeRefusal(refusal, of: outputPath)
        return .dataError
    }

    /// Why the output is refused; `nil` if it stands.
    private func refusal(_ state: InspectConsumer.State) -> String? {
        let (shown, rejected) = (state.shown, state.rejected)
        if state.documents == 0, state.foreignFiles.count > 0 { return "no document could be read" }
        if state.documents == 0, rejects.isStrict { return "--strict allows no input without documents" }
        if let document, shown == 0, state.foreign == 0, state.documents > 0 {
            return "no input has a document \(document); the longest has \(state.mostDocuments)"
        }
        if let excess = rejects.allowance.excess(rejected, of: shown + state.foreign) { return excess }
        return rejected > 0 && rejected == shown && state.foreign == 0 ? "no document could be read" : nil
    }
}
