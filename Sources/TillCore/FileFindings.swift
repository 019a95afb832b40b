/// All defects of a file that a person can edit, so that they can be repaired at once.
public struct FileFindings: Error, Hashable, CustomStringConvertible {
    /// The file as it was named by the user.
    public let name: String
    /// Never empty. The offset of a finding is its line, from 1; 0 for a defect of the whole file.
    public let findings: [Finding]

    /// Makes the error of a file.
    public init(_ name: String, _ findings: [Finding]) {
        (self.name, self.findings) = (name, findings)
    }

    /// A line for each finding: `rates.csv:12: … [fx.rate]`.
    public var lines: [String] { findings.map { $0.text(inFile: name) } }

    public var description: String { lines.joined(separator: "\n") }
}

extension Finding: Comparable {
    /// `prices.csv:12: overlaps line 11 [prices.overlap]`
    public func text(inFile name: String) -> String {
        "\(name)\(offset > 0 ? ":\(offset)" : ""): \(reason) [\(code)]"
    }

    /// The start of a text, escaped for one line of a terminal.
    public static func excerpt(_ text: String) -> String { text.prefix(40).debugDescription }

    public static func < (left: Finding, right: Finding) -> Bool {
        (left.offset, left.code, left.reason) < (right.offset, right.code, right.reason)
    }
}
