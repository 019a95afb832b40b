import TillCore
import TillInput
import TillJSON
import TillReports
import TillSystem

/// The outcome of a run, for `--manifest` and `--metrics`. Both files are written at the end, also if the run fails.
///
/// One task at a time uses it.
public final class RunLog: @unchecked Sendable {
    private let command: String
    private let manifestPath: String?
    private let metricsPath: String?
    /// The files that the run reads; a failed run must not replace one.
    private let read: [String]
    private let start = Machine.uptime

    /// The manifest of the result, and the digests of the inputs, once they are known.
    var manifest: Manifest?
    var inputs: InputDigests?
    /// Whether the paths were compared with the inputs.
    var isChecked = false
    private(set) var progress = ReadProgress()
    private(set) var sources: [Source] = []

    /// The counts of a source.
    struct Source {
        var name: String
        var accepted = 0
        var rejected = 0
        var bytes = 0

        var documents: Int { accepted + rejected }
    }

    /// - Parameters:
    ///   - command: the command with its report.
    ///   - read: the paths of operands and flags that are read.
    /// - Returns: `nil` if neither file is written.
    public init?(_ command: String, manifest: String?, metrics: String?, read: [String]) {
        guard manifest != nil || metrics != nil else { return nil }
        (self.command, manifestPath, metricsPath, self.read) = (command, manifest, metrics, read)
    }

    /// Notes the source of the documents that are counted next.
    func begin(_ source: String) {
        if sources.last?.name != source { sources.append(Source(name: source)) }
    }

    func update(_ progress: ReadProgress) {
        if !sources.isEmpty {
            sources[sources.count - 1].accepted += progress.accepted - self.progress.accepted
            sources[sources.count - 1].rejected += progress.rejected - self.progress.rejected
            sources[sources.count - 1].bytes += progress.bytes - self.progress.bytes
        }
        self.progress = progress
    }

    /// Takes the counts of a run that reads no documents itself.
    func settle(_ input: InputSummary, newest: Timestamp?) {
        guard sources.isEmpty else { return }
        (progress.accepted, progress.rejected, progress.bytes) = (input.accepted, input.rejected, input.bytes)
        progress.newest = newest?.milliseconds
    }

    /// Runs `body`, and writes the files.
    ///
    /// - Returns: the status of `body`.
    /// - Throws: the error of `body`; else one of writing. A run that is used wrongly writes nothing.
    public func record(_ body: () throws -> ExitStatus) throws -> ExitStatus {
        do {
            let status = try body().ofProcess
            try write(Outcome(status: status, code: status.code))
            return status
        } catch {
            guard !isWritten, let failure = RunError(error), failure.status != .usage else { throw error }
            let status = failure.status.ofProcess
            do {
                try write(Outcome(status: status, code: (error as? Finding)?.code ?? status.code))
            } catch {
                for line in RunError(error)?.lines ?? [] where !failure.lines.contains(line) {
                    Output.writeFailure(line)
                }
            }
            throw error
        }
    }

    private var isWritten = false

    private func write(_ outcome: Outcome) throws {
        isWritten = true
        var outcome = outcome
        outcome.milliseconds = (Machine.uptime - start) / 1_000_000
        (outcome.progress, outcome.sources) = (progress, sources)
        if let manifestPath, mayReplace(manifestPath) {
            let text = (manifest ?? failed).text(inputs: inputs ?? InputDigests(), outcome)
            try Output.write(text, to: manifestPath)
        }
        if let metricsPath, mayReplace(metricsPath) {
            try Output.write(Metrics(command: command, outcome, at: Machine.time).text, to: metricsPath)
        }
    }

    /// The manifest of a run without a result.
    private var failed: Manifest {
        var manifest = Manifest(command: command)
        manifest.counts = [
            ("documents", progress.documents), ("accepted", progress.accepted), ("rejected", progress.rejected),
            ("bytes", progress.bytes),
        ]
        return manifest
    }

    /// Whether a file may be replaced: if the run failed before it looked, only another manifest or metrics may be.
    private func mayReplace(_ path: String) -> Bool {
        guard !isChecked, let identity = try? FileIdentity.ofContents(path) else { return true }
        guard !read.contains(where: { (try? FileIdentity.ofContents($0)) == identity }) else { return false }
        let beginning = (try? ReferenceFile.start(of: path, option: "", atLeast: 64)) ?? []
        return beginning.isEmpty || ClosedManifest.isManifest(beginning)
            || beginning.starts(with: Metrics.beginning)
    }
}

/// How a run ended.
struct Outcome {
    let status: ExitStatus
    /// The code of the error, such as `input.missing`; `nil` if there is none.
    let code: String?
    var milliseconds = 0
    var progress = ReadProgress()
    var sources: [RunLog.Source] = []

    /// Seconds with milliseconds: `1.250`.
    var seconds: String { Self.decimal(milliseconds) }
    var newest: Timestamp? { progress.newest.map { Timestamp(milliseconds: $0) } }

    /// Thousandths as a number with three decimals; an instant before 1970 is negative.
    static func decimal(_ thousandths: Int) -> String {
        var text: [UInt8] = []
        text.append(decimal: Int128(thousandths), decimals: 3)
        return String(decoding: text, as: UTF8.self)
    }

    init(status: ExitStatus, code: String?) { (self.status, self.code) = (status, code) }

    /// The member `run` of a manifest.
    func append(to text: inout [UInt8]) {
        text += "\"run\":{\"status\":\(status.rawValue),\"error\":".utf8
        if let code { text.appendJSON(string: code.utf8) } else { text += "null".utf8 }
        text += ",\"seconds\":\(seconds),\"bytes\":\(progress.bytes),\"newest\":".utf8
        if let newest {
            text.appendJSON(string: newest.text(alwaysWithMilliseconds: true).utf8)
        } else {
            text += "null".utf8
        }
        text += ",\"sources\":".utf8
        text.appendJSON(lines: sources) { text, source in
            text += "{\"source\":".utf8
            text.appendJSON(string: source.name.utf8)
            text += ",\"documents\":\(source.documents),\"accepted\":\(source.accepted)".utf8
            text += ",\"rejected\":\(source.rejected),\"bytes\":\(source.bytes)}".utf8
        }
        text += "}".utf8
    }
}
