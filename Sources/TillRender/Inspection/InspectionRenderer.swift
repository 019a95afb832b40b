public import TillReportModel

/// Turns the structure of documents into the bytes of one output format, a document at a time.
///
/// The output is ``beginning``, then every document, then ``end``, so that a dump of any length needs little memory.
public protocol InspectionRenderer: Sendable {
    /// The name on the command line: `text`.
    static var name: String { get }
    /// One line of help, without a full stop.
    static var summary: String { get }

    /// Makes a renderer for one output.
    init(options: InspectionOptions)

    /// The bytes before the first document; may be empty.
    var beginning: [UInt8] { get }
    /// The bytes after the last document. They are also written if there was no document.
    var end: [UInt8] { get }

    /// The bytes of one document.
    ///
    /// - Parameter isFirst: whether the document is the first of the output.
    func render(_ document: InspectedDocument, isFirst: Bool) -> [UInt8]
}

/// The capabilities of the output and the wishes of the user.
public struct InspectionOptions: Hashable, Sendable {
    /// Columns of the terminal; `nil` if the output is not a terminal.
    public var width: Int?
    /// Whether headings and offsets may have escape sequences.
    public var useColor: Bool
    /// Whether long values are shown in full.
    public var showsAll: Bool

    /// The defaults suit a file or a pipe: no escape sequences, and long values are cut.
    public init(width: Int? = nil, useColor: Bool = false, showsAll: Bool = false) {
        self.width = width
        self.useColor = useColor
        self.showsAll = showsAll
    }
}

/// The output formats of `inspect`. A new one is a line here.
public enum InspectionRendererRegistry {
    /// The formats in the order in which help and errors list them.
    public static let all: [any InspectionRenderer.Type] = [
        InspectionTextRenderer.self,
        InspectionJSONRenderer.self,
    ]

    /// Returns the format with exactly this name; `nil` if there is none.
    public static func renderer(named name: String) -> (any InspectionRenderer.Type)? {
        all.first { $0.name == name }
    }
}

extension [UInt8] {
    /// Two hexadecimal digits a byte, `separator` between bytes.
    func hexadecimal(separator: String = "") -> String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: separator)
    }
}
