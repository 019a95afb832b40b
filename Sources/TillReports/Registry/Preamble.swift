import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// A fact of a record: its name, its title and its value.
struct Fact {
    let column: Column
    let cell: Cell

    init(_ name: String, _ title: String, _ cell: Cell, isForPrograms: Bool = false) {
        var column = Column(name, title)
        column.isForPrograms = isForPrograms
        self.column = column
        self.cell = cell
    }
}

extension Section {
    /// A record of facts.
    init(name: String, title: String, facts: [Fact], role: Role) {
        self.init(
            name: name,
            title: title,
            columns: facts.map(\.column),
            content: .record(facts.map(\.cell)),
            role: role
        )
    }
}

/// The sections that say by which choices the figures were made, and from which input.
enum Preamble {
    /// The settings that every report states, and those that the user chose.
    ///
    /// - Parameter tellsDataEnd: whether the report asks how recent the data are.
    static func settings(of ledger: borrowing SettledLedger, tellsDataEnd: Bool = true) -> Section {
        let rules = ledger.rules
        var facts = [
            Fact("calendar", "Calendar", .word(rules.calendar.kind.rawValue, rules.calendar.kind.words)),
            Fact("tz", "Time zone", .text(rules.calendar.zone.name)),
            Fact("refunds_by", "Refunds", .word(rules.refundDating.rawValue, rules.refundDating.words)),
            Fact("environment", "Environment", .list(ledger.environments.words)),
            Fact("trust", "Signatures", .word(rules.trust, words(ofTrust: rules.trust))),
        ]
        if !rules.bundleIDs.isEmpty { facts.append(Fact("bundle_id", "App", .list(rules.bundleIDs))) }
        if tellsDataEnd, let asOf = rules.asOf { facts.append(Fact("as_of", "Data to", .text(DayName.text(asOf)))) }
        if let day = rules.completeDay { facts.append(Fact("complete", "Complete to", .text(DayName.text(day)))) }
        if let period = rules.selectedPeriod {
            if let name = period.name { facts.append(Fact("period", "Period", .text(name))) }
            if let from = period.from { facts.append(Fact("since", "From", .instant(from))) }
            if let until = period.until { facts.append(Fact("until", "To before", .instant(until))) }
        }
        if let keys = rules.keys { facts.append(Fact("by", "Rows by", .list(keys.map(\.rawValue)))) }
        facts += money(rules)
        if let comparison = rules.comparison {
            facts.append(Fact("compare", "Compared with", name(of: comparison)))
        }
        if let closed = rules.closed { facts.append(Fact("closed", "Closed months", .text(closed.name))) }
        return Section(name: "settings", title: "Settings", facts: facts, role: .settings)
    }

    /// The settings of conversion, rounding and proceeds.
    private static func money(_ rules: LedgerRules) -> [Fact] {
        var facts: [Fact] = []
        if let conversion = rules.conversion {
            facts += [
                Fact("base_currency", "Base currency", .text(conversion.base.description)),
                Fact("fx", "FX rates", .list(conversion.sources)),
                Fact("fx_date", "FX rate", .word(conversion.dateRule.rawValue, conversion.dateRule.words)),
                Fact("fx_gap", "Missing rates", .word(conversion.gapRule.rawValue, gapWords(conversion))),
                Fact("fx_max_gap", "Days at most", .count(conversion.longestGap), isForPrograms: true),
            ]
            if conversion.hasPegs { facts.append(Fact("fx_peg", "Pegs", .text("AED, SAR and QAR by their pegs"))) }
        }
        if rules.conversion != nil || rules.knowsFees {
            facts.append(Fact("rounding", "Rounding", .word(rules.rounding.rawValue, rules.rounding.words)))
        }
        if let file = rules.taxFile { facts.append(Fact("tax", "Tax", .text(file))) }
        if rules.hasNoTax { facts.append(Fact("tax", "Tax", .text("none in prices that have no known tax"))) }
        if rules.knowsCommission {
            facts.append(Fact("proceeds", "Proceeds", .text("estimated")))
            if let commission = rules.commission {
                facts.append(Fact("commission", "Commission", .decimal(millionths: commission)))
            }
            if let file = rules.commissionFile { facts.append(Fact("commission", "Commission", .text(file))) }
            if let rate = rules.secondYearRate {
                facts.append(Fact("second_year_rate", "Second year (est.)", .decimal(millionths: rate)))
            }
        }
        return facts
    }

    private static func name(of comparison: Comparison) -> Cell {
        switch comparison {
        case .month: .word("month", "the month before")
        case .year: .word("year", "the year before")
        case .report(let report): .text(report.name)
        }
    }

    /// `previous day, up to 7 days back`
    private static func gapWords(_ conversion: Conversion) -> String {
        let days = conversion.longestGap == 1 ? "1 day" : "\(conversion.longestGap) days"
        return switch conversion.gapRule {
        case .previous: "previous day, up to \(days) back"
        case .next: "next day, up to \(days) on"
        case .fail: "none may be missing"
        }
    }

    /// The words for a check of signatures; an unknown word is kept unchanged.
    private static func words(ofTrust word: String) -> String {
        switch word {
        case "check": "checked; untrusted documents are not booked"
        case "require": "required; only trusted documents count"
        case "off": "not checked"
        default: word
        }
    }
}

/// Counts of the input.
public struct InputSummary: Sendable {
    /// Accepted and rejected documents.
    public var documents: Int
    /// Documents that were read, including those of other apps.
    public var accepted: Int
    /// Documents that could not be read.
    public var rejected: Int
    /// Bytes of the documents and their separators, decompressed.
    public var bytes: Int
    /// Accepted documents that were left out because they belong to other apps than the selected ones.
    public var foreign: Int

    /// Needs `accepted` + `rejected` as `documents`; the `foreign` ones are among the accepted ones.
    public init(documents: Int, accepted: Int, rejected: Int, bytes: Int, foreign: Int = 0) {
        self.foreign = foreign
        self.documents = documents
        self.accepted = accepted
        self.rejected = rejected
        self.bytes = bytes
    }

    /// Adds the counts of another part of the input.
    public mutating func add(_ other: InputSummary) {
        documents += other.documents
        accepted += other.accepted
        rejected += other.rejected
        bytes += other.bytes
        foreign += other.foreign
    }

    /// The basis of the figures, and their omissions.
    func coverage(
        of ledger: borrowing SettledLedger,
        _ coverageCounts: CoverageCounts,
        _ sales: SaleCounts,
        otherEnvironment: Int
    ) -> Section {
        let facts = [
            Fact("documents", "Documents", .count(documents)), Fact("accepted", "Accepted", .count(accepted)),
            Fact("rejected", "Rejected", .count(rejected)), Fact("rows", "Rows", .count(ledger.rowCount)),
            Fact("unique_transactions", "Unique", .count(ledger.uniqueCount)),
            Fact("production", "Production", .count(coverageCounts.production)),
            Fact("sandbox", "Sandbox", .count(coverageCounts.sandbox)),
            Fact("xcode", "Xcode", .count(coverageCounts.xcode)),
            Fact("local_testing", "Local testing", .count(coverageCounts.localTesting)),
            Fact("unknown_environment", "Unknown environment", .count(coverageCounts.unknownEnvironment)),
            Fact("other_environment", "Other environment", .count(otherEnvironment)),
            Fact("not_counted", "Not counted", .count(coverageCounts.notCounted)),
            Fact("family_shared", "Family shared", .count(coverageCounts.familyShared)),
        ]
        let doubts = [
            Fact("conflicts", "Conflicts", .count(coverageCounts.conflicts)),
            Fact("changed_by_unsigned", "Changed by unsigned copies", .count(coverageCounts.changedByUnsigned)),
            Fact("untrusted", "Untrusted rows", .count(ledger.trust.untrustedRows)),
            Fact("foreign", "Documents of other apps", .count(foreign)),
            Fact("withheld", "Withheld rows", .count(ledger.withheld)),
            Fact("unread", "Unread values", .count(ledger.unreadCount)),
        ]
        return Section(name: "coverage", title: "Coverage", facts: facts + sales.facts + doubts, role: .coverage)
    }

    /// The documents omitted by the check of signatures and the selection of apps; no section if neither applies.
    func trustSection(of ledger: borrowing SettledLedger) -> [Section] {
        let tally = ledger.trust
        guard tally.hasSigned || !ledger.rules.bundleIDs.isEmpty else { return [] }
        let facts = [
            Fact("trusted", "Trusted", .count(tally.trusted)), Fact("untrusted", "Untrusted", .count(tally.untrusted)),
            Fact("unanchored", "Unanchored", .count(tally.unanchored)),
            Fact("unsigned", "Unsigned", .count(tally.unsigned)),
            Fact("untrusted_transactions", "Transactions not booked", .count(tally.untrustedRows)),
            Fact("foreign", "Of other apps", .count(foreign)),
        ]
        return [Section(name: "trust", title: "Trust", facts: facts, role: .trust)]
    }

    func section(of ledger: borrowing SettledLedger) -> Section {
        let facts = [
            Fact("documents", "Documents", .count(documents)), Fact("accepted", "Accepted", .count(accepted)),
            Fact("rejected", "Rejected", .count(rejected)), Fact("bytes", "Bytes", .count(bytes)),
            Fact("transactions", "Transactions", .count(ledger.rowCount)),
            Fact("unique_transactions", "Unique transactions", .count(ledger.uniqueCount)),
        ]
        return Section(name: "input", title: "Input", facts: facts, role: .input)
    }
}
