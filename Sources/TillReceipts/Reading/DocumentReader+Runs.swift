import TillCore
import TillInput
import TillRows

/// Receipts in any other text: SQL dumps, output of PostgreSQL's `COPY`, pages, mails.
///
///     INSERT INTO receipts VALUES (17, 'MIIT…', '2026-03-02');
///                                       └──┘ a run
///     17⇥\\x3082…⇥eyJhbGciOiJFUzI1NiIs….eyJ0cmFuc2FjdGlvbklkIjoi….MEUCIQ…⏎
///            └──┘ └─────────────────────────────────────────────────────┘
///
/// A run is text in the alphabet of base64 and of compact JWS, on one line or wrapped. One in which a document is found
/// is a document, or a reject. All other text is neither.
extension DocumentReader {
    /// Reads all complete runs.
    mutating func readRuns(of chunk: borrowing ChunkBytes, _ state: inout ChunkState, into rows: inout RowBatch) {
        var position = 0
        while let start = chunk.startOfRun(from: position) {
            state.summary.lines += chunk.bytes.count(of: 0x0A, from: position, to: start)
            state.summary.consumed = start
            guard let run = chunk.run(at: start) else { return }
            if run.range.count >= ChunkBytes.shortestRun { read(run, of: chunk, &state, into: &rows) }
            position = run.range.upperBound
            state.summary.lines += chunk.bytes.count(of: 0x0A, from: start, to: position)
        }
        state.summary.lines += chunk.bytes.count(of: 0x0A, from: position, to: chunk.limit)
        state.summary.consumed = chunk.limit
    }

    private mutating func read(
        _ run: TextRun,
        of chunk: borrowing ChunkBytes,
        _ state: inout ChunkState,
        into rows: inout RowBatch
    ) {
        let place = run.range
        guard place.count <= documentLimit else { return rejectOversized(run, of: chunk, &state.summary) }
        if run.isPlain { return read(chunk.bytes.extracting(place), of: run, in: chunk, &state, into: &rows) }
        read(chunk.text(of: run).span.bytes, of: run, in: chunk, &state, into: &rows)
    }

    /// Reads the text of a run.
    private mutating func read(
        _ text: RawSpan,
        of run: TextRun,
        in chunk: borrowing ChunkBytes,
        _ state: inout ChunkState,
        into rows: inout RowBatch
    ) {
        let place = run.range
        guard !text.isOtherDER else { return }
        let mark = rows.mark()
        unwrapper.beginSearch(ofText: text.byteCount, keepsLayers: keepsTraces)
        let found = unwrapper.documents(inText: text, depth: 0, rows: &rows)
        rows.rollBack(to: mark)
        guard let first = found.results.first ?? found.nearMisses.first, first.kind != .logLine else { return }
        var document = DocumentState(keepsTrace: keepsTraces, isWrapped: true)
        document.record(.text, text)
        document.keep(unwrapper.counted(found.results).dropFirst())
        let raw = run.isReadAsItStands(text) ? RejectList.Raw.place(place) : .copy(text.copied)
        do {
            try unwrapper.decode(first, &document, into: &rows)
            try accept(document, from: mark, in: &rows, &state.summary)
        } catch {
            rows.rollBack(to: mark)
            let finding = diagnostic(for: error, in: document)
            state.summary.reject(finding, at: place, kind: document.format?.name, raw: raw)
        }
        if document.hasFollowers {
            readTrailing(of: &document, behind: mark, frame: text, raw: raw, at: place, &state, into: &rows)
        }
        endTrace(of: &document, chunk.bytes, place, line: state.summary.lines, state.summary)
        state.summary.rejects.settle()
    }

    private mutating func rejectOversized(_ run: TextRun, of chunk: borrowing ChunkBytes, _ summary: inout Summary) {
        guard chunk.bytes.extracting(run.range).beginsLikeCell else { return }
        var document = DocumentState(keepsTrace: keepsTraces, isWrapped: true)
        let kept = run.range.lowerBound..<run.range.lowerBound + min(documentLimit, Self.cutLength)
        let finding = diagnostic(for: Finding(.tooLarge, at: documentLimit), in: document)
        summary.reject(finding, at: run.range, kind: nil, raw: .place(kept))
        endTrace(of: &document, chunk.bytes, run.range, line: summary.lines, summary)
        summary.rejects.settle()
    }
}

/// Where a run stands, and what is in it beside its digits.
private struct TextRun {
    var range: Range<Int>
    /// Whether it is wrapped.
    var hasBreaks = false
    /// Whether `\/`, `\n` and `\r` stand in it, as in strings of JSON and of SQL.
    var hasEscapes = false

    var isPlain: Bool { !hasBreaks && !hasEscapes }

    /// Whether the run can be read again as it stands in the input: base64 may be wrapped, a JWS not.
    func isReadAsItStands(_ text: RawSpan) -> Bool { isPlain || !hasEscapes && !CompactJWS.recognizes(text) }
}

extension ChunkBytes {
    /// Bytes of the shortest run that is looked at.
    fileprivate static let shortestRun = 64
    /// Digits of a line of wrapped base64 (RFC 2045 §6.8 has 76 at most, RFC 7468 64). A longer line is a run of its
    /// own.
    private static let lineWidths = 16...128
    /// White space at the beginning of a line of wrapped base64.
    private static let longestIndent = 64

    /// By byte: whether it can stand in a run.
    private static let isOfRun: [Bool] = (0..<256).map { beginsRun[$0] || $0 == 0x2E }
    /// By byte: whether a run can begin with it. A period cannot: from each of a row of them, the search for the end
    /// would go through the rest of the row.
    private static let beginsRun: [Bool] = (0..<256).map { UInt8($0).isBase64Digit && $0 != 0x3D }

    /// Where the next run begins. Escapes before it, such as that of a line feed or the `\x` of hexadecimal digits, are
    /// none of it.
    fileprivate func startOfRun(from position: Int) -> Int? {
        var index = position
        while index < limit, !Self.beginsRun[Int(bytes.byte(index))] {
            let start = index
            if bytes.byte(index) == 0x5C {
                while index < limit, bytes.byte(index) == 0x5C { index += 1 }
                index += Self.escapeWidths[bytes.byte(index)] ?? 0
            } else {
                index += bytes.isPercentEscape(at: index) ? 3 : 1
            }
            // An escape that the end of the chunk cuts is read whole with the next chunk.
            let mayBeCut = bytes.byte(start) == 0x5C || bytes.byte(start) == 0x25
            guard isFinal || !mayBeCut || max(index, start + 2) < limit else { return start }
        }
        return index < limit ? index : nil
    }

    /// Bytes of an escape behind its backslashes, by the first of them.
    private static let escapeWidths: [UInt8: Int] = [0x62: 1, 0x66: 1, 0x6E: 1, 0x72: 1, 0x74: 1, 0x75: 5, 0x78: 1]

    /// The run at `start`; `nil` if it may go on behind the chunk.
    fileprivate func run(at start: Int) -> TextRun? {
        if !Self.isOfRun[Int(bytes.byte(start))] { return nil }
        var run = TextRun(range: start..<start)
        guard var line = endOfLine(from: start) else { return nil }
        run.hasEscapes = line.hasEscapes
        let width = line.digits
        let mayGoOn = Self.lineWidths.contains(width) && beginsLikeRun(at: start)
        while mayGoOn, line.digits == width {
            guard line.end + Self.longestIndent + 8 < limit || isFinal else { return nil }
            guard case let (next?, isEscaped) = startOfNextLine(behind: line.end) else { break }
            guard let following = endOfLine(from: next) else { return nil }
            guard goesOn(at: next, following, width) else { break }
            run.hasBreaks = true
            run.hasEscapes = run.hasEscapes || isEscaped || following.hasEscapes
            line = following
        }
        var end = line.end
        while end < limit, bytes.byte(end) == 0x3D { end += 1 }
        while end + 2 < limit, bytes.byte(end) == 0x25, bytes.isPercentEscape(at: end, of: 0x44) { end += 3 }
        guard end < limit && (bytes.byte(end) != 0x25 || end + 2 < limit) || isFinal else { return nil }
        // A sentence may end behind a JWS.
        while end > start, bytes.byte(end - 1) == 0x2E { end -= 1 }
        run.range = start..<max(end, start + 1)
        return run
    }

    /// Whether the digits at an index may begin a document, so that it is worth to look for further lines of it.
    private func beginsLikeRun(at start: Int) -> Bool {
        switch (bytes.byte(start), bytes.byte(start + 1)) {
        case (0x4D, 0x49), (0x54, 0x55), (0x65, _), (0x5A, 0x58), (0x48, 0x34), (0x33, 0x30): true
        default: false
        }
    }

    /// A line of digits; `nil` if it may go on behind the chunk.
    private func endOfLine(from start: Int) -> (end: Int, digits: Int, hasEscapes: Bool)? {
        var (index, digits, hasEscapes) = (start, 0, false)
        while index < limit {
            let byte = bytes.byte(index)
            if Self.isOfRun[Int(byte)] {
                index += 1
            } else if byte == 0x5C, bytes.byte(index + 1) == 0x2F {
                hasEscapes = true
                index += 2
            } else if byte == 0x25,
                bytes.isPercentEscape(at: index, of: 0x42) || bytes.isPercentEscape(at: index, of: 0x46)
            {
                index += 3
            } else {
                break
            }
            digits += 1
        }
        let isCut = index >= limit || index + 2 >= limit && (bytes.byte(index) == 0x5C || bytes.byte(index) == 0x25)
        return isCut && !isFinal ? nil : (min(index, limit), digits, hasEscapes)
    }

    /// Where the line behind a line break begins, with its indent taken off; `nil` if there is no line break.
    private func startOfNextLine(behind end: Int) -> (start: Int?, isEscaped: Bool) {
        var index = end
        var isEscaped = false
        if bytes.byte(index) == 0x5C {
            isEscaped = true
            while index < limit, bytes.byte(index) == 0x5C { index += 1 }
            if bytes.byte(index) == 0x72 {
                index += 1
                while index < limit, bytes.byte(index) == 0x5C { index += 1 }
            }
            guard index < limit, bytes.byte(index) == 0x6E else { return (nil, false) }
        } else {
            if bytes.byte(index) == 0x0D { index += 1 }
            guard index < limit, bytes.byte(index) == 0x0A else { return (nil, false) }
        }
        index += 1
        let indentEnd = min(limit, index + Self.longestIndent)
        while index < indentEnd, bytes.byte(index) == 0x20 || bytes.byte(index) == 0x09 { index += 1 }
        return (index, isEscaped)
    }

    /// Whether a line is one more of a wrapped run: digits alone, as many as in the lines before, or fewer in the last
    /// one. `-` begins the END line of PEM.
    private func goesOn(at start: Int, _ line: (end: Int, digits: Int, hasEscapes: Bool), _ width: Int) -> Bool {
        guard line.digits > 0, line.digits <= width, bytes.byte(start) != 0x2D else { return false }
        return line.end == limit || bytes.byte(line.end) != 0x20 && bytes.byte(line.end) != 0x3A
    }

    /// The text of a run, its line breaks and escapes undone.
    fileprivate func text(of run: TextRun) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(run.range.count)
        var index = run.range.lowerBound
        while index < run.range.upperBound {
            let byte = bytes.byte(index)
            index += 1
            switch byte {
            case 0x5C:
                while index < run.range.upperBound, bytes.byte(index) == 0x5C { index += 1 }
                if bytes.byte(index) == 0x2F { text.append(0x2F) }
                index += 1
            case 0x09, 0x0A, 0x0D, 0x20: break
            default: text.append(byte)
            }
        }
        return text
    }
}

extension RawSpan {
    /// Whether an escape of a form stands at an index: `%3D`.
    fileprivate func isPercentEscape(at index: Int) -> Bool {
        byte(index) == 0x25 && byte(index + 1).hexadecimalValue != nil && byte(index + 2).hexadecimalValue != nil
    }

    /// Whether it is `%2B` or `%2F`, or `%3D`, by its last digit.
    fileprivate func isPercentEscape(at index: Int, of last: UInt8) -> Bool {
        guard byte(index) == 0x25, byte(index + 2) & 0xDF == last else { return false }
        return byte(index + 1) == (last == 0x44 ? 0x33 : 0x32)
    }
}
