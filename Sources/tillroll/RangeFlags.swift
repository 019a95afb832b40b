import ArgumentParser
import TillInput
import TillPipeline

extension FlagEntry {
    /// The part of one input that is read.
    ///
    /// - Parameter isHidden: on one machine a report is of all its inputs.
    static func range(isHidden: Bool = false) -> FlagEntry {
        FlagEntry(
            "range",
            valueName: "begin-end",
            isHidden: isHidden,
            help:
                "Read only the documents that begin in these bytes of a plain file, such as 0-67108864; documents and lines are "
                + "counted from there. Standard input is taken to begin there ('tail -c +BEGIN FILE')."
        )
    }

    static func source(isHidden: Bool = false) -> FlagEntry {
        FlagEntry(
            "source",
            valueName: "name",
            isHidden: isHidden,
            help: "Call the only input this, in rows and rejects, wherever its bytes come from."
        )
    }
}

extension Flags<ReadingFlag> {
    /// Throws if the range is invalid, or if the format cannot be read by ranges.
    func check(range: String?) throws {
        guard let range else { return }
        guard ByteRange(range) != nil else {
            throw ValidationError("--range takes two places in bytes, such as 0-67108864, not '\(range)'.")
        }
        guard let from = self[.from] else { return }
        guard ![CSVOptions.name, ReadOptions.textName, StoredRowOptions.name].contains(from) else {
            throw ValidationError("--range is for documents of a line each, not for --from \(from).")
        }
    }
}
