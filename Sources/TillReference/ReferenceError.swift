/// All defects of a file from finance, so that a user can repair them at once.
public struct ReferenceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One defect and where it is.
    public struct Problem: Hashable, Sendable {
        /// The broken rule; stable: `fx.rate`, `catalogue.xml`.
        public let code: String
        /// From 1; `nil` for a defect of the whole file.
        public let line: Int?
        /// One sentence for a person, without the position.
        public let message: String

        init(_ code: String, line: Int? = nil, _ message: String) {
            self.code = code
            self.line = line
            self.message = message
        }
    }

    /// The file as it was named by the user.
    public let name: String
    /// Never empty.
    public let problems: [Problem]

    init(_ name: String, _ problems: [Problem]) {
        self.name = name
        self.problems = problems
    }

    /// A line for each problem: `rates.csv:12: … [fx.rate]`.
    public var description: String { lines.joined(separator: "\n") }

    /// The same, line by line.
    public var lines: [String] {
        problems.map { problem in
            "\(name)\(problem.line.map { ":\($0)" } ?? ""): \(problem.message) [\(problem.code)]"
        }
    }

    /// The start of a text, escaped for one line of a terminal.
    static func excerpt(_ text: String) -> String { text.prefix(40).debugDescription }
}
