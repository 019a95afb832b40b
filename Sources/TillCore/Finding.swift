/// The reason why something cannot be read or done: a stable code, one sentence for a person, and the place.
///
/// Every module below the pipeline throws it. It takes two words, so it is returned in registers, and a constant defect
/// is thrown without an allocation:
///
///     throw Finding(.jsonNumber, at: index)
///     throw Finding("parquet.codec", at: page, path: column, "the codec \(codec) is not supported")
///
/// Why: `docs/decisions.md`, Errors are one struct with a stable code.
@frozen
public struct Finding: Error, Hashable, Sendable {
    /// What is wrong.
    public let defect: Defect
    /// Bytes from the start of what was read, or the number of a line; 0 if the defect has no place.
    public let offset: Int

    /// Makes the finding of a constant defect.
    @inlinable
    public init(_ defect: Defect, at offset: Int = 0) {
        self.defect = defect
        self.offset = offset
    }

    /// Makes a finding whose sentence has details of the input.
    public init(
        _ code: String,
        at offset: Int = 0,
        path: String = "",
        cause: Cause = .defect,
        _ reason: String
    ) {
        self.init(Defect(code, path: path, reason, cause: cause), at: offset)
    }

    /// Makes the finding of an argument of the command line, which has no code.
    public init(argument reason: String) {
        self.init("", cause: .argument, reason)
    }

    /// A stable name, `area.defect`, as in the rows of rejects; empty if people see only the sentence.
    public var code: String { defect.code }
    /// One clause for a person, without the place.
    public var reason: String { defect.reason }
    /// The name of the file or column that has the defect; empty if the place is an offset alone.
    public var path: String { defect.path }
    /// The cause, where a caller acts on it.
    public var cause: Cause { defect.cause }

    /// The same defect in another place.
    public func at(_ offset: Int) -> Finding { Finding(defect, at: offset) }

    /// The same defect in another place; `path` is for a defect that has none.
    public func at(_ offset: Int, path: String) -> Finding {
        Finding(code, at: offset, path: self.path.isEmpty ? path : self.path, cause: cause, reason)
    }

    /// What callers act on. The code of a finding is only for people and for the rows of rejects.
    public enum Cause: UInt8, Sendable {
        /// No caller acts on it.
        case defect
        /// The values of a page end early, or one is too wide.
        case brokenValues
        /// The bytes end inside a JSON value, which more bytes may complete.
        case unfinishedJSON
        /// The bytes are not JSON.
        case invalidJSON
        /// The text is not base64.
        case invalidBase64
        /// The text is not a property list.
        case invalidPropertyList
        /// A doubt about a file that can be used.
        case warning
        /// An argument of the command line is not valid.
        case argument
        /// The bytes are no document that tillroll knows.
        case unrecognized
        /// The document is of another format than the required one.
        case otherFormat
        /// The document is larger than a document may be.
        case tooLarge
        /// The document is not trusted.
        case untrusted
        /// There is no such file, or reading it is not permitted.
        case missing
        /// Compressed data is damaged, ends early or inflates beyond its limit.
        case damaged
        /// The system could not read or write, or ran out of a resource.
        case system
        /// A signal asked the run to end.
        case interrupted
    }
}

extension Finding: CustomStringConvertible {
    /// `a number that JSON does not allow (json.number)`, without the place.
    public var message: String { code.isEmpty ? reason : "\(reason) (\(code))" }

    /// `dump.gz @ 120: the stream is damaged (input.gzip)`; an offset of 0 is left out.
    public var description: String {
        let place = [path, offset > 0 ? "@ \(offset)" : ""].filter { !$0.isEmpty }
        return place.isEmpty ? message : "\(place.joined(separator: " ")): \(message)"
    }
}

/// What is wrong: a code, a sentence and the cause.
///
/// A defect without details of the input is a constant of the module that throws it:
///
///     extension Defect {
///         static let price = Defect("receipt.price", "a value that is not a price in thousandths of a unit")
///     }
public final class Defect: Hashable, Sendable {
    /// A stable name, `area.defect`, or empty; renaming one is a breaking change.
    public let code: String
    /// One clause for a person, without the place.
    public let reason: String
    /// The name of the file or column that has the defect; empty for a constant.
    public let path: String
    /// The cause, where a caller acts on it.
    public let cause: Finding.Cause

    /// Makes a defect.
    public init(_ code: String, path: String = "", _ reason: String, cause: Finding.Cause = .defect) {
        (self.code, self.reason, self.path, self.cause) = (code, reason, path, cause)
    }

    public static func == (left: Defect, right: Defect) -> Bool {
        left === right || (left.code, left.reason, left.path) == (right.code, right.reason, right.path)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(path)
    }
}
