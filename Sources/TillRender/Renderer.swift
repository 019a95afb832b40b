public import TillReportModel

/// Turns a finished report into the bytes of one output format.
///
/// A renderer only shows: it counts nothing, leaves nothing out that the format can hold, and never asks which report
/// it has before it. The same document and options give the same bytes.
public protocol Renderer: Sendable {
    /// The name on the command line: `json`.
    static var name: String { get }
    /// One line of help, without a full stop.
    static var summary: String { get }
    /// Endings of file names that choose this format, without the dot and in lower case; may be empty.
    static var fileExtensions: [String] { get }
    /// Whether a terminal can show the output; what is not text goes to a file or a pipe.
    static var isText: Bool { get }

    /// Whether somebody reads the output; programs want the same bytes for the same documents, whatever these are called.
    static var isForPeople: Bool { get }

    /// Finds out whether the format can be written on this machine at all, before anything is read.
    static func checkAvailability() throws(RenderError)

    /// Makes a renderer; it has no state to share.
    init()

    /// The whole output for `document`, UTF-8 where the format is text.
    ///
    /// Formats that tillroll writes itself cannot fail; one that a library writes can.
    func render(_ document: ReportDocument, options: RenderOptions) throws(RenderError) -> [UInt8]

    /// Gives the output to `sink` piece by piece.
    ///
    /// Formats for programs have no limit of rows, so these do not hold all of it in memory. Throws what `sink` throws.
    func write(
        _ document: ReportDocument,
        options: RenderOptions,
        to sink: (_ piece: [UInt8]) throws -> Void
    ) throws
}

extension Renderer {
    public static var isText: Bool { true }
    public static var isForPeople: Bool { true }

    public static func checkAvailability() throws(RenderError) {}

    public func write(
        _ document: ReportDocument,
        options: RenderOptions,
        to sink: (_ piece: [UInt8]) throws -> Void
    ) throws {
        try sink(render(document, options: options))
    }
}

/// A format that is written piece by piece, and cannot fail but for who takes the pieces.
public protocol PiecewiseRenderer: Renderer {
    func write(
        _ document: ReportDocument,
        options: RenderOptions,
        to sink: (_ piece: [UInt8]) throws -> Void
    ) rethrows
}

extension PiecewiseRenderer {
    public func render(_ document: ReportDocument, options: RenderOptions) -> [UInt8] {
        var bytes: [UInt8] = []
        write(document, options: options) { bytes += $0 }
        return bytes
    }
}

/// Bytes on their way out, in pieces.
extension [UInt8] {
    private static var pieceSize: Int { 256 << 10 }

    /// Gives `sink` what there is, once it is enough for a piece.
    mutating func relieve(to sink: ([UInt8]) throws -> Void) rethrows {
        if count >= Self.pieceSize { try flush(to: sink) }
    }

    /// Gives `sink` what there is.
    mutating func flush(to sink: ([UInt8]) throws -> Void) rethrows {
        guard !isEmpty else { return }
        try sink(self)
        removeAll(keepingCapacity: true)
    }
}

/// Why a format could not be written.
public struct RenderError: Error, Hashable, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable {
        /// The library that writes the format is not installed.
        case libraryMissing = "render.library-missing"
        /// The library could not write: no room or no right to write temporary files, no memory.
        case writeFailed = "render.write-failed"
    }

    public let code: Code
    /// What happened, and what to do about it.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(message) (\(code.rawValue))" }
}

/// What the place of output can show.
///
/// Only formats for people heed it; those for programs give the same bytes everywhere.
public struct RenderOptions: Hashable, Sendable {
    /// Columns of the terminal; `nil` where the output is no terminal and nothing need be cut.
    public var width: Int?
    /// Whether escape sequences may be used to set headings off.
    public var useColor: Bool

    /// Makes options; the defaults suit a file or a pipe.
    public init(width: Int? = nil, useColor: Bool = false) {
        self.width = width
        self.useColor = useColor
    }
}
