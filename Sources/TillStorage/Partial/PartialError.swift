/// Why a partial cannot be read: which rule its bytes break, and where.
public struct PartialError: Error, Hashable, Sendable {
    public enum Code: String, Sendable, CaseIterable {
        /// It does not begin as partials do.
        case magic = "partial.magic"
        /// It is of a version that this one does not know.
        case version = "partial.version"
        /// It ends before its end.
        case truncated = "partial.truncated"
        /// A block is not what was written.
        case checksum = "partial.checksum"
        /// A block is of an unknown kind, in the wrong place, or there twice.
        case block = "partial.block"
        /// A block that every partial has is not there.
        case missingBlock = "partial.missing-block"
        /// A number takes more than 64 bits.
        case tooLarge = "partial.too-large"
        /// A value that no partial can have.
        case value = "partial.value"
        /// Bytes behind the last value of a block, or behind the last block.
        case trailing = "partial.trailing"
    }

    public var code: Code
    /// Where in the partial, decompressed, counted from 0.
    public var offset: Int
    /// One clause for a person.
    public var reason: String

    public init(_ code: Code, at offset: Int, _ reason: String) {
        self.code = code
        self.offset = offset
        self.reason = reason
    }
}

extension PartialError: CustomStringConvertible {
    public var description: String { "at \(offset): \(reason) (\(code.rawValue))" }
}
