import TillReportModel

/// Running text that may go on in a new line between its pieces, never within one.
struct Paragraph: Hashable {
    let lead: String
    let pieces: [String]
    let separator: String

    init(lead: String, pieces: [String], separator: String) {
        self.lead = lead
        self.pieces = pieces
        self.separator = separator
    }

    /// A record in compact form: `Input: Documents 1,000 · Rejected 3`.
    init(facts section: Section, clock: ReportClock = .utc) {
        lead = section.title.madeVisible + ": "
        pieces = zip(section.columns, section.rows.joined()).map { column, cell in
            column.title.madeVisible + " " + cell.displayText(by: clock)
        }
        separator = " · "
    }

    /// A sentence of the notes, under a dash.
    init(note: String) {
        self.init(lead: "- ", words: note)
    }

    /// A sentence that may break between any two words.
    init(lead: String, words: String) {
        self.init(
            lead: lead,
            pieces: words.split(separator: " ").map { String($0).madeVisible },
            separator: " "
        )
    }

    /// The text in lines of at most `width` columns, where the pieces allow it; `indent` blanks begin all but the first.
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
