import TillCore

/// The outcome of a run as Prometheus text, for the textfile collector of node_exporter.
///
/// The format: <https://prometheus.io/docs/instrumenting/exposition_formats/>, version 0.0.4.
struct Metrics {
    /// Sources with counts of their own; further ones are counted under ``rest``.
    static let mostSources = 100
    private static let rest = "other"
    /// The beginning of every such file.
    static let beginning = Array("# HELP tillroll_run_".utf8)

    private(set) var text: [UInt8] = []

    /// - Parameter time: of the end of the run, in nanoseconds since 1970.
    init(command: String, _ outcome: Outcome, at time: Int) {
        let command = [("command", command)]
        func gauge(_ name: String, _ help: String, _ samples: [(labels: [(String, String)], value: String)]) {
            guard !samples.isEmpty else { return }
            text += "# HELP tillroll_\(name) \(help)\n# TYPE tillroll_\(name) gauge\n".utf8
            for sample in samples {
                let labels = (command + sample.labels).map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
                text += "tillroll_\(name){\(labels)} \(sample.value)\n".utf8
            }
        }
        let progress = outcome.progress
        gauge("run_status", "Exit status of the run.", [([], "\(outcome.status.rawValue)")])
        gauge(
            "run_error",
            "1 for the code of the error with which the run ended.",
            outcome.code.map { [([("code", $0)], "1")] } ?? []
        )
        gauge("run_seconds", "Duration of the run.", [([], outcome.seconds)])
        gauge("run_end_timestamp_seconds", "End of the run.", [([], Outcome.decimal(time / 1_000_000))])
        gauge("input_bytes", "Bytes of documents that were read, decompressed.", [([], "\(progress.bytes)")])
        gauge(
            "documents",
            "Documents of the input.",
            [([("result", "accepted")], "\(progress.accepted)"), ([("result", "rejected")], "\(progress.rejected)")]
        )
        gauge(
            "newest_record_timestamp_seconds",
            "Time of the newest record.",
            outcome.newest.map { [([], Outcome.decimal(Int($0.milliseconds)))] } ?? []
        )
        let sources = Self.shown(outcome.sources)
        gauge(
            "source_documents",
            "Documents of a source.",
            sources.flatMap { source in
                [("accepted", source.accepted), ("rejected", source.rejected)].map { result, count in
                    ([("source", source.name), ("result", result)], "\(count)")
                }
            }
        )
        gauge(
            "source_bytes",
            "Bytes of a source, decompressed.",
            sources.map { ([("source", $0.name)], "\($0.bytes)") }
        )
    }

    /// The first sources, each once, and the sum of the others.
    private static func shown(_ sources: [RunLog.Source]) -> [RunLog.Source] {
        var (shown, places): ([RunLog.Source], [String: Int]) = ([], [:])
        for source in sources {
            let name = places[source.name] == nil && places.count >= mostSources ? rest : source.name
            if places[name] == nil {
                places[name] = shown.count
                shown.append(RunLog.Source(name: name))
            }
            guard let place = places[name] else { continue }
            shown[place].accepted += source.accepted
            shown[place].rejected += source.rejected
            shown[place].bytes += source.bytes
        }
        return shown
    }

    /// A value of a label: `\`, `"` and line feeds are escaped.
    private static func escaped(_ value: String) -> String {
        var text: [UInt8] = []
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: "\""): text += [UInt8(ascii: "\\"), byte]
            case 0x0A: text += "\\n".utf8
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
