import Testing
import TillLedger
import TillRender
import TillReports
import TillTestSupport

/// The JSON of a report on `rows`.
func json(
    _ name: String,
    _ rows: Rows,
    environments: EnvironmentFilter = .booked,
    rules: LedgerRules = LedgerRules()
) throws -> String {
    let needs = ReportRegistry.needs(of: name)
    return try json(name, rows.settled(environments: environments, rules: rules, needs: needs))
}

func json(
    _ name: String,
    _ ledger: borrowing SettledLedger,
    input: InputSummary = InputSummary(documents: 5, accepted: 4, rejected: 1, bytes: 1000)
) throws -> String {
    let document = try #require(try ReportRegistry.document(named: name, of: ledger, input: input), "no report \(name)")
    return String(decoding: JSONRenderer().render(document, options: RenderOptions()), as: UTF8.self)
}

/// The JSON of a report and what people read of it, charts included.
func jsonAndText(_ name: String, _ ledger: borrowing SettledLedger) throws -> String {
    let input = InputSummary(documents: 5, accepted: 4, rejected: 1, bytes: 1000)
    let document = try #require(try ReportRegistry.document(named: name, of: ledger, input: input), "no report \(name)")
    let bytes =
        JSONRenderer().render(document, options: RenderOptions())
        + TableRenderer().render(document, options: RenderOptions())
    return String(decoding: bytes, as: UTF8.self)
}

/// The JSON of a report without its coverage, which has a test of its own.
func jsonWithoutCoverage(_ name: String, _ rows: Rows, rules: LedgerRules = LedgerRules()) throws -> String {
    let text = try json(name, rows, rules: rules)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let coverage = try #require(lines.firstIndex { $0.hasPrefix("\"coverage\"") }, "a report without coverage")
    // The comma that led to the coverage goes with it.
    return lines[..<coverage].joined(separator: "\n").dropLast() + "}\n"
}

/// The JSON of a report below `settings`, without its summary, which ``summary(_:_:rules:)`` gives, and its coverage.
func findings(_ name: String, _ rows: Rows, rules: LedgerRules = LedgerRules()) throws -> String {
    let text = try jsonWithoutCoverage(name, rows, rules: rules)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.drop { !$0.hasPrefix("\"settings\"") }.dropFirst().filter { !$0.hasPrefix("\"summary\"") }
        .joined(separator: "\n")
}

/// JSON of revenue without the parts of amounts, which `ProceedsTests` is about.
func withoutParts(_ text: String) -> String {
    text.replacing(/,"(converted_)?(tax|without_tax|commission|proceeds)":[^,}]*/, with: "")
        .replacing(/,"(untaxed|uncommissioned)_transactions":\d+/, with: "")
}

/// The object of a report's summary.
func summary(_ name: String, _ rows: Rows, rules: LedgerRules = LedgerRules()) throws -> String {
    let lines = try json(name, rows, rules: rules).split(separator: "\n")
    let line = try #require(lines.first { $0.hasPrefix("\"summary\"") }, "a report without a summary")
    return String(line.dropFirst("\"summary\":".count).dropLast())
}

/// The first line in which two reports differ, in both.
func difference(_ left: String, _ right: String) -> String {
    let lines = [left, right].map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
    if let pair = zip(lines[0], lines[1]).first(where: { $0 != $1 }) { return "\(pair.0) | \(pair.1)" }
    return lines[0].count == lines[1].count ? "" : "\(lines[0].count) lines | \(lines[1].count) lines"
}
