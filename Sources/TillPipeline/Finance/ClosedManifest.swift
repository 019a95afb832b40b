import TillCore
import TillInput
import TillJSON
import TillReference

/// A manifest of a closed report, written by `--manifest`.
struct ClosedManifest {
    /// The version of tillroll that made the report.
    let version: String
    let report: String
    let options: [GivenOption]
    /// SHA-256 of the contents of files that options named, by their paths.
    let fileDigests: [String: String]
    /// The inputs, in order.
    let inputs: [Input]
    /// Transactions of all environments, duplicates included.
    let rowCount: Int

    struct Input {
        let source: String
        let byteCount: Int
        let sha256: String
    }

    /// Whether a file begins as a manifest does.
    static func isManifest(_ start: [UInt8]) -> Bool {
        let text = start.prefix(64).filter { $0 > 0x20 && $0 < 0x80 }
        return text.starts(with: Array(#"{"manifest":"#.utf8))
    }

    /// Throws a reason, as a clause.
    init(_ bytes: [UInt8]) throws(Finding) {
        let tree: JSONTree
        do {
            tree = try JSONTree(bytes)
        } catch {
            throw Finding("", "\(error.reason), at byte \(error.offset) (\(error.code))")
        }
        guard tree["manifest"]?.number == "1", tree["tool"]?.text == "tillroll", let version = tree["version"]?.text,
            let command = tree["command"]?.text, let report = command.split(separator: " ").last,
            command.hasPrefix("report "), let options = tree["options"]?.elements,
            let inputs = tree["inputs"]?.elements,
            let rowCount = tree["counts"]?["transactions"]?.number.flatMap({ Int($0) })
        else { throw Finding("", "it is not a manifest of a report") }
        guard !tree.isOfFailedRun else { throw Finding("", "it is of a run that failed") }
        (self.version, self.report, self.rowCount) = (version, String(report), rowCount)
        var given: [GivenOption] = []
        var digests: [String: String] = [:]
        for option in options {
            guard let name = option["option"]?.text, let value = option["value"]?.text else {
                throw Finding("", "it has an option without a name or a value")
            }
            given.append(GivenOption(name, value))
            if let digest = option["file"]?["sha256"]?.text { digests[value] = digest }
        }
        (self.options, fileDigests) = (given, digests)
        self.inputs = try inputs.map { input throws(Finding) in
            guard let source = input["source"]?.text, let count = input["bytes"]?.number.flatMap({ Int($0) }),
                let digest = input["sha256"]?.text
            else { throw Finding("", "it has an input without a name, a size or a digest") }
            return Input(source: source, byteCount: count, sha256: digest)
        }
    }

    static func digest(of bytes: [UInt8]) -> String {
        var digest = ContentDigest()
        digest.update(bytes)
        return String(decoding: digest.text, as: UTF8.self)
    }
}

extension JSONTree {
    /// Whether a manifest is of a run without a result. A check that failed (status 3) changes no result.
    var isOfFailedRun: Bool { self["run"]?["status"]?.number.map { $0 != "0" && $0 != "3" } ?? false }
}

extension ClosedManifest {
    /// Today's files with the digests of the closed report, in its order.
    ///
    /// - Returns: the names of those that are not there too.
    func files(among files: [InputFile], limit: InflationLimit) throws -> (found: [InputFile], missing: [String]) {
        let sizes = Set(inputs.map(\.byteCount))
        var byDigest: [String: InputFile] = [:]
        for file in files {
            // Standard input cannot be read twice. A file of another size is another file.
            guard let size = file.size, sizes.contains(size) else { continue }
            byDigest[try Self.digest(of: file, limit: limit)] = file
        }
        var (found, missing): ([InputFile], [String]) = ([], [])
        for input in inputs {
            if let file = byDigest[input.sha256] { found.append(file) } else { missing.append(input.source) }
        }
        return (found, missing)
    }

    private static func digest(of file: InputFile, limit: InflationLimit) throws -> String {
        let digests = InputDigests()
        let reader = try InputReader(file, limit: limit, observer: digests)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { memory.deallocate() }
        while try reader.read(into: memory) > 0 {}
        return digests.sums.first ?? ""
    }
}
