import TillCore
import TillRender
import TillReportModel
import TillReports

/// The lines on standard error about incidents and about figures past their limits.
struct AlertLines {
    /// A line for each incident and each figure.
    private(set) var alarms: [String] = []
    /// The incidents, for programs.
    private var incidents: ReportDocument?
    /// `nil` without an alert.
    private var hits: [Alert.Hit]?

    init() {}

    /// Looks at a report.
    init(_ alerts: [Alert], in document: ReportDocument) {
        guard !alerts.isEmpty else { return }
        let hits = alerts.flatMap { $0.hits(in: document) }
        alarms = hits.map { hit in
            guard let figure = hit.figure else { return "alert \(hit.text)" }
            return "alert \(hit.alert): \(hit.text)\(figure) \(hit.value.displayText)"
        }
        incidents = Alert.incidents(among: hits, in: document)
        self.hits = hits
    }

    /// Adds to a report what raised an alert in it.
    func add(to document: inout ReportDocument) {
        if let hits { Alert.add(hits, to: &document) }
    }

    /// Writes the incidents that raised an alert as JSON, a line each; without them, the file is empty.
    func write(to path: String) throws {
        guard let incidents else { return }
        try Output.write(to: path) { write in
            try NDJSONRenderer().write(incidents, options: RenderOptions(width: nil), to: write)
        }
    }

    private static let mostAlarms = 20

    /// Writes the lines and returns the exit status of a run: unreliable input takes precedence over an alert.
    func status(after status: ExitStatus) -> ExitStatus {
        for line in alarms.prefix(Self.mostAlarms) { Output.writeError("tillroll: \(line)") }
        if alarms.count > Self.mostAlarms {
            Output.writeError("tillroll: further alerts: \(alarms.count - Self.mostAlarms)")
        }
        return status == .finished && !alarms.isEmpty ? .checkFailed : status
    }
}
