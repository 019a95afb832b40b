import TillCore

/// Writes a text as a cell of CSV that is safe in a spreadsheet and on a terminal. Reports and converted rows both use
/// it.
///
/// A text that a spreadsheet would run as a formula gets a `'` before it. Tab, CR and LF are kept and quoted, so that a
/// text keeps its lines; other invisible characters are spelled out, `\u{1B}`.
public enum CSVText {
    /// Appends the text, in quotes if it needs them.
    public static func append(safe text: String, to bytes: inout [UInt8]) {
        let shown = text.madeVisible(except: isLayout)
        let needsQuotes = shown.utf8.contains(where: quoted.contains)
        if needsQuotes { bytes += "\"".utf8 }
        if shown.beginsLikeFormula { bytes += "'".utf8 }
        for byte in shown.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        if needsQuotes { bytes += "\"".utf8 }
    }

    private static func isLayout(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\t" || scalar == "\r" || scalar == "\n"
    }

    // RFC 4180 demands quotes around comma, quote and line ends. Some spreadsheets also split at semicolon and tab, and
    // could then find a formula within a text.
    private static let quoted = Array(",\"\r\n;\t".utf8)
}
