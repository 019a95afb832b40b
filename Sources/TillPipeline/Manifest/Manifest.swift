import TillCore
import TillInput
import TillJSON
import TillLedger
import TillReportModel
import TillReports

/// All data needed to reproduce a result and to verify it: inputs, rules and outputs.
///
/// It contains no machine name, and no time but in the member `run`, so that the same run writes the same bytes apart
/// from its duration. A part of a larger run has no such member.
public struct Manifest {
    /// The command and the report: `report revenue`.
    public var command: String
    /// The options on which the result depends, in the order of the manifest.
    public var options: [GivenOption] = []
    /// Files that options named.
    public var files: [NamedFile] = []
    /// Numbers of documents, bytes and rows by their names in the JSON, in the order of the manifest.
    public var counts: [(name: String, count: Int)] = []
    /// The part of the input that was read, if not all of it.
    var range: ReadRange?
    /// The digest of the output of a command that writes one file; `nil` is written as `null`.
    public var output: ContentDigest?
    /// The files of a command that writes several; `nil` for one that writes one.
    var outputs: [File]?

    /// A file that was read or written.
    typealias File = (path: String, digest: ContentDigest)

    /// Makes a manifest without options, files, counts and outputs.
    public init(command: String) {
        self.command = command
    }

    /// Adds the document counts of a part of a larger run.
    mutating func describePart(_ part: PartDescription) {
        counts += [
            ("foreign_documents", part.foreign), ("untrusted_documents", part.trust.untrusted),
            ("untrusted_transactions", part.trust.untrustedRows), ("parts_of_nothing", part.isOfNothing ? 1 : 0),
        ]
        if let newest = part.newest { counts.append(("newest_milliseconds", Int(newest))) }
        range = part.range
    }

    /// Adds the counts and the newest record of a part that only searches the newest record.
    mutating func describePeriod(_ input: InputSummary, newest: Timestamp?, _ range: ReadRange?) {
        counts = [("accepted", input.accepted), ("rejected", input.rejected), ("bytes", input.bytes)]
        if let newest { counts.append(("newest_milliseconds", Int(newest.milliseconds))) }
        self.range = range
    }

    /// Further data of a part of a larger run, beside its counts.
    struct PartDescription {
        var foreign: Int
        var trust: TrustTally
        /// The time of the newest document; `nil` if no report needs it.
        var newest: Int64?
        var isOfNothing: Bool
        var range: ReadRange?
    }

    /// The manifest as JSON, a line for each input.
    func text(inputs: InputDigests, _ outcome: Outcome? = nil) -> [UInt8] {
        var text: [UInt8] = []
        text += "{\"manifest\":1,\"tool\":\"tillroll\",\"version\":".utf8
        text.appendJSON(string: Tool.version.utf8)
        text += ",\n\"command\":".utf8
        text.appendJSON(string: command.utf8)
        text += ",\n\"options\":".utf8
        text.appendJSON(lines: options) { text, option in
            text += "{\"option\":".utf8
            text.appendJSON(string: option.name.utf8)
            text += ",\"value\":".utf8
            text.appendJSON(string: option.value.utf8)
            if let file = files.first(where: {
                $0.path == option.value && option.namesFile
            }) {
                var digest = ContentDigest()
                digest.update(file.bytes)
                text += ",\"file\":{".utf8
                digest.appendMembers(to: &text)
                text += "}".utf8
            }
            text += "}".utf8
        }
        text += ",\n\"inputs\":".utf8
        Self.append(inputs.digests, named: "source", to: &text)
        text += ",\n\"counts\":{".utf8
        for (index, count) in counts.enumerated() {
            if index > 0 { text += ",".utf8 }
            text.appendJSON(string: count.name.utf8)
            text += ":\(count.count)".utf8
        }
        text += "},\n".utf8
        if let range {
            text += "\"range\":{\"begin\":\(range.begin),\"end\":\(range.end),\"lines\":\(range.lines),".utf8
            text += "\"open_brackets\":\(range.openBrackets)},\n".utf8
        }
        if let outcome {
            outcome.append(to: &text)
            text += ",\n".utf8
        }
        appendOutput(to: &text)
        text += "}\n".utf8
        return text
    }

    private func appendOutput(to text: inout [UInt8]) {
        if let outputs {
            text += "\"outputs\":".utf8
            return Self.append(outputs, named: "file", to: &text)
        }
        text += "\"output\":".utf8
        guard let output else {
            text += "null".utf8
            return
        }
        text += "{".utf8
        output.appendMembers(to: &text)
        text += "}".utf8
    }

    /// Writes files and their digests as an array, a line for each.
    private static func append(_ files: [File], named name: String, to text: inout [UInt8]) {
        text.appendJSON(lines: files) { text, file in
            text += "{\"\(name)\":".utf8
            text.appendJSON(string: file.path.utf8)
            text += ",".utf8
            file.digest.appendMembers(to: &text)
            text += "}".utf8
        }
    }

    /// The program, and the files of the options and the inputs with their digests.
    func origin(inputs: InputDigests?) -> ReportOrigin {
        let named = files.map { file -> File in
            var digest = ContentDigest()
            digest.update(file.bytes)
            return (file.path, digest)
        }
        return ReportOrigin(
            program: Tool.program,
            files: (named + (inputs?.digests ?? [])).map { name, digest in
                ReportOrigin.File(
                    name: name,
                    byteCount: digest.byteCount,
                    digest: String(decoding: digest.text, as: UTF8.self)
                )
            }
        )
    }
}

extension [UInt8] {
    /// Appends items as a JSON array, a line for each.
    mutating func appendJSON<Item>(lines items: [Item], _ append: (inout [UInt8], Item) -> Void) {
        self += "[".utf8
        for (index, item) in items.enumerated() {
            self += (index == 0 ? "\n" : ",\n").utf8
            append(&self, item)
        }
        self += "\n]".utf8
    }
}
