import TillInput
import TillReceipts

/// The options for delimited text: rows under a header, one column of which holds documents.
public struct CSVOptions: Hashable, Sendable {
    /// The word for `--from`.
    public static let name = "csv"

    /// Whether every source is delimited text; otherwise its first line decides.
    public var isAnnounced: Bool
    /// The column of documents; `nil` for whichever of ``CSVHeader/usualColumns`` there is, else for the only one that
    /// holds documents.
    public var column: String?

    /// Makes options; by default the first line of each source decides whether it is delimited text.
    public init(isAnnounced: Bool = false, column: String? = nil) {
        self.isAnnounced = isAnnounced
        self.column = column
    }

    /// Characters of a name in a message.
    private static let longestName = 60

    var columns: [String] { column.map { [$0] } ?? CSVHeader.usualColumns }

    /// Why a source with these columns cannot be read.
    func reason(_ found: [String]) -> String {
        let wanted = (columns.count == 1 ? "column " : "column of ") + columns.joined(separator: ", ")
        guard !found.isEmpty else { return "delimited text needs a header, of 64 KiB at most, with a \(wanted)" }
        return "there is no \(wanted) in the header, which has \(names(found)); --column names one"
    }

    /// Why a source with documents in several columns cannot be read.
    func reason(_ found: [String], fitting: [String]) -> String {
        "the columns \(names(fitting)) hold documents; the header has \(names(found)); --column names one"
    }

    /// The names of columns for a message.
    private func names(_ columns: [String]) -> String {
        // The assumed header may be a first row with documents and secrets in its cells.
        let names = columns.map { name in
            let plain = String(decoding: Redaction.redacted(Array(name.utf8)), as: UTF8.self)
            return plain.count > Self.longestName ? plain.prefix(Self.longestName) + "…" : plain
        }
        return names.joined(separator: ", ")
    }
}
