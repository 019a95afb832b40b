import TillCore
import TillPipeline
import TillReports

extension Arguments {
    var writesToStandardOutput: Bool { (self[.output] ?? "-") == "-" }

    /// Throws for flags about failures if a report does not count them.
    func checkUse(of report: String) throws(UsageError) {
        guard report != FailuresReport.name, report != ReportRegistry.everything else { return }
        guard let flag = [Flag.alert, .examples].first(where: has) else { return }
        throw UsageError("\(flag) is about failures; '\(report)' does not count them")
    }

    /// The path, the format and the detail of a report.
    func reportOutputs() throws(UsageError) -> ReportOutputs {
        if has(.partial), writesToStandardOutput, Terminal.outputIsTerminal {
            throw UsageError("--partial writes binary data; name a file with -o")
        }
        var outputs = ReportOutputs()
        outputs.format = self[.format]
        outputs.table = self[.table]
        outputs.path = self[.output]
        outputs.writesPartial = has(.partial)
        outputs.closesPartial = has(.closedPartial)
        outputs.manifestPath = self[.manifest]
        (outputs.metricsPath, outputs.log) = (self[.metrics], log)
        (outputs.alerts, outputs.alertPath) = (try alerts(), self[.alertJSON])
        outputs.width = self[.width].flatMap(TableWidth.init)?.columns(onTerminal: writesToStandardOutput)
        outputs.usesPager = !has(.noPager) && writesToStandardOutput
        outputs.showsDetail = has(.detail)
        outputs.useColor = useColor && writesToStandardOutput
        return outputs
    }

    private func alerts() throws(UsageError) -> [Alert] {
        do {
            return try all(.alert).map { text throws(Finding) in try Alert(text) }
        } catch {
            throw UsageError("--alert: \(error.reason)")
        }
    }

    /// The instant up to which incidents are looked for.
    var now: ReportSettling.Now? {
        self[.now].flatMap { ReportSettling.Now($0) }
    }

    /// The time of the newest record of the whole input, for a part of it.
    var newest: Timestamp? { self[.asOf].flatMap(Flag.instants)?.newest }

    /// The first purchase of the whole input, for a part of it.
    var first: Timestamp? { self[.asOf].flatMap(Flag.instants)?.first }
}
