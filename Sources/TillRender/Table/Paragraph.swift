import TillReportModel

/// Text that may wrap between its pieces, but never within one.
struct Paragraph: Hashable {
    let lead: String
    let pieces: [String]
    let separator: String

    init(lead: String, pieces: [String], separator: String) {
        self.lead = lead
        self.pieces = pieces
        self.separator = separator
    }

    /// A record on one line: `Input: Documents 1,000 · Rejected 3`.
    init(facts section: Section, clock: ReportClock = .utc) {
        lead = section.title.madeVisible + ": "
        pieces = zip(section.columns, section.rows.joined()).map { column, cell in
            column.title.madeVisible + " " + cell.displayText(by: clock)
        }
        separator = " · "
    }

    /// A note after a dash.
    init(note: String) {
        self.init(lead: "- ", words: note)
    }

    /// A sentence that may wrap between any two words.
    init(lead: String, words: String) {
        self.init(
            lead: lead,
            pieces: words.split(separator: " ").map { String($0).madeVisible },
            separator: " "
        )
    }

    /// The text in lines of at most `width` columns, if no piece is longer. All lines but the first begin with `indent`
    /// blanks.
    func lines(width: Int?, indent: Int = 2) -> [String] {
        var lines: [String] = []
        var line = lead
        var column = lead.displayWidth
        for (index, piece) in pieces.enumerated() {
            let pieceWidth = piece.displayWidth
            if index == 0 {
                line += piece
                column += pieceWidth
            } else if let width, column + separator.count + pieceWidth > width {
                lines.append(line)
                line = String(repeating: " ", count: indent) + piece
                column = indent + pieceWidth
            } else {
                line += separator + piece
                column += separator.count + pieceWidth
            }
        }
        return lines + [line]
    }
}
