import TillCore

/// A text as a cell of CSV that a spreadsheet may open or a terminal show, in one way for reports and rows.
///
/// Text that a spreadsheet would run as a formula has a `'` before it. Of what acts unseen, tab, CR and LF stand in quotes as
/// they are, so that a text keeps its lines; all else is spelled out, `\u{1B}`.
public enum CSVText {
    /// Appends the text, in quotes where it needs them.
    public static func append(safe text: String, to bytes: inout [UInt8]) {
        let shown = text.madeVisible(except: isLayout)
        let needsQuotes = shown.utf8.contains(where: quoted.contains)
        if needsQuotes { bytes += "\"".utf8 }
        if isFormula(shown) { bytes += "'".utf8 }
        for byte in shown.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        if needsQuotes { bytes += "\"".utf8 }
    }

    private static func isLayout(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\t" || scalar == "\r" || scalar == "\n"
    }

    /// Whether a spreadsheet may run the text: it begins with a sign of a formula, also one of full width, or with white
    /// space that some drop before they look.
    private static func isFormula(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first else { return false }
        if first == "\t" || first == "\r" { return true }
        let start = text.unicodeScalars.first { !$0.properties.isWhitespace }
        return start.map(formulaStarts.contains) ?? false
    }

    private static let formulaStarts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]

    // RFC 4180 asks for comma, quote and line ends. Some spreadsheets cut at semicolon and tab as well, and would then
    // find a formula inside a text.
    private static let quoted = Array(",\"\r\n;\t".utf8)
}
