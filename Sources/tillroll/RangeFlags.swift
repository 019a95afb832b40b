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
                "Read only the documents that begin in this range of bytes of an uncompressed file, such as "
                + "0-67108864. Documents and lines are counted from there. Standard input must begin there too "
                + "('tail -c +BEGIN FILE')."
        )
    }

    static func source(isHidden: Bool = false) -> FlagEntry {
        FlagEntry(
            "source",
            valueName: "name",
            isHidden: isHidden,
            help: "The source name of the only input, in rows and rejects."
        )
    }
}

extension Flags<ReadingFlag> {
    /// Throws if the range is invalid, or if the format cannot be read by ranges.
    func check(range: String?) throws {
        guard let range else { return }
        guard ByteRange(range) != nil else {
            throw ValidationError("--range takes two byte offsets, such as 0-67108864, not '\(range)'.")
        }
        guard let from = self[.from] else { return }
        guard ![CSVOptions.name, ReadOptions.textName, StoredRowOptions.name].contains(from) else {
            throw ValidationError("--range needs one document per line; it cannot be used with --from \(from).")
        }
    }
}
