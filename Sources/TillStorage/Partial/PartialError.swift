/// The reason why a partial cannot be read: the broken rule, and its place in the partial.
public struct PartialError: Error, Hashable, Sendable {
    /// The broken rules; the raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// The first bytes are not those of a partial.
        case magic = "partial.magic"
        /// The partial has a version that this program does not read.
        case version = "partial.version"
        /// The partial is truncated.
        case truncated = "partial.truncated"
        /// The checksum of a block does not match.
        case checksum = "partial.checksum"
        /// A block is of an unknown kind, in the wrong place, or repeated.
        case block = "partial.block"
        /// A required block is missing.
        case missingBlock = "partial.missing-block"
        /// A number takes more than 64 bits.
        case tooLarge = "partial.too-large"
        /// A value that no partial can have.
        case value = "partial.value"
        /// Bytes behind the last value of a block, or behind the last block.
        case trailing = "partial.trailing"
    }

    /// The broken rule, whose raw value is stable.
    public var code: Code
    /// The offset in the decompressed partial.
    public var offset: Int
    /// One clause for a person.
    public var reason: String

    /// Makes an error; `offset` counts from the start of the decompressed partial.
    public init(_ code: Code, at offset: Int, _ reason: String) {
        self.code = code
        self.offset = offset
        self.reason = reason
    }
}

extension PartialError: CustomStringConvertible {
    public var description: String { "at \(offset): \(reason) (\(code.rawValue))" }
}
