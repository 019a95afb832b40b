import TillCore
import TillInput
import TillJSON

/// Documents that could not be read.
extension DocumentReader {
    /// Makes a reject of the document at `start`; gives where it ends, or `nil` if more bytes may complete it.
    ///
    /// - Parameter end: where its frame ends; `nil` for JSON that could not be read.
    func reject(
        _ error: Finding,
        _ frame: Framer.Start,
        of chunk: borrowing ChunkBytes,
        from start: Int,
        to end: Int?,
        _ document: inout DocumentState,
        _ summary: inout Summary
    ) -> Int? {
        var (error, end) = (error, end)
        if frame == .json, end == nil {
            if error.cause == .unfinishedJSON, !document.isWrapped, !chunk.isFinal { return nil }
            end = endOfRejectedJSON(of: chunk, at: start)
        }
        if let whole = end, document.size(in: whole - start) > documentLimit {
            // The size is the reason, even if the document has other defects. Its end is the same as for a document
            // longer than a chunk.
            error = Finding(.tooLarge, at: documentLimit)
            end = Framer.endOfOversized(in: chunk.bytes, at: start, limit: chunk.limit, isFinal: chunk.isFinal)
            document.forget()
        }
        guard let end else { return nil }
        let isPlainJSON = frame == .json && !document.isWrapped
        var finding = diagnostic(for: error, in: document, base: isPlainJSON ? start : 0, end: isPlainJSON ? end : .max)
        if chunk.bytes.beginsLikeUTF16(at: start, to: end) {
            finding.reason =
                "text in UTF-16 is read only where its source begins with a byte order mark; "
                + "iconv -f UTF-16 -t UTF-8 turns it into UTF-8"
        }
        let kept = error.cause == .tooLarge ? min(end, start + min(documentLimit, Self.cutLength)) : end
        summary.reject(finding, at: start..<end, kind: document.format?.name, raw: .place(start..<kept))
        return end
    }

    /// Where JSON ends that was rejected: where its value ends if that is complete, else where a broken document does.
    func endOfRejectedJSON(of chunk: borrowing ChunkBytes, at start: Int) -> Int? {
        var cursor = JSONCursor(chunk.bytes, at: start, limit: chunk.limit)
        do {
            try cursor.skipValue()
            return cursor.position
        } catch {
            if error.cause == .unfinishedJSON, !chunk.isFinal { return nil }
            return Framer.endOfBrokenJSON(in: chunk.bytes, at: start, limit: chunk.limit, isFinal: chunk.isFinal)
        }
    }

    /// The finding for an error in a document whose bytes are those from `base` to `end`.
    ///
    /// A defect after the end, such as the line feed inside a string of a truncated line, means that the document is
    /// truncated.
    func diagnostic(
        for error: Finding,
        in document: borrowing DocumentState,
        base: Int = 0,
        end: Int = .max
    ) -> Diagnostic {
        // A signature and a format are of the whole document, so the member that a decoder read last does not matter. A
        // decoder that only refuses the document has read none, and would tell that of an earlier one.
        let isOfWhole = error.cause == .otherFormat || error.cause == .untrusted
        let path = isOfWhole ? "" : unwrapper.decoder.path(of: document)
        let error = error.offset >= end ? Finding(.jsonTruncated, at: end) : error
        var finding = Diagnostic(error)
        var wrappings = document.wrappings
        if error.cause == .unrecognized, let opened = document.opened {
            finding.reason = opened.reason
            wrappings += opened.members
        }
        finding.path = wrappings.isEmpty ? path : (wrappings + [path]).filter { !$0.isEmpty }.joined(separator: " › ")
        finding.innerOffset = max(0, error.offset - base)
        return finding
    }
}

extension DocumentReader.Summary {
    /// Rejects what is missing of an array that the end of the input, at `end` of the chunk, leaves open.
    ///
    /// If the last document is a reject that the end cuts, it says so already.
    public mutating func rejectOpenArray(endingAt end: Int, in bytes: RawSpan) {
        if let last = rejectedEnd, (last..<end).allSatisfy({ bytes.byte($0) <= 0x20 }) { return }
        reject(Diagnostic(Finding(.openArray)), at: end..<end, kind: nil, raw: .place(end..<end))
        rejects.settle()
    }

    /// Adds the next document as a reject.
    mutating func reject(_ diagnostic: Diagnostic, at place: Range<Int>, kind: String?, raw: RejectList.Raw) {
        rejectedEnd = place.upperBound
        rejects.append(
            DocumentReader.Reject(
                ordinal: documents,
                line: lines,
                offset: place.lowerBound,
                length: place.count,
                diagnostic: diagnostic,
                kind: kind,
                raw: raw
            )
        )
    }
}

extension RawSpan {
    /// Whether the document in `start..<end` begins as Western text in UTF-16 does: with its byte order mark, or with
    /// every other byte 0. A line feed there is two bytes, of which the second begins the next line.
    fileprivate func beginsLikeUTF16(at start: Int, to end: Int) -> Bool {
        guard end - start >= 4, byte(start) == 0 || byte(start) >= 0xFE || byte(start + 1) == 0 else { return false }
        if byte(start) == 0xFF && byte(start + 1) == 0xFE || byte(start) == 0xFE && byte(start + 1) == 0xFF {
            return true
        }
        let head = start..<min(end, start + 16)
        return [0, 1].contains { parity in head.allSatisfy { (byte($0) == 0) == (($0 - start) & 1 == parity) } }
    }
}
