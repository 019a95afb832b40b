import SystemPackage
import TillInput
import TillSystem

/// The output files of a run; they must differ from its inputs and from one another.
///
/// A file is identified by device and inode, so links and different spellings of a path are detected. `/dev/null`,
/// pipes and the like have no content to lose and may be used several times.
struct OutputPaths {
    /// The path of the result; `nil` or `-` is standard output.
    var result: String?
    /// The name of the result in messages: `the report`.
    var resultName: String
    /// The files that are written besides the result.
    private var others: [Other] = []
    /// Files that are removed when the result, a folder, replaces the old one; `nil` if the result is not a folder.
    var replaced: [InputFile]?

    /// A file that is written besides the result.
    private struct Other {
        let option: String
        let name: String
        let path: String
    }

    /// - Parameter resultName: the name of the result in messages: `the report`.
    init(
        _ result: String?,
        called resultName: String,
        rejects: String? = nil,
        manifest: String? = nil,
        metrics: String? = nil,
        alerts: String? = nil,
        payout: String? = nil,
        part: String? = nil
    ) {
        self.result = result == "-" ? nil : result
        self.resultName = resultName
        others = [
            ("--rejects", "the rejects", rejects), ("--manifest", "the manifest", manifest),
            ("--metrics", "the metrics", metrics), ("--alert-json", "the incidents", alerts),
            ("--payout", "the payout file", payout), ("--part", "the manifest of the part", part),
        ].compactMap { option, name, path in path.map { Other(option: option, name: name, path: $0) } }
    }

    /// A file that an option names, to be read.
    struct SideFile {
        var option: String
        var path: String
    }

    /// Throws if a file would be lost, or if an output cannot be created; to be called before any document is read.
    func check(inputs: [InputFile], files: [SideFile] = []) throws(RunError) {
        if result == "" { throw RunError(.usage, "-o takes the name of a file, or '-' for standard output") }
        for other in others where other.path == "" || other.path == "-" {
            throw RunError(.usage, "\(other.option) takes the name of a file; standard output carries the result only")
        }
        try checkThatFilesDiffer()
        var read: [FileIdentity: String] = [:]
        for file in files {
            let identity = try Self.identity(file.path) { error in
                RunError(error.isOfMachine ? .inputOutputError : .noInput, "\(file.path): \(error)")
            }
            if let identity { read[identity] = "the file of \(file.option)" }
        }
        var outputs: [(option: String, path: String, identity: FileIdentity?)] = []
        if let result { outputs.append(("-o", result, try Self.identity(result))) }
        for other in others { outputs.append((other.option, other.path, try Self.identity(other.path))) }
        // Standard output that cannot be examined cannot be written; the write reports the error.
        let standardOutput = try? FileIdentity.ofContents(.standardOutput)
        for output in outputs where result == nil && output.identity != nil && output.identity == standardOutput {
            throw RunError(
                .usage,
                "\(output.path): is standard output, which has the result; name another file for \(output.option)"
            )
        }
        // There may be a million inputs, so only the ones that are also outputs are remembered.
        let written = Set(outputs.map(\.identity) + [standardOutput] + (replaced ?? []).map(\.identity))
        for input in inputs {
            guard let identity = input.identity, written.contains(identity) else { continue }
            read[identity] = "the input \(input.name)"
        }
        for output in outputs {
            guard let lost = output.identity.flatMap({ read[$0] }) else { continue }
            throw RunError(
                .usage,
                "\(output.path): is \(lost), which \(output.option) would replace; name another file"
            )
        }
        if result == nil, let lost = standardOutput.flatMap({ read[$0] }) {
            throw RunError(.usage, "standard output is \(lost); name another file")
        }
        for other in others {
            guard replaced != nil, let result, try Self.isInside(other.path, result) else { continue }
            throw RunError(
                .usage,
                "\(other.path): is in the folder of \(resultName), where \(other.name) would be lost with it; name another "
                    + "place"
            )
        }
        for file in replaced ?? [] {
            guard let lost = file.identity.flatMap({ read[$0] }), let result else { continue }
            throw RunError(.usage, "\(result): holds \(lost), which -o would replace; name another folder")
        }
        // A folder is made before the first document is read.
        for output in outputs where output.option != "-o" || replaced == nil { try OutputFile.check(output.path) }
    }

    /// Throws if two outputs would be one file.
    private func checkThatFilesDiffer() throws(RunError) {
        var earlier = result.map { [(name: resultName, path: $0)] } ?? []
        for other in others {
            for known in earlier where try Self.isOneFile(known.path, other.path) {
                throw RunError(.usage, "\(other.path): \(known.name) and \(other.name) cannot be one file")
            }
            earlier.append((other.name, other.path))
        }
    }

    /// The identity of the file at a path that would be lost; `nil` if there is none.
    private static func identity(
        _ path: String,
        failure: (Errno) -> RunError
    ) throws(RunError) -> FileIdentity? {
        do {
            return try FileIdentity.ofContents(path)
        } catch {
            throw failure(error)
        }
    }

    private static func identity(_ path: String) throws(RunError) -> FileIdentity? {
        try identity(path) { RunError(creating: path, $0) }
    }

    /// Whether two outputs would be one file, which need not be there yet.
    private static func isOneFile(_ one: String, _ other: String) throws(RunError) -> Bool {
        if one == other { return true }
        do {
            guard try FileIdentity(path: FilePath(argument: one)) == nil,
                try FileIdentity(path: FilePath(argument: other)) == nil
            else {
                return try FileIdentity.ofContents(one).map { try $0 == FileIdentity.ofContents(other) } ?? false
            }
            let (first, second) = (try place(of: one), try place(of: other))
            return try first.name == second.name
                && FileIdentity(path: first.folder) == FileIdentity(path: second.folder)
        } catch {
            throw RunError(creating: "\(one), \(other)", error)
        }
    }

    /// Whether a file would be made in a folder, however deep.
    private static func isInside(_ path: String, _ folder: String) throws(RunError) -> Bool {
        do {
            guard let folder = try FileIdentity(path: FilePath(argument: folder)) else { return false }
            var parent = try place(of: path).folder
            var identity = try FileIdentity(path: parent)
            while let current = identity, current != folder {
                parent.append("..")
                identity = try FileIdentity(path: parent)
                // The root is its own parent.
                if identity == current { return false }
            }
            return identity != nil
        } catch {
            throw RunError(creating: path, error)
        }
    }

    /// The place where a file would be created: a link is followed, even if its target does not exist.
    private static func place(of path: String) throws(Errno) -> (folder: FilePath, name: FilePath.Component?) {
        let target = try OutputPlace(FilePath(argument: path))
        return (target.folder, target.path.lastComponent)
    }
}

extension OutputPaths.SideFile {
    /// Throws if standard input is named twice, since it can be read only once; to be called before anything is read.
    ///
    /// - Parameter operands: the inputs of the command; none is standard input, `nil` that it has no inputs.
    static func checkStandardInput(_ files: [Self], besides operands: [String]?) throws(RunError) {
        var holder = operands.map { $0.isEmpty || $0.contains("-") } ?? false ? "holds documents" : nil
        for file in files where file.path == "-" {
            if let holder {
                throw RunError(.usage, "\(file.option) -: standard input \(holder) already; name a file")
            }
            holder = "is the file of \(file.option)"
        }
    }
}
