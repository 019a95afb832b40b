import TillColumns
import TillCore
import TillInput
import TillJSON
import TillRows

/// Text that begins with a brace and is neither JSON nor a property list, but JSON in other characters.
///
///     {'status': 21007}         an object of Python
///     {\"status\":21007}        JSON with its quotes escaped
extension DocumentReader {
    /// Reads what could not be read as JSON or as a property list as an object of a program or escaped JSON; gives
    /// where it ends, or `nil` if it is neither, or holds no document, or one that cannot be read.
    ///
    /// Text that begins like JSON is broken JSON, and stays a reject. So does a truncated object, even if it contains
    /// complete documents.
    /// - Parameters:
    ///   - end: where its frame ends; `nil` for JSON.
    ///   - error: why it could not be read.
    mutating func readOtherText(
        of chunk: borrowing ChunkBytes,
        from start: Int,
        to end: Int?,
        instead error: Finding,
        _ frame: Framer.Start,
        _ document: inout DocumentState,
        _ state: inout ChunkState,
        into rows: inout RowBatch
    ) -> Int? {
        switch frame {
        case .json where error.defect == .jsonSyntax: break
        case .propertyList where error.cause == .invalidPropertyList: break
        default: return nil
        }
        guard !document.isWrapped, !ProgramLiteral.beginsAsJSON(chunk.bytes, at: start),
            let end = end ?? endOfRejectedJSON(of: chunk, at: start), end - start <= documentLimit
        else { return nil }
        let text = chunk.bytes.extracting(start..<end)
        var second = DocumentState(keepsTrace: keepsTraces, isWrapped: true)
        let mark = rows.mark()
        let found = unwrapper.documents(inNotationOf: text, keepsLayers: keepsTraces, rows: &rows)
        guard let first = found.first else { return nil }
        second.keep(found.dropFirst())
        do {
            try unwrapper.decode(first, &second, into: &rows)
            try accept(second, from: mark, in: &rows, &state.summary)
        } catch {
            // The first error says more: the text is no JSON.
            rows.rollBack(to: mark)
            return nil
        }
        document = second
        return end
    }
}
