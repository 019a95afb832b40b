/// Where a document lies in the decompressed stream of its source.
public struct SourcePosition: Hashable, Sendable {
    /// The file as it was named on the command line, or `-`.
    public var source: String
    /// The line on which the document starts, from 1.
    public var line: Int
    /// Bytes before the document, from 0.
    public var offset: Int
    /// Bytes of the document.
    public var length: Int

    /// Takes a line counted from 1, and an offset and a length in bytes of the decompressed stream.
    public init(source: String, line: Int, offset: Int, length: Int) {
        self.source = source
        self.line = line
        self.offset = offset
        self.length = length
    }
}
