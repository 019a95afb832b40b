extension StringProtocol {
    /// Whether a spreadsheet may run the text as a formula: it begins with a sign of a formula, in usual or full width,
    /// or with a tab or CR. Some spreadsheets skip white space before the sign.
    public var beginsLikeFormula: Bool {
        guard let first = unicodeScalars.first else { return false }
        if first == "\t" || first == "\r" { return true }
        let start = unicodeScalars.first { !$0.properties.isWhitespace }
        return start.map("=+-@＝＋－＠".unicodeScalars.contains) ?? false
    }
}
