import TillLedger
import TillRender
import TillReports
import TillTestSupport

/// What programs read of a report on `rows`.
func json(
    _ name: String,
    _ rows: Rows,
    environments: EnvironmentFilter = .booked,
    rules: LedgerRules = LedgerRules()
) throws -> String {
    try json(name, rows.settled(environments: environments, rules: rules))
}

func json(
    _ name: String,
    _ ledger: borrowing SettledLedger,
    input: InputSummary = InputSummary(documents: 5, accepted: 4, rejected: 1, bytes: 1000)
) throws -> String {
    guard let document = try ReportRegistry.document(named: name, of: ledger, input: input) else { return "" }
    return String(decoding: JSONRenderer().render(document, options: RenderOptions()), as: UTF8.self)
}

/// The lines of a report below `settings`, which every test but one may pass over.
func findings(
    _ name: String,
    _ rows: Rows,
    environments: EnvironmentFilter = .booked,
    rules: LedgerRules = LedgerRules()
) throws -> String {
    let text = try json(name, rows, environments: environments, rules: rules)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.drop { !$0.hasPrefix("\"settings\"") }.dropFirst().joined(separator: "\n")
}
