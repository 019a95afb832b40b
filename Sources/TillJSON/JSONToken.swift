/// One JSON value as a range of the buffer: nothing is copied, nothing is converted.
@frozen
public struct JSONToken {
    /// Raw values are those that kernels use (`TemplateWalk.h` of `CKernels`).
    @frozen
    public enum Kind: UInt8, Sendable {
        case string
        case number
        case `true`
        case `false`
        case null
        /// The cursor stands on the `{`, which is not consumed.
        case object
        /// The cursor stands on the `[`, which is not consumed.
        case array
    }

    /// The type of the value; an object or array is not read yet.
    public var kind: Kind
    /// Whether a string has escapes, so that its bytes are not its text.
    public var hasEscapes: Bool
    /// The first byte; of a string, the first after the quote.
    public var start: Int
    /// One past the last byte; of a string, the closing quote.
    public var end: Int

    /// Takes offsets in the buffer; those of a string are within its quotes.
    @inlinable
    public init(_ kind: Kind, start: Int, end: Int, hasEscapes: Bool = false) {
        self.kind = kind
        self.start = start
        self.end = end
        self.hasEscapes = hasEscapes
    }

    /// Bytes of the value as it is written: with the escapes of a string, without its quotes.
    @inlinable
    public var count: Int { end - start }

    /// Whether the value is an object or array, which the caller must still read or skip.
    @inlinable
    public var isContainer: Bool { kind == .object || kind == .array }
}
