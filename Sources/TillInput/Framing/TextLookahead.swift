/// What the search for the ends of documents has found out about the text ahead of them.
///
/// That a document is not closed shows only where the text ends, or as much of it as may be looked at; the document then
/// has its line, and the next one may be the same. So that many of them do not each cost all that follows, a search
/// that came to nothing leaves here what it saw, and those behind it look no further than to where it is known.
///
/// It is of one text, with one end, and is given up with it. What is found does not depend on it.
public struct TextLookahead: Sendable {
    var brackets = ClosingBrackets()
    var dumps = DumpLines()
    var wideLines = WideLines()

    public init() {}

    /// Bytes that were looked at more than a constant number of times would show here: those that searches have passed over,
    /// each time that one has.
    package var bytesSeen: Int { brackets.bytesSeen + dumps.bytesSeen + wideLines.bytesSeen }
}
