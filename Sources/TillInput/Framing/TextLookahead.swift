/// The findings of searches for the ends of documents, about the text ahead.
///
/// Only the end of the text, or of the part that may be searched, shows that a document is not closed; the document
/// then has its line. The next document may be unclosed too. A search without a result leaves here what it saw, and
/// later searches stop where the answer is known. So many unclosed documents do not each cost the whole rest of the
/// text.
///
/// A lookahead belongs to one text with one end. It makes searches faster and never changes their results.
public struct TextLookahead: Sendable {
    var brackets = ClosingBrackets()
    var dumps = DumpLines()
    var wideLines = WideLines()
    /// Brackets of JSON behind other text, and the lines in which it may go on.
    var indented = ClosingBrackets()
    var continuations = ContinuationLines()
    var pieces = PieceEnds()

    /// Starts without findings; each text needs a lookahead of its own.
    public init() {}

    /// The bytes that searches have read, counted once for each search: tests check that the number grows with the text
    /// only.
    package var bytesSeen: Int {
        brackets.bytesSeen + dumps.bytesSeen + wideLines.bytesSeen + indented.bytesSeen + continuations.bytesSeen
            + pieces.bytesSeen
    }
}
