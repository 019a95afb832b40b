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

    public var kind: Kind
    /// Whether a string has escapes, so that its bytes are not its text.
    public var hasEscapes: Bool
    /// The first byte; of a string, the first after the quote.
    public var start: Int
    /// One past the last byte; of a string, the closing quote.
    public var end: Int

    @inlinable
    public init(_ kind: Kind, start: Int, end: Int, hasEscapes: Bool = false) {
        self.kind = kind
        self.start = start
        self.end = end
        self.hasEscapes = hasEscapes
    }

    @inlinable
    public var count: Int { end - start }

    @inlinable
    public var isContainer: Bool { kind == .object || kind == .array }
}
