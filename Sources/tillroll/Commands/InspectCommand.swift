import TillInspect
import TillPipeline
import TillRender
import TillThreads

enum InspectCommand: CommandImplementation {
    static let summary = "Shows all fields of a receipt, response, notification or event, with their byte offsets."

    static var discussion: String {
        """
        For each document: its layers and how each was recognised; every element, attribute and member with its \
        offset, length, value and meaning; certificates with their fingerprints; the documents inside it, in the \
        same way; the rows that tillroll makes of it. A document that cannot be read is shown up to the error, \
        with the reason and the offset.

        Shared secrets and device identifiers are masked unless --show-private is given. Offsets count from the \
        first byte of the document. Below a line with "offsets below are in … bytes", they count from the first of \
        these decoded bytes.

        Output formats (-t, or the ending of -o):
        \(Help.list(InspectionRendererRegistry.all.map { ($0.name, $0.summary) }))

        Examples:
          tillroll inspect Samples/legacy/receipt.plist
          head -n 1 Samples/pkcs7/receipts.b64 | tillroll inspect
          tillroll inspect Samples/events/events.ndjson --document 148
          tillroll inspect Samples/notification/v2.ndjson --document 1 -t json
        """
    }

    static let operands = [Operand.inputs]

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        let (showsPrivate, forcedFormat) = (arguments.has(.showPrivate), arguments[.from])
        var run = InspectRun(inputs: arguments.operands) { checker in
            var options = Inspector.Options()
            options.showsPrivate = showsPrivate
            options.forcedFormat = forcedFormat
            options.checker = checker
            var inspector = Inspector(options: options)
            return { trace, place, rows in inspector.inspect(trace, at: place, rows: rows) }
        }
        run.reading = try arguments.readOptions()
        run.showsPrivate = showsPrivate
        run.document = arguments.number(.document)
        run.format = arguments[.format]
        run.outputPath = arguments[.output]
        run.rejects = arguments.rejectOptions
        run.display = InspectionOptions(
            width: arguments.writesToStandardOutput ? Terminal.width : nil,
            useColor: arguments.writesToStandardOutput && arguments.useColor,
            showsAll: arguments.has(.full)
        )
        return try Workers.shared.run { [run] in try await run.run() }
    }
}
