import TillCore
import TillInput
import TillRows

extension DocumentReader {
    /// Reads all complete rows of delimited text; each is a document, whose text is the cell in the column of the header.
    ///
    /// Empty lines are no rows. A reject's place is that of its row; what is kept of it is the cell, where that is what
    /// could not be read, so that it can be fed back without the header.
    mutating func readRows(
        _ bytes: RawSpan,
        of header: CSVHeader,
        limit: Int,
        streamOffset: Int,
        isFinal: Bool,
        into rows: inout RowBatch
    ) -> Summary {
        var summary = Summary()
        summary.rejects = RejectList(limit: rejectLimit)
        var position = 0
        if streamOffset == 0 {
            position = min(limit, header.byteCount)
            summary.lines = bytes.count(of: 0x0A, from: 0, to: position)
        }
        var row = CSVRow()
        while true {
            while position < limit, isLineEnd(bytes, at: position) {
                if bytes.byte(position) == 0x0A { summary.lines += 1 }
                position += 1
            }
            summary.consumed = position
            guard position < limit else { break }
            let outcome = row.read(bytes, at: position, limit: limit, separator: header.separator, isFinal: isFinal)
            guard let end = outcome.end else { return summary }
            let (start, content) = (position, position..<contentEnd(bytes, position, end))
            beginTrace()
            (current, isWrapped) = (nil, true)
            wrappings.removeAll(keepingCapacity: true)
            trailing.removeAll()
            if content.count > documentLimit {
                // It ends where it would if it had never been in memory at once.
                let cut = Framer.endOfOversized(in: bytes, at: start, limit: limit, isFinal: isFinal)
                guard let cut else { return summary }
                let raw = RejectList.Raw.place(start..<start + min(documentLimit, Self.cutLength))
                reject(DecodeError(.tooLarge, at: documentLimit), row: start..<cut, raw: raw, kind: nil, &summary)
                position = cut
            } else {
                if case .defect(_, let offset) = outcome {
                    let error = DecodeError(.csvQuote, at: offset - start)
                    reject(error, row: content, raw: .place(content), kind: nil, &summary)
                } else {
                    readRow(bytes, content, row, of: header, &rows, &summary)
                }
                position = end
            }
            endTrace(bytes, start..<max(start, contentEnd(bytes, start, position)), line: summary.lines, summary)
            summary.lines += bytes.count(of: 0x0A, from: start, to: position)
            summary.rejects.settle()
        }
        return summary
    }

    private func isLineEnd(_ bytes: RawSpan, at position: Int) -> Bool {
        bytes.byte(position) == 0x0A || bytes.byte(position) == 0x0D && bytes.byte(position + 1) == 0x0A
    }

    /// Where a row ends without its line feed.
    private func contentEnd(_ bytes: RawSpan, _ start: Int, _ end: Int) -> Int {
        var end = end
        if end > start, bytes.byte(end - 1) == 0x0A {
            end -= 1
            if end > start, bytes.byte(end - 1) == 0x0D { end -= 1 }
        }
        return end
    }

    private mutating func readRow(
        _ bytes: RawSpan,
        _ range: Range<Int>,
        _ row: CSVRow,
        of header: CSVHeader,
        _ rows: inout RowBatch,
        _ summary: inout Summary
    ) {
        guard row.cells.count == header.columns.count else {
            return reject(DecodeError(.csvCells, at: 0), row: range, raw: .place(range), kind: nil, &summary)
        }
        let cell = row.cells[header.column]
        wrappings = [header.columns[header.column]]
        guard cell.range.contains(where: { bytes.byte($0) > 0x20 }) else {
            let error = DecodeError(.csvEmptyCell, at: cell.range.lowerBound - range.lowerBound)
            return reject(error, row: range, raw: .place(range), kind: nil, &summary)
        }
        guard cell.hasDoubledQuotes else {
            return decode(cell: bytes.extracting(cell.range), raw: .place(cell.range), row: range, &rows, &summary)
        }
        var text: [UInt8] = []
        swap(&text, &cellText)
        defer { swap(&text, &cellText) }
        text.removeAll(keepingCapacity: true)
        cell.appendText(of: bytes, to: &text)
        decode(cell: text.span.bytes, raw: nil, row: range, &rows, &summary)
    }

    /// Reads a cell as a document; `raw` is where it is found, `nil` where it stands nowhere as it is.
    private mutating func decode(
        cell: RawSpan,
        raw: RejectList.Raw?,
        row: Range<Int>,
        _ rows: inout RowBatch,
        _ summary: inout Summary
    ) {
        let mark = rows.mark()
        note(.cell, cell)
        do {
            try decode(text: cell, depth: 0, into: &rows)
            try accept(from: mark, in: &rows, &summary)
        } catch {
            rows.rollBack(to: mark)
            let kind = current.map { ReceiptFormatRegistry.all[$0].name }
            let raw = raw ?? .copy(cell.withUnsafeBytes(Array.init))
            reject(error, row: row, raw: raw, kind: kind, &summary)
        }
        guard !trailing.isEmpty else { return }
        let raw = raw ?? .copy(cell.withUnsafeBytes(Array.init))
        readTrailing(behind: mark, frame: cell, raw: raw, at: row, into: &rows, &summary)
    }

    private func reject(
        _ error: any Error,
        row: Range<Int>,
        raw: RejectList.Raw,
        kind: String?,
        _ summary: inout Summary
    ) {
        summary.rejects.append(
            Reject(
                ordinal: summary.documents,
                line: summary.lines,
                offset: row.lowerBound,
                length: row.count,
                diagnostic: diagnostic(for: error, base: 0, end: .max),
                kind: kind,
                raw: raw
            )
        )
    }
}
