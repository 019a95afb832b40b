import ArgumentParser
import TillInput
import TillPipeline

/// Which part of one input is read, and what it is called.
struct RangeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read only the documents that begin in these bytes of a plain file, such as 0-67108864; documents and lines are "
                + "counted from there. Standard input is taken to begin there ('tail -c +BEGIN FILE').",
            valueName: "begin-end"
        )
    )
    var range: String?

    @Option(
        help: ArgumentHelp(
            "Call the only input this, in rows and rejects, wherever its bytes come from.",
            valueName: "name"
        )
    )
    var source: String?

    var byteRange: ByteRange? { range.flatMap(ByteRange.init) }

    /// Throws where the range is none, or documents of the format have none.
    func check(format: String?) throws {
        guard let range else { return }
        guard byteRange != nil else {
            throw ValidationError("--range takes two places in bytes, such as 0-67108864, not '\(range)'.")
        }
        guard format.map({ ![CSVOptions.name, ReadOptions.textName, StoredRowOptions.name].contains($0) }) ?? true
        else {
            throw ValidationError("--range is for documents of a line each, not for --from \(format ?? "").")
        }
    }
}
