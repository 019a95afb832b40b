import Crypto
import TillInput
import TillJSON

/// All that is needed to make a result again, and to tell that it is the same: what was read, by what rules, what came
/// of it. It carries no time and no place, so the same run writes the same bytes.
public struct Manifest {
    /// The command and the report: `report revenue`.
    public var command: String
    public var options: [GivenOption] = []
    /// Files that options named.
    public var files: [NamedFile] = []
    public var counts: [(name: String, count: Int)] = []
    public var output: OutputDigest?
    /// The files of a command that writes several; `nil` for one that writes one.
    var outputs: [(path: String, digest: OutputDigest)]?

    public init(command: String) {
        self.command = command
    }

    /// What was written.
    public struct OutputDigest {
        private var hash = SHA256()
        private var byteCount = 0

        public init() {}

        public mutating func update(_ bytes: [UInt8]) {
            hash.update(data: bytes)
            byteCount += bytes.count
        }

        fileprivate func append(to text: inout [UInt8]) {
            text += "{".utf8
            appendMembers(to: &text)
            text += "}".utf8
        }

        fileprivate func appendMembers(to text: inout [UInt8]) {
            text += "\"bytes\":\(byteCount),\"sha256\":".utf8
            text.appendJSON(string: Manifest.hexadecimal(hash.finalize()))
        }
    }

    /// The manifest as JSON, a line for each input.
    func text(inputs: InputDigests) -> [UInt8] {
        var text: [UInt8] = []
        text += "{\"manifest\":1,\"tool\":\"tillroll\",\"version\":".utf8
        text.appendJSON(string: Tool.version.utf8)
        text += ",\n\"command\":".utf8
        text.appendJSON(string: command.utf8)
        text += ",\n\"options\":[".utf8
        for (index, option) in options.enumerated() {
            text += (index == 0 ? "\n" : ",\n").utf8
            text += "{\"option\":".utf8
            text.appendJSON(string: option.name.utf8)
            text += ",\"value\":".utf8
            text.appendJSON(string: option.value.utf8)
            if let file = files.first(where: {
                $0.path == option.value && option.namesFile
            }) {
                var digest = OutputDigest()
                digest.update(file.bytes)
                text += ",\"file\":".utf8
                digest.append(to: &text)
            }
            text += "}".utf8
        }
        text += "\n],\n\"inputs\":[".utf8
        for (index, digest) in inputs.digests.enumerated() {
            text += (index == 0 ? "\n" : ",\n").utf8
            text += "{\"source\":".utf8
            text.appendJSON(string: digest.source.utf8)
            text += ",\"bytes\":\(digest.byteCount),\"sha256\":".utf8
            text.appendJSON(string: Self.hexadecimal(digest.hash.finalize()))
            text += "}".utf8
        }
        text += "\n],\n\"counts\":{".utf8
        for (index, count) in counts.enumerated() {
            if index > 0 { text += ",".utf8 }
            text.appendJSON(string: count.name.utf8)
            text += ":\(count.count)".utf8
        }
        text += "},\n".utf8
        appendOutput(to: &text)
        text += "}\n".utf8
        return text
    }

    private func appendOutput(to text: inout [UInt8]) {
        guard let outputs else {
            text += "\"output\":".utf8
            if let output { output.append(to: &text) } else { text += "null".utf8 }
            return
        }
        text += "\"outputs\":[".utf8
        for (index, file) in outputs.enumerated() {
            text += (index == 0 ? "\n" : ",\n").utf8
            text += "{\"file\":".utf8
            text.appendJSON(string: file.path.utf8)
            text += ",".utf8
            file.digest.appendMembers(to: &text)
            text += "}".utf8
        }
        text += "\n]".utf8
    }

    static func hexadecimal(_ digest: SHA256.Digest) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}
