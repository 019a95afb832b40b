import Foundation
import Glibc
import TillInput
import TillPipeline

/// Whole runs of the command, each by two ways that must give the same bytes.
enum RunTargets {
    static let all = [
        FuzzTarget(name: "convert", check: checkConversion),
        FuzzTarget(name: "report", check: checkReport),
        FuzzTarget(name: "ranges", check: checkRanges),
    ]

    private static let chunkSizes = [64, 127, 509, 1021, 1 << 20]

    private struct Result: Equatable {
        var status: ExitStatus?
        var rows: [UInt8]?
        var rejects: [UInt8]?
        var error = ""
    }

    private static func path(_ name: String) -> String { "\(ScratchFile.folder)/\(name)" }

    /// Workers, chunks, a pipe in place of a file, and Parquet on the way change no row and no reject.
    private static func checkConversion(_ bytes: [UInt8]) {
        let file = ScratchFile(bytes)
        let whole = convert([file.path], to: "rows.ndjson")
        let chunkSize = chunkSizes[Int(bytes.chosen % UInt64(chunkSizes.count))]
        let cut = convert([file.path], to: "rows.ndjson") { run in
            (run.reading.jobs, run.reading.chunkSize) = (2, chunkSize)
        }
        same(cut, whole, "two workers, chunks of \(chunkSize)")
        if whole.error.isEmpty { same(convertPipe(bytes), whole, "a pipe") }
        guard whole.status == .finished, let rows = whole.rows, !rows.isEmpty else { return }
        let folder = path("rows/")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let stored = convert([file.path], to: "rows/") { $0.format = .parquet }
        require(stored.status == .finished, "Parquet: \(stored.error)")
        let back = convert([folder], to: "rows.ndjson") { $0.reading.rows.isChosen = true }
        require(
            lines(back.rows) == lines(rows),
            "rows from Parquet:\n\(lines(back.rows))\nraw:\n\(lines(rows))\n\(back.error)"
        )
    }

    private static func same(_ result: Result, _ whole: Result, _ way: String) {
        require(
            result.status == whole.status && result.error == whole.error,
            "\(way): \(result.error), not \(whole.error)"
        )
        require(result.rows == whole.rows, "rows by \(way):\n\(lines(result.rows))\nnot:\n\(lines(whole.rows))")
        require(
            result.rejects == whole.rejects,
            "rejects by \(way):\n\(lines(result.rejects))\nnot:\n\(lines(whole.rejects))"
        )
    }

    private static func lines(_ bytes: [UInt8]?) -> [String] {
        (bytes ?? []).split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    private static func convert(
        _ inputs: [String],
        to name: String,
        _ change: (inout ConvertRun) -> Void = { _ in }
    ) -> Result {
        var run = ConvertRun(inputs: inputs)
        (run.outputPath, run.rejects.path) = (path(name), path("rejects.ndjson"))
        run.rejects.isQuiet = true
        change(&run)
        if !name.hasSuffix("/") { run.format = .ndjson }
        if run.reading.rows.isChosen == false { run.sourceName = "input" }
        unlink(path(name))
        unlink(path("rejects.ndjson"))
        let chosen = run
        let (status, error) = wait { try await chosen.run() }
        return Result(
            status: status,
            rows: name.hasSuffix("/") ? nil : ScratchFile.bytes(of: path(name)),
            rejects: ScratchFile.bytes(of: path("rejects.ndjson")),
            error: error
        )
    }

    private static func convertPipe(_ bytes: [UInt8]) -> Result {
        let pipe = path("pipe")
        unlink(pipe)
        require(mkfifo(pipe, 0o600) == 0, "mkfifo")
        let writer = Thread {
            let descriptor = open(pipe, O_WRONLY)
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
            close(descriptor)
        }
        writer.start()
        defer { unlink(pipe) }
        return convert([pipe], to: "rows.ndjson")
    }

    /// The report of rows in Parquet, of a partial, and by two workers is that of the documents.
    private static func checkReport(_ bytes: [UInt8]) {
        let file = ScratchFile(bytes)
        let (whole, error) = report([file.path])
        let chunkSize = chunkSizes[Int(bytes.chosen % UInt64(chunkSizes.count))]
        let (cut, otherError) = report([file.path]) { run in
            (run.inputs.reading.jobs, run.inputs.reading.chunkSize) = (2, chunkSize)
        }
        require(
            cut == whole && error == otherError,
            "two workers: \(text(cut))\nnot: \(text(whole)) \(error) \(otherError)"
        )
        guard let whole else { return }
        require(PlainJSON.isValid(whole), "JSON of a report: \(text(whole))")
        for isClosed in [false, true] {
            let (partial, error) = report([file.path], to: "part.tillpart") { run in
                (run.outputs.writesPartial, run.outputs.closesPartial, run.outputs.format) = (true, isClosed, nil)
            }
            require(partial != nil, "a partial: \(error)")
            let merged = merge([path("part.tillpart")])
            require(merged == whole, "merged\(isClosed ? ", closed" : ""):\n\(text(merged))\nnot:\n\(text(whole))")
        }
        let folder = path("rows/")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let manifest = path("rows.json")
        unlink(manifest)
        let conversion = convert([file.path], to: "rows/") { run in
            (run.format, run.manifestPath) = (.parquet, manifest)
        }
        guard conversion.status == .finished else { return }
        let (stored, otherReason) = report([folder]) { run in
            run.inputs.reading.rows.isChosen = true
            run.inputs.convertedPath = manifest
        }
        require(stored == whole, "of Parquet:\n\(text(stored)) \(otherReason)\nnot:\n\(text(whole))")
    }

    /// Ranges that abut tell what one pass tells.
    private static func checkRanges(_ bytes: [UInt8]) {
        guard bytes.count > 1, !bytes.starts(with: [0x1F, 0x8B]) else { return }
        let file = ScratchFile(bytes)
        let (whole, _) = report([file.path])
        guard let whole else { return }
        let cut = 1 + Int(bytes.chosen % UInt64(bytes.count - 1))
        var parts: [String] = []
        for (name, text) in [("a.tillpart", "0-\(cut)"), ("b.tillpart", "\(cut)-")] {
            let (partial, _) = report([file.path], to: name) { run in
                run.inputs.reading.range = ByteRange(text)
                run.inputs.rejects.isOfPart = true
                run.outputs.writesPartial = true
                run.outputs.format = nil
            }
            guard partial != nil else { return }
            parts.append(path(name))
        }
        guard abut(file.path, cut) else { return }
        let merged = merge(parts)
        require(merged == whole, "cut at \(cut):\n\(text(merged))\nnot:\n\(text(whole))")
    }

    /// Whether two ranges say of themselves that they meet in one place.
    private static func abut(_ path: String, _ cut: Int) -> Bool {
        var ends: [String] = []
        for range in ["0-\(cut)", "\(cut)-"] {
            let manifest = Self.path("manifest.json")
            unlink(manifest)
            let result = convert([path], to: "rows.ndjson") { run in
                run.reading.range = ByteRange(range)
                run.manifestPath = manifest
                run.rejects.isOfPart = true
            }
            guard result.status == .finished, let bytes = ScratchFile.bytes(of: manifest),
                let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
                let read = object["range"] as? [String: Any]
            else { return false }
            ends.append("\(read[ends.isEmpty ? "end" : "begin"] ?? "")")
        }
        return ends[0] == ends[1]
    }

    private static func text(_ bytes: [UInt8]?) -> String {
        bytes.map { String(decoding: $0, as: UTF8.self) } ?? "none"
    }

    private static func report(
        _ inputs: [String],
        to name: String = "report.json",
        _ change: (inout ReportRun) -> Void = { _ in }
    ) -> ([UInt8]?, String) {
        var run = ReportRun(ReportInputs(inputs), ReportSettling(report: "all"), ReportOutputs())
        (run.outputs.path, run.outputs.format) = (path(name), "json")
        run.inputs.rejects.isQuiet = true
        change(&run)
        unlink(path(name))
        let chosen = run
        let (status, error) = wait { try await chosen.run() }
        return (status == .finished ? ScratchFile.bytes(of: path(name)) : nil, error)
    }

    private static func merge(_ parts: [String]) -> [UInt8]? {
        let output = path("merged.json")
        unlink(output)
        do {
            let merge = try PartialMerge(parts, choosing: [])
            var settling = ReportSettling(report: "all", settings: try Settings().over(merge.head.settling))
            settling.settings.files = merge.head.files
            var outputs = ReportOutputs()
            (outputs.path, outputs.format) = (output, "json")
            _ = try merge.write(settling, outputs)
        } catch {
            require(false, "merge: \(error)")
        }
        return ScratchFile.bytes(of: output)
    }

    /// Waits for a run; gives its status, or what it threw.
    private static func wait(_ run: @escaping @Sendable () async throws -> ExitStatus) -> (ExitStatus?, String) {
        let done = DispatchSemaphore(value: 0)
        let box = Box()
        Task.detached {
            do {
                box.status = try await run()
            } catch {
                box.error = "\(error)"
            }
            done.signal()
        }
        done.wait()
        return (box.status, box.error)
    }

    /// Written before the semaphore is signalled and read after it.
    private final class Box: @unchecked Sendable {
        var status: ExitStatus?
        var error = ""
    }
}
