import TillCore
import TillLedger
import TillReportModel

/// The summary of the failures report: current failures, their beginning and their probable causes.
///
///     ONGOING since 31 March 00:00 UTC: ASDErrorDomain 500, "unhandled exception"
///     34 failures in 3 hours, 18.28 % of attempts (usually 1.02 %)
///     App 5.2.0 on OS 18.4: 33 of 34 failures (usually 6.00 % of events)
struct FailureVerdict {
    private let table: FailureTable
    private let clock: ReportClock

    /// The number of incidents shown in full.
    private static let mostIncidents = 3

    init(_ table: FailureTable) {
        self.table = table
        clock = table.calendar.clock
    }

    var statements: [Statement] { incidents + rates }

    /// The zone of the clock, behind an instant.
    private var zone: String { PeriodWords.zone(of: clock) }

    // MARK: Incidents

    private var incidents: [Statement] {
        let ongoing = table.incidents.filter(\.incident.isOngoing)
        guard !table.incidents.isEmpty else {
            return table.rows.isEmpty
                ? [Statement("No failures.")]
                : [Statement("No incident: no failure came far more often than expected.")]
        }
        let shown = ongoing.isEmpty ? Array(table.incidents.prefix(1)) : Array(ongoing.prefix(Self.mostIncidents))
        var statements = ongoing.isEmpty ? [Statement("No incident is ongoing. The latest one:")] : []
        statements += shown.flatMap(full)
        let more = table.incidents.count - shown.count
        if more > 0 {
            let others = ongoing.count > shown.count ? ", \(ongoing.count - shown.count) of them ongoing" : ""
            let incidents = more == 1 ? "incident" : "incidents"
            statements.append(Statement("\(.count(more)) more \(incidents)\(others): see Incidents"))
        }
        return statements
    }

    private func full(_ row: FailureTable.IncidentRow) -> [Statement] {
        let incident = row.incident
        let entry = table.entry(of: table[row.row])
        let name = table.name(of: table[row.row]) + (entry.map { ", \"\($0.name)\"" } ?? "")
        let since = PeriodWords.dayAndTime(of: incident.since, by: clock)
        let isOneDay = clock.day(of: incident.since) == clock.day(of: incident.until)
        let end = isOneDay ? clock.time(of: incident.until) : PeriodWords.dayAndTime(of: incident.until, by: clock)
        let headline = incident.isOngoing ? "ONGOING since \(since) \(zone)" : "\(since) to \(end) \(zone)"
        let advice = entry.map { entry in
            Statement("\(entry.advice)", weight: .detail, command: codesCommand(for: incident.key))
        }
        return [
            Statement("\(headline): \(name)", tone: incident.isOngoing ? .alarm : .plain), size(of: incident),
            cause(of: incident), advice,
        ].compactMap(\.self) + incident.examples.map(example)
    }

    private func size(of incident: Incident) -> Statement {
        let hours = incident.hours.count
        let time = hours == 1 ? "1 hour" : "\(hours) hours"
        let (share, usual) = (FailuresReport.share(of: incident), FailuresReport.usualShare(of: incident))
        guard share != .absent else {
            return Statement("\(.count(incident.count)) failures in \(time)", weight: .detail)
        }
        let what = incident.key.domain == FailureTable.verificationDomain ? "responses" : "attempts"
        let usually: Statement.Sentence = usual == .absent ? "" : " (usually \(usual))"
        return Statement(
            "\(.count(incident.count)) failures in \(time), \(share) of \(what)\(usually)",
            weight: .detail
        )
    }

    private func cause(of incident: Incident) -> Statement {
        guard let cause = incident.causes.first else {
            let sentence: Statement.Sentence = "No app version, OS version, storefront or product stands out."
            return Statement(sentence, weight: .detail)
        }
        let (part, whole) = (Cell.count(cause.share.part), Cell.count(cause.share.whole))
        let usual = Cell.ratio(cause.usualShare.part, of: cause.usualShare.whole)
        let name = Self.name(of: cause)
        return Statement(
            "\(name): \(part) of \(whole) failures (usually \(usual) of events)",
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

    // MARK: Rates

    private var rates: [Statement] {
        let rates = table.rates
        var statements: [Statement] = []
        if rates.attempts > 0 {
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
