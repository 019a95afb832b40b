import TillCore
import TillRender
import TillReportModel
import TillReports

/// The lines on standard error about figures above their limits, in the digits of the report.
struct AlertLines {
    /// A line for each figure that is past its limit.
    private(set) var alarms: [String] = []
    /// A line for each alert that only spikes before its window would trigger.
    private(set) var remarks: [String] = []

    init() {}

    /// Compares the figures of a report, the newest record of which is known.
    init(_ alerts: [Alert], in document: ReportDocument, newest: Timestamp?) {
        for alert in alerts {
            let outcome = alert.outcome(in: document, newest: newest)
            alarms += outcome.findings.map { "alert \(alert.text): \(Self.text(of: $0))" }
            guard outcome.findings.isEmpty, let window = outcome.window, let last = outcome.earlier.first else {
                continue
            }
            let count = outcome.earlier.count
            remarks.append(
                "no alert \(alert.text): \(count == 1 ? "the spike" : "\(count) spikes") past it ended more than \(window) "
                    + "before the newest record\(count == 1 ? "" : ", the last of them"): \(Self.text(of: last))"
            )
        }
    }

    private static func text(of finding: Alert.Hit) -> String {
        (finding.subject.map { $0 + ": " } ?? "") + finding.figure + " " + finding.value.displayText
    }

    private static let mostAlarms = 20

    /// Writes the lines and returns the exit status of a run: unreliable input takes precedence over an alert.
    func status(after status: ExitStatus, isQuiet: Bool) -> ExitStatus {
        write(isQuiet: isQuiet)
        return status == .finished && !alarms.isEmpty ? .checkFailed : status
    }

    /// Writes the alarms and, unless `isQuiet`, the remarks.
    private func write(isQuiet: Bool) {
        for line in alarms.prefix(Self.mostAlarms) { Output.writeError("tillroll: \(line)") }
        if alarms.count > Self.mostAlarms {
            Output.writeError("tillroll: further alerts: \(alarms.count - Self.mostAlarms)")
        }
        guard !isQuiet else { return }
        for line in remarks { Output.writeError("tillroll: \(line)") }
    }
}
