import TillColumns
import TillCore
import TillInput
import TillRows

/// Delimited text: each row is a document, whose text is the cell in the column of the header.
///
/// A line that is a document as a whole is one too, as where a dump follows an export in one stream:
///
///     id,receipt
///     1,MIIT…
///     {"status":21007}
extension DocumentReader {
    /// Reads all complete rows; empty lines are none.
    ///
    /// The place of a reject is its row. Its bytes are those of the cell, where the cell cannot be read, so that they
    /// can be read again without the header.
    mutating func readRows(
        of chunk: borrowing ChunkBytes,
        header: CSVHeader,
        streamOffset: Int,
        _ state: inout ChunkState,
        into rows: inout RowBatch
    ) {
        var position = 0
        if streamOffset == 0 {
            position = min(chunk.limit, header.byteCount)
            state.summary.lines = chunk.bytes.count(of: 0x0A, from: 0, to: position)
        }
        var row = CSVRow(escape: header.escape(from: streamOffset))
        defer { state.summary.csvEscape = row.escape }
        let members = Self.members(of: header)
        while true {
            while position < chunk.limit, chunk.isLineEnd(at: position) {
                if chunk.bytes.byte(position) == 0x0A { state.summary.lines += 1 }
                position += 1
            }
            state.summary.consumed = position
            guard position < chunk.limit else { return }
            let start = position
            var document = DocumentState(keepsTrace: keepsTraces, isWrapped: true)
            let mark = rows.mark()
            guard let end = readRow(&row, of: chunk, at: start, header, members, &document, &state, into: &rows) else {
                return
            }
            let content = start..<max(start, chunk.endOfContent(of: start..<end))
            rows.endRecord(chunk.bytes.extracting(content), from: mark)
            endTrace(of: &document, chunk.bytes, content, line: state.summary.lines, state.summary)
            state.summary.lines += chunk.bytes.count(of: 0x0A, from: start, to: end)
            state.summary.rejects.settle()
            position = end
        }
    }

    /// Reads the row at `start`; gives where it ends, `nil` if it is not complete.
    private mutating func readRow(
        _ row: inout CSVRow,
        of chunk: borrowing ChunkBytes,
        at start: Int,
        _ header: CSVHeader,
        _ members: [Member],
        _ document: inout DocumentState,
        _ state: inout ChunkState,
        into rows: inout RowBatch
    ) -> Int? {
        let (bytes, limit, isFinal) = (chunk.bytes, chunk.limit, chunk.isFinal)
        if let line = chunk.documentLine(at: start, columnCount: header.columns.count), line.count <= documentLimit {
            let raw = RejectList.Raw.place(line)
            decode(cell: bytes.extracting(line), raw: raw, row: line, &document, &state, into: &rows)
            return chunk.endOfLine(at: start)
        }
        let outcome = row.read(bytes, at: start, limit: limit, separator: header.separator, isFinal: isFinal)
        guard let end = outcome.end else { return nil }
        let content = start..<chunk.endOfContent(of: start..<end)
        if content.count > documentLimit {
            // The row ends where it would if it had been longer than a chunk.
            let cut = Framer.endOfOversized(in: bytes, at: start, limit: limit, isFinal: isFinal)
            guard let cut else { return nil }
            let kept = start..<start + min(documentLimit, Self.cutLength)
            let error = Finding(.tooLarge, at: documentLimit)
            state.summary.reject(diagnostic(for: error, in: document), at: start..<cut, kind: nil, raw: .place(kept))
            return cut
        }
        if case .defect(_, let offset) = outcome {
            let finding = diagnostic(for: Finding(.csvQuote, at: offset - start), in: document)
            state.summary.reject(finding, at: content, kind: nil, raw: .place(content))
        } else {
            decode(row, at: content, of: bytes, header, members, &document, &state, into: &rows)
        }
        return end
    }

    private mutating func decode(
        _ row: CSVRow,
        at place: Range<Int>,
        of bytes: RawSpan,
        _ header: CSVHeader,
        _ members: [Member],
        _ document: inout DocumentState,
        _ state: inout ChunkState,
        into rows: inout RowBatch
    ) {
        guard row.cells.count == header.columns.count else {
            let finding = diagnostic(for: Finding(.csvCells), in: document)
            return state.summary.reject(finding, at: place, kind: nil, raw: .place(place))
        }
        let response = responseColumn(of: row, in: bytes, header, &rows)
        let cell = row.cells[response ?? header.column]
        document.appendWrapping(header.columns[response ?? header.column])
        let mark = rows.mark()
        defer {
            if response != nil { rows.pair(from: mark, with: bytes.extracting(row.cells[header.column].range)) }
        }
        if !members.isEmpty {
            var facts = EnvelopeFacts()
            for (column, member) in members { facts.note(member, bytes.extracting(row.cells[column].range)) }
            document.keep(facts)
        }
        guard cell.range.contains(where: { bytes.byte($0) > 0x20 }) else {
            let error = Finding(.csvEmptyCell, at: cell.range.lowerBound - place.lowerBound)
            return state.summary.reject(diagnostic(for: error, in: document), at: place, kind: nil, raw: .place(place))
        }
        guard cell.escape != nil else {
            let raw = RejectList.Raw.place(cell.range)
            return decode(cell: bytes.extracting(cell.range), raw: raw, row: place, &document, &state, into: &rows)
        }
        var text: [UInt8] = []
        swap(&text, &cellText)
        defer { swap(&text, &cellText) }
        text.removeAll(keepingCapacity: true)
        cell.appendText(of: bytes, to: &text)
        decode(cell: text.span.bytes, raw: nil, row: place, &document, &state, into: &rows)
    }

    /// The column that has the response to the receipt of the row. What Apple has answered counts, and the receipt is
    /// that of the verification (``Unwrapper/Search/pair()``).
    private mutating func responseColumn(
        of row: CSVRow,
        in bytes: RawSpan,
        _ header: CSVHeader,
        _ rows: inout RowBatch
    ) -> Int? {
        guard header.columns.count > 1, !bytes.beginsJSON(row.cells[header.column].range) else { return nil }
        for column in header.columns.indices where column != header.column {
            guard bytes.beginsJSON(row.cells[column].range) else { continue }
            var text: [UInt8] = []
            row.cells[column].appendText(of: bytes, to: &text)
            if isResponse(text, &rows) { return column }
        }
        return nil
    }

    /// Whether a text is one response. It is decoded to see.
    private mutating func isResponse(_ text: [UInt8], _ rows: inout RowBatch) -> Bool {
        let mark = rows.mark()
        defer { rows.rollBack(to: mark) }
        var document = DocumentState(keepsTrace: false, isWrapped: true)
        guard (try? unwrapper.decode(text: text.span.bytes, &document, into: &rows)) != nil,
            !document.hasFollowers, rows.documents.rowCount == mark.documents + 1
        else { return false }
        return rows.documents[.kind, mark.documents] == Word.verify.cell
            && (rows.documents[.status, mark.documents] != nil || rows.transactions.rowCount > mark.transactions)
    }

    private typealias Member = (column: Int, member: TextMember)

    /// The columns beside the column of documents that have an attribute of the document.
    private static func members(of header: CSVHeader) -> [Member] {
        header.columns.enumerated().compactMap { column, name in
            guard column != header.column else { return nil }
            return TextMember(name: Array(name.utf8).span.bytes).map { (column, $0) }
        }
    }

    /// Decodes a cell as a document; `raw` is where its text is found, `nil` if the chunk does not hold it as it is.
    private mutating func decode(
        cell: RawSpan,
        raw: RejectList.Raw?,
        row: Range<Int>,
        _ document: inout DocumentState,
        _ state: inout ChunkState,
        into rows: inout RowBatch
    ) {
        let mark = rows.mark()
        document.record(.cell, cell)
        unwrapper.decoder.surroundings = document.surroundings
        defer { unwrapper.decoder.surroundings = Surroundings() }
        do {
            try unwrapper.decode(verified: cell, &document, into: &rows)
            try accept(document, from: mark, in: &rows, &state.summary)
        } catch {
            rows.rollBack(to: mark)
            let raw = raw ?? .copy(cell.withUnsafeBytes(Array.init))
            state.summary.reject(diagnostic(for: error, in: document), at: row, kind: document.format?.name, raw: raw)
        }
        guard document.hasFollowers else { return }
        let raw = raw ?? .copy(cell.withUnsafeBytes(Array.init))
        readTrailing(of: &document, behind: mark, frame: cell, raw: raw, at: row, &state, into: &rows)
    }
}

extension RawSpan {
    /// Whether a cell begins as a document does: ``beginsLikeDocument``, or as PEM, XML or hexadecimal digits. JSON
    /// must be a document of some format, or hold one: other columns have JSON too.
    package var beginsLikeCell: Bool {
        guard let start = (0..<byteCount).first(where: { byte($0) > 0x20 }) else { return false }
        switch Framer.start(in: self, at: start, limit: byteCount) {
        case .pem, .xml, .propertyList: return true
        case .json: return isJSONOfFormat
        case .text where byte(start) == 0x5B: return isJSONOfFormat
        case .text, .der, .nothing: return beginsLikeDocument || Hexadecimal.recognizes(self)
        }
    }

    /// Whether JSON is a document, holds one, or is broken behind the members that tell its format. It is decoded to
    /// see.
    private var isJSONOfFormat: Bool {
        var reader = DocumentReader()
        let trace = reader.trace(text: copied)
        guard let diagnostic = trace.diagnostic else { return true }
        return trace.format != nil && diagnostic.code != Defect.unrecognized.code
    }
}

extension RawSpan {
    /// Whether the text is one object or array.
    fileprivate var isWholeJSON: Bool {
        guard byteCount > 1, byte(byteCount - 1) == 0x7D || byte(byteCount - 1) == 0x5D else { return false }
        return copied.isJSONValue
    }

    /// Whether the text is a JWS, or base64 that begins as a receipt does.
    fileprivate var isWholeReceipt: Bool {
        guard let periods = periodsOfJWS else { return false }
        return periods == (CompactJWS.recognizes(self) ? 2 : 0) && beginsLikeDocument
    }

    /// Whether the first byte of a cell that is no white space begins JSON.
    fileprivate func beginsJSON(_ cell: Range<Int>) -> Bool {
        cell.first { byte($0) > 0x20 }.map { byte($0) == 0x7B || byte($0) == 0x5B } ?? false
    }
}

extension RowBatch {
    /// Says of the documents since `mark` which receipt they are about.
    fileprivate mutating func pair(from mark: Mark, with receipt: RawSpan) {
        guard receipt.byteCount > 0, documents.rowCount > mark.documents else { return }
        let digest = ReceiptDigest.hexadecimal(of: receipt.copied)
        let key = Int64(dictionary.code(for: digest.span.bytes))
        for row in mark.documents..<documents.rowCount { documents.fill(.pairKey, key, row: row) }
    }
}

extension ChunkBytes {
    /// Digits of base64 with which a JWS or a receipt begins at least: `{"alg":"none"}` has 19.
    private static var shortestHeader: Int { 16 }

    /// The content of the line at `start`, if it is complete, and a document as a whole; `nil` for a row. A row of
    /// several cells is no JSON value, and has more than the digits of a receipt.
    fileprivate func documentLine(at start: Int, columnCount: Int) -> Range<Int>? {
        let isJSON = bytes.byte(start) == 0x7B || bytes.byte(start) == 0x5B
        // The end of the line is searched only where the first cell is not short, as most are.
        guard isJSON || columnCount > 1 && bytes.endOfDigits(from: start) - start >= Self.shortestHeader,
            let end = endOfLine(at: start)
        else { return nil }
        let content = start..<endOfContent(of: start..<end)
        let text = bytes.extracting(content)
        return (isJSON ? text.isWholeJSON : text.isWholeReceipt) ? content : nil
    }

    /// One past the line feed of the line at `start`, or the end of the input; `nil` if more bytes may come.
    fileprivate func endOfLine(at start: Int) -> Int? {
        bytes.firstIndex(of: 0x0A, from: start, to: limit).map { $0 + 1 } ?? (isFinal ? limit : nil)
    }

    fileprivate func isLineEnd(at position: Int) -> Bool {
        bytes.byte(position) == 0x0A || bytes.byte(position) == 0x0D && bytes.byte(position + 1) == 0x0A
    }

    /// Where a row ends without its line feed.
    fileprivate func endOfContent(of row: Range<Int>) -> Int {
        guard !row.isEmpty, bytes.byte(row.upperBound - 1) == 0x0A else { return row.upperBound }
        let end = row.upperBound - 1
        return end > row.lowerBound && bytes.byte(end - 1) == 0x0D ? end - 1 : end
    }
}
