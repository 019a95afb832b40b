import TillCore
import TillLedger
import TillReportModel

/// The summary of the failures report: what goes on, since when, and its probable causes.
///
///     ● ONGOING since 31 March 00:10: ASDErrorDomain 500, "unhandled exception"
///     com.example.trail: 34 failures of 187 attempts, 18.18 % (usually 1.02 %)
///     App 5.2.0 on OS 18.4: 33 of its 45 attempts failed, 1 of the other 142
struct FailureVerdict {
    private let table: FailureTable
    private let clock: ReportClock

    /// The number of incidents shown in full.
    private static let mostIncidents = 3

    init(_ table: FailureTable) {
        self.table = table
        clock = table.calendar.clock
    }

    var statements: [Statement] { headlines + rates }

    /// The zone of the clock, after an instant.
    private var zone: String { PeriodWords.zone(of: clock) }

    // MARK: Headlines

    /// The first headline that holds, and what belongs to it.
    private var headlines: [Statement] {
        let incidents = table.found.incidents
        let ongoing = incidents.filter { $0.state == .ongoing }
        if !ongoing.isEmpty { return full(ongoing, "ongoing") }
        let rates = table.rates
        guard !table.rows.isEmpty || rates.attempts > 0 || rates.verifications > 0 else {
            return [Statement("No failures.")]
        }
        if rates.attempts > 0, rates.succeeded == 0 {
            return [Statement("No purchases: 0 of \(.count(rates.attempts)) attempts succeeded", tone: .alarm)]
        }
        let decided =
            rates.decided > 0 ? (rates.failed, rates.decided) : (rates.failedVerifications, rates.verifications)
        let isAlarm = decided.1 > 0 && 2 * decided.0 >= decided.1
        let share = Cell.ratio(decided.0, of: max(1, decided.1))
        switch table.verdict {
        case .noHistory:
            let hours = table.span.map { max(1, $0.upperBound.hour - $0.lowerBound.hour + 1) } ?? 0
            let sentence: Statement.Sentence =
                "Nothing to compare with: \(.count(hours)) \(hours == 1 ? "hour" : "hours") of data, \(share) of \(.count(decided.1)) attempts failed"
            return [Statement(sentence, tone: isAlarm ? .alarm : .plain)]
        case .noData:
            return [
                Statement(
                    "No times: no record tells one; \(share) of \(.count(decided.1)) attempts failed",
                    tone: isAlarm ? .alarm : .plain
                )
            ]
        case .quiet: return full(incidents.filter { $0.state == .quiet }, "quiet")
        case .incident, .ok: break
        }
        guard let latest = incidents.max(by: { $0.until < $1.until }) else {
            return [Statement("No incident: no rate rose.")]
        }
        let end = "\(PeriodWords.dayAndTime(of: latest.until, by: clock)) \(zone)"
        return [Statement("No incident is ongoing. The latest ended \(end):")] + full(latest)
    }

    private func full(_ incidents: [Incident], _ state: String) -> [Statement] {
        var statements = incidents.prefix(Self.mostIncidents).flatMap(full)
        let more = incidents.count - Self.mostIncidents
        if more > 0 {
            statements.append(
                Statement("\(.count(more)) more \(more == 1 ? "incident" : "incidents") \(state): see Incidents")
            )
        }
        let others = table.found.incidents.count - incidents.count
        if others > 0 {
            statements.append(
                Statement("\(.count(others)) other \(others == 1 ? "incident" : "incidents"): see Incidents")
            )
        }
        return statements
    }

    private func full(_ incident: Incident) -> [Statement] {
        let since = PeriodWords.dayAndTime(of: incident.since, by: clock)
        let headline =
            switch incident.state {
            case .ongoing: "ONGOING since \(since) \(zone)"
            case .quiet: "○ QUIET since \(PeriodWords.dayAndTime(of: incident.until, by: clock)) \(zone)"
            case .ended, .resolved: "\(since) to \(PeriodWords.dayAndTime(of: incident.until, by: clock)) \(zone)"
            }
        let tone: Statement.Tone = incident.state == .ongoing ? .alarm : .plain
        guard let code = incident.codes.first else {
            let app = appWords(of: incident)
            return [Statement("\(headline): no purchases\(app.map { " in \($0)" } ?? "")", tone: tone)]
                + [missing(incident)].compactMap(\.self)
        }
        let entry = FailureTable.entry(of: code.key)
        let name = code.key.name + (entry.map { ", \"\($0.name)\"" } ?? "")
        let advice = entry.map { entry in
            Statement("\(entry.advice)", weight: .detail, command: codesCommand(for: code.key))
        }
        return [
            Statement("\(headline): \(name)", tone: tone), size(of: incident), cause(of: incident),
            underneath(incident), missing(incident), advice,
        ].compactMap(\.self) + incident.examples.map(example) + [all(of: incident)]
    }

    private func all(of incident: Incident) -> Statement {
        Statement("All its failures", weight: .detail, command: "--explain incident=\(incident.id)")
    }

    private func appWords(of incident: Incident) -> String? {
        incident.app.map { $0.isEmpty ? nil : $0 } ?? (incident.family == "verifyReceipt" ? nil : "all apps")
    }

    private func size(of incident: Incident) -> Statement {
        let what = incident.family == "verifyReceipt" ? "responses" : "attempts"
        let usual = FailuresReport.usualRate(of: incident)
        let usually: Statement.Sentence = usual == .absent ? " (nothing to compare with)" : " (usually \(usual))"
        let app = appWords(of: incident).map { $0 + ": " } ?? ""
        let (failures, attempts) = (Cell.count(incident.failures), Cell.count(incident.attempts))
        let rate = FailuresReport.rate(of: incident)
        return Statement(
            "\(app)\(failures) failures of \(attempts) \(what), \(rate)\(usually)",
            weight: .detail
        )
    }

    private func missing(_ incident: Incident) -> Statement? {
        guard let missing = incident.missing else { return nil }
        let hours = missing.hours == 1 ? "1 hour" : "\(missing.hours) hours"
        return Statement(
            "\(.count(missing.actual)) purchases in \(hours) (usually \(.count(missing.expected)))",
            weight: .detail
        )
    }

    private func underneath(_ incident: Incident) -> Statement? {
        guard let code = incident.underlying.first else { return nil }
        let name = code.key.name
        return Statement(
            "Underneath: \(name) in \(.count(code.failures)) of \(.count(incident.failures))",
            weight: .detail
        )
    }

    private func cause(of incident: Incident) -> Statement {
        guard let cause = incident.causes.first else {
            let sentence: Statement.Sentence = "No version, system, storefront or product explains it"
            return Statement(sentence, weight: .detail)
        }
        let name = Self.name(of: cause)
        let (failures, attempts) = (Cell.count(cause.failures), Cell.count(cause.attempts))
        let others = Cell.count(cause.failuresInAll - cause.failures)
        let otherAttempts = Cell.count(cause.attemptsInAll - cause.attempts)
        let isNew = cause.isNew ? "is new: " : ""
        return Statement(
            "\(name): \(isNew)\(failures) of its \(attempts) attempts failed, \(others) of the other \(otherAttempts)",
            weight: .detail
        )
    }

    /// `App 5.2.0 on OS 18.4`, `Storefront DEU with product pro`
    static func name(of cause: Cause) -> String {
        let names = cause.values.map { value in
            switch value.dimension {
            case .appVersion: "app \(value.text)"
            case .osVersion: "OS \(value.text)"
            case .storefront: "storefront \(value.text)"
            case .productID: "product \(value.text)"
            case .bundleID: "bundle \(value.text)"
            }
        }
        let isOn = cause.values.map(\.dimension) == [.appVersion, .osVersion]
        let joined = names.joined(separator: isOn ? " on " : " with ")
        return joined.prefix(1).uppercased() + joined.dropFirst()
    }

    private func example(_ example: DatedPlace) -> Statement {
        let (at, place) = (Cell.instant(example.at), example.place)
        guard let command = InspectCommand.text(for: place) else {
            let number = Cell.code(place.document)
            return Statement("\(at) document \(number) of standard input", weight: .detail)
        }
        return Statement("\(at)", weight: .detail, command: command)
    }

    private func codesCommand(for key: FailureKey) -> String? {
        guard let domain = key.domain else { return nil }
        return "tillroll codes \(ShellWord.word(domain))" + (key.code.map { " \($0)" } ?? "")
    }

    /// An incident in one line, for a pager:
    /// `3f9a1c20b7de ONGOING since 31 March 00:10 UTC: ASDErrorDomain 500, 34 of 187 attempts (18 %, usually 1 %)`.
    func line(of incident: Incident) -> String {
        let since = PeriodWords.dayAndTime(of: incident.since, by: clock)
        var line = "\(incident.id) ONGOING since \(since) \(zone): "
        if let code = incident.codes.first {
            let usual = incident.usual.map { Self.percent($0.failures, of: $0.attempts) }
            line += "\(code.key.name), \(incident.failures) of \(incident.attempts) attempts "
            line += "(\(Self.percent(incident.failures, of: incident.attempts))"
            line += usual.map { ", usually \($0))" } ?? ")"
        } else {
            line += "no purchases"
        }
        if let app = appWords(of: incident) { line += " in \(app)" }
        if let missing = incident.missing {
            line += ", \(missing.actual) purchases in \(missing.hours) h (usually \(missing.expected))"
        }
        if let cause = incident.causes.first {
            line += ", \(Self.name(of: cause)): \(cause.failures) of \(cause.failuresInAll)"
        }
        return line
    }

    private static func percent(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "–" }
        let tenths = (2000 * Int128(part) + Int128(whole)) / (2 * Int128(whole))
        return "\(tenths / 10).\(tenths % 10) %"
    }

    // MARK: Rates

    private var rates: [Statement] {
        let rates = table.rates
        var statements: [Statement] = []
        if rates.attempts > 0 {
            let purchases = Cell.count(rates.succeeded)
            let last = rates.lastPurchase.map { "; the last on \(PeriodWords.dayAndTime(of: $0, by: clock))" } ?? ""
            statements.append(Statement("Purchases \(purchases) of \(.count(rates.attempts)) attempts\(last)"))
            let rate = Cell.ratio(rates.failed, of: rates.decided)
            let (decided, cancelled) = (Cell.count(rates.decided), Cell.count(rates.cancelled))
            let share = Cell.ratio(rates.cancelled, of: rates.attempts)
            let attempts = rates.decided == 1 ? "attempt that was" : "attempts that were"
            let text: Statement.Sentence =
                rates.deferred > 0
                ? "Failure rate \(rate) of \(decided) \(attempts) not cancelled or deferred; \(cancelled) cancelled (\(share)), \(Cell.count(rates.deferred)) deferred"
                : "Failure rate \(rate) of \(decided) \(attempts) not cancelled; \(cancelled) cancelled (\(share))"
            statements.append(Statement(text))
        }
        if rates.verifications > 0 {
            let rate = Cell.ratio(rates.failedVerifications, of: rates.verifications)
            let all = Cell.count(rates.verifications)
            statements.append(Statement("Verifications: \(rate) of \(all) responses failed"))
        }
        return statements
    }
}

/// The command that shows a record.
enum InspectCommand {
    /// The name of standard input among sources.
    private static let standardInput = "-"

    /// `nil` if the record cannot be read again: it was read from standard input, or its place is not known.
    static func text(for place: RecordPlace) -> String? {
        guard place.source != standardInput, place.document > 0 else { return nil }
        return "tillroll inspect \(ShellWord.path(place.source)) --document \(place.document)"
    }
}
