import TillCore
import TillInput
import TillJSON

/// Documents that could not be read.
extension DocumentReader {
    /// Makes a reject of the document at `start`; gives where it ends, or `nil` if more bytes may complete it.
    ///
    /// - Parameter end: where its frame ends; `nil` for JSON that could not be read.
    func reject(
        _ error: any Error,
        _ frame: Framer.Start,
        of chunk: borrowing ChunkBytes,
        from start: Int,
        to end: Int?,
        _ document: inout DocumentState,
        _ summary: inout Summary
    ) -> Int? {
        var (cause, end) = (RejectCause(error), end)
        if frame == .json, end == nil {
            if cause.isTruncatedJSON, !document.isWrapped, !chunk.isFinal { return nil }
            end = endOfRejectedJSON(of: chunk, at: start)
        }
        if let whole = end, document.size(in: whole - start) > documentLimit {
            // The size is the reason, even if the document has other defects. Its end is the same as for a document
            // longer than a chunk.
            cause = RejectCause(DecodeError(.tooLarge, at: documentLimit))
            end = Framer.endOfOversized(in: chunk.bytes, at: start, limit: chunk.limit, isFinal: chunk.isFinal)
            document.forget()
        }
        guard let end else { return nil }
        let isPlainJSON = frame == .json && !document.isWrapped
        var finding = diagnostic(for: cause, in: document, base: isPlainJSON ? start : 0, end: isPlainJSON ? end : .max)
        if chunk.bytes.beginsLikeUTF16(at: start, to: end) {
            finding.reason =
                "text in UTF-16 is read only where its source begins with a byte order mark; "
                + "iconv -f UTF-16 -t UTF-8 turns it into UTF-8"
        }
        let kept = cause.isTooLarge ? min(end, start + min(documentLimit, Self.cutLength)) : end
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
            if error.code == .truncated, !chunk.isFinal { return nil }
            return Framer.endOfBrokenJSON(in: chunk.bytes, at: start, limit: chunk.limit, isFinal: chunk.isFinal)
        }
    }

    /// The finding for an error in a document.
    func diagnostic(for error: any Error, in document: borrowing DocumentState) -> Diagnostic {
        diagnostic(for: RejectCause(error), in: document, base: 0, end: .max)
    }

    /// The finding for an error in a document whose bytes are those from `base` to `end`.
    ///
    /// A defect after the end, such as the line feed inside a string of a truncated line, means that the document is
    /// truncated.
    private func diagnostic(
        for cause: RejectCause,
        in document: borrowing DocumentState,
        base: Int,
        end: Int
    ) -> Diagnostic {
        // A signature and a format are of the whole document, so the member that a decoder read last does not matter. A
        // decoder that only refuses the document has read none, and would tell that of an earlier one.
        let path = cause.isOfWhole ? "" : unwrapper.decoder.path(of: document)
        var (code, reason, offset) = (cause.code, cause.reason, cause.offset ?? base)
        if offset >= end {
            let cut = JSONError(.truncated, at: end)
            (code, reason, offset) = (cut.code.rawValue, cut.reason, cut.offset)
        }
        var wrappings = document.wrappings
        if code == DecodeError.Code.unrecognized.rawValue, let opened = document.opened {
            reason = opened.reason
            wrappings += opened.members
        }
        return Diagnostic(
            code: code,
            reason: reason,
            path: wrappings.isEmpty ? path : (wrappings + [path]).filter { !$0.isEmpty }.joined(separator: " › "),
            innerOffset: max(0, offset - base)
        )
    }
}

extension DocumentReader.Summary {
    /// Adds the next document as a reject.
    mutating func reject(_ diagnostic: Diagnostic, at place: Range<Int>, kind: String?, raw: RejectList.Raw) {
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

/// An error as far as a reject needs it. Asking an error for its type costs more than reading a short document, so it
/// is done once.
private struct RejectCause {
    var code: String
    var reason: String
    /// `nil` if the error is of the document as a whole.
    var offset: Int?
    var isTruncatedJSON = false
    var isTooLarge = false
    var isOfWhole = false

    init(_ error: any Error) {
        // The most frequent types first.
        switch error {
        case let error as DecodeError:
            (code, reason, offset) = (error.code.rawValue, error.reason, error.offset)
            (isTooLarge, isOfWhole) = (error.code == .tooLarge, error.code == .otherFormat)
        case let error as JSONError:
            (code, reason, offset) = (error.code.rawValue, error.reason, error.offset)
            isTruncatedJSON = error.code == .truncated
        case let error as Base64.Failure: (code, reason, offset) = (error.code.rawValue, error.reason, error.offset)
        case let error as Hexadecimal.Failure:
            (code, reason, offset) = (error.code.rawValue, error.reason, error.offset)
        case let error as PropertyListError: (code, reason, offset) = (error.code.rawValue, error.reason, error.offset)
        case let error as EarlierReject:
            (code, reason) = (error.finding?.code ?? "", error.finding?.reason ?? "")
        case let error as TrustError:
            (code, reason) = (error.code.rawValue, error.code.reason)
            isOfWhole = true
        default: (code, reason) = (DecodeError.Code.unrecognized.rawValue, "\(error)")
        }
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
