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

    /// Makes a renderer; it has no state to share.
    init()

    /// The whole output for `document`, UTF-8 where the format is text.
    func render(_ document: ReportDocument, options: RenderOptions) -> [UInt8]
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
