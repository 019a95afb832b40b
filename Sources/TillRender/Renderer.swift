public import TillCore
public import TillReportModel
import TillThreads

/// Writes a finished report in one output format.
///
/// A renderer counts nothing and treats all reports alike: the output depends on the roles and the content of sections,
/// not on names. The same document and options give the same bytes.
///
/// Why: `docs/decisions.md`, A report is typed cells, a renderer decides the look.
public protocol Renderer: Sendable {
    /// The name on the command line: `json`.
    static var name: String { get }
    /// One line of help, without a full stop.
    static var summary: String { get }
    /// The file name extensions that select this format, in lower case and without the dot; may be empty.
    static var fileExtensions: [String] { get }
    /// Whether the output is text. Other output is never written to a terminal.
    static var isText: Bool { get }

    /// Whether people read the output. Formats for programs must not depend on the names of the input files.
    static var isForPeople: Bool { get }

    /// Whether the output is opened with a program. Then it is never empty, even if the input is.
    static var isPage: Bool { get }

    /// Throws if this machine cannot write the format. It is called before anything is read.
    static func checkAvailability() throws(Finding)

    /// Makes a renderer. Renderers have no state.
    init()

    /// The whole output for `document`; text is in UTF-8.
    ///
    /// Only a format that is written by a library can fail.
    func render(_ document: ReportDocument, options: RenderOptions) throws(Finding) -> [UInt8]

    /// Passes the output to `sink` in pieces.
    ///
    /// Formats for programs have no row limit, so they do not hold the whole output in memory. Throws the errors of
    /// `sink`.
    func write(
        _ document: ReportDocument,
        options: RenderOptions,
        to sink: (_ piece: [UInt8]) throws -> Void
    ) throws
}

extension Renderer {
    public static var isText: Bool { true }
    public static var isForPeople: Bool { true }
    public static var isPage: Bool { false }

    public static func checkAvailability() throws(Finding) {}

    public func write(
        _ document: ReportDocument,
        options: RenderOptions,
        to sink: (_ piece: [UInt8]) throws -> Void
    ) throws {
        try sink(render(document, options: options))
    }
}

/// A renderer of a format that is written in pieces. It throws only the errors of the sink.
public protocol PiecewiseRenderer: Renderer {
    /// Passes the output to `sink` in pieces, and throws only if `sink` does.
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

/// A buffer of output that is written in pieces.
extension [UInt8] {
    private static var pieceSize: Int { 256 << 10 }

    /// Passes the buffer to `sink` and empties it, if it has the size of a piece.
    mutating func flushIfFull(to sink: ([UInt8]) throws -> Void) rethrows {
        if count >= Self.pieceSize { try flush(to: sink) }
    }

    /// Appends the rows of a table and passes pieces to `sink`.
    ///
    /// - Parameters:
    ///   - jobs: the number of threads that may encode rows.
    ///   - encode: returns the bytes of some rows. Its flag is true for the first rows. It should not use objects of
    ///     other calls, because threads would wait for each other to count references to them.
    mutating func append(
        rows: TableRows,
        jobs: Int,
        to sink: ([UInt8]) throws -> Void,
        encode: (_ block: TableRows, _ isFirst: Bool) -> [UInt8]
    ) rethrows {
        try concurrently(rows.blockCount, width: jobs) { number in
            encode(rows.block(number), number == 0)
        } take: { bytes in
            self += bytes
            try flushIfFull(to: sink)
        }
    }

    /// Passes the buffer to `sink` and empties it.
    mutating func flush(to sink: ([UInt8]) throws -> Void) rethrows {
        guard !isEmpty else { return }
        try sink(self)
        removeAll(keepingCapacity: true)
    }
}

extension Finding {
    /// The library could not write the file: no space or no permission for temporary files, or no memory.
    static func writeFailed(_ reason: String) -> Finding {
        Finding("render.write-failed", cause: .system, reason)
    }
}

/// The capabilities of the output.
///
/// Formats for programs give the same bytes with any options.
public struct RenderOptions: Hashable, Sendable {
    /// Columns of the terminal; `nil` if the output is not a terminal, so that nothing is cut.
    public var width: Int?
    /// Whether headings, rules, marks and urgent statements may have escape sequences.
    public var useColor: Bool
    /// Whether formats for people show all rows of sections that are folded by default.
    public var showsDetail: Bool
    /// The files of the command line, for the commands that a person at a terminal may paste; empty elsewhere, so that
    /// a report does not depend on the folder of its input.
    public var files = CommandFiles()
    /// The number of threads that may encode rows. The bytes are the same with any number.
    public var jobs: Int

    /// Makes options; the defaults suit a file or a pipe.
    public init(width: Int? = nil, useColor: Bool = false, showsDetail: Bool = false, jobs: Int = 1) {
        self.width = width
        self.useColor = useColor
        self.showsDetail = showsDetail
        self.jobs = jobs
    }
}
