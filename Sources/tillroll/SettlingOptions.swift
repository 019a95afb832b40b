import ArgumentParser
import TillLedger
import TillPipeline
import TillPricing

/// Flags that decide how everything is settled once it has been read.
///
/// A partial carries them, and `merge` may choose anew; so each is `nil` where it was not given.
struct SettlingOptions: ParsableArguments {
    @OptionGroup(title: "Period")
    var period: PeriodOptions

    @OptionGroup(title: "Money")
    var money: MoneyOptions

    @OptionGroup(title: "Rows")
    var grouping: GroupingOptions

    static let mrrWeeklyHelp: ArgumentHelp =
        "Weeks of a month for MRR: 4 (default), or 4.345, which is what a month has."

    @Option(help: Self.mrrWeeklyHelp)
    var mrrWeekly: String?

    func validate() throws {
        try Self.check(mrrWeekly: mrrWeekly)
    }

    static func check(mrrWeekly: String?) throws {
        if let mrrWeekly, millionths(mrrWeekly) == nil {
            throw ValidationError("--mrr-weekly takes a number from 1 to 5, such as 4.345, not '\(mrrWeekly)'.")
        }
    }

    /// What was given, as on the command line; a flag without a value has an empty one.
    var given: [PartialHead.Option] {
        let values: [(String, String?)] = [
            ("month", period.month), ("fiscal", period.fiscal), ("fiscal-month", period.fiscalMonth),
            ("since", period.since), ("until", period.until), ("calendar", period.calendar?.rawValue),
            ("tz", period.tz), ("prices", money.prices.first), ("default-territory", money.defaultTerritory),
            ("refunds-by", money.refundsBy?.rawValue), ("base-currency", money.baseCurrency),
            ("fx-date", money.fxDate?.rawValue), ("fx-gap", money.fxGap?.rawValue),
            ("fx-max-gap", money.fxMaxGap.map { String($0) }), ("fx-peg", money.fxPeg ? "" : nil),
            ("rounding", money.rounding?.rawValue), ("commission", money.commission), ("by", grouping.by),
            ("compare", grouping.compare), ("mrr-weekly", mrrWeekly),
        ]
        return values.compactMap { name, value in value.map { PartialHead.Option(name, $0) } }
            + money.catalogue.map { PartialHead.Option("catalogue", $0) }
            + money.fx.map { PartialHead.Option("fx", $0) }
    }

    /// The flags of a partial, with those given here in their place.
    func over(_ carried: [PartialHead.Option]) throws -> SettlingOptions {
        let names = Set(given.map(\.name))
        let options = carried.filter { !names.contains($0.name) } + given
        return try Self.parse(options.map { $0.name == "fx-peg" ? "--fx-peg" : "--\($0.name)=\($0.value)" })
    }

    func apply(to run: inout ReportRun) {
        period.apply(to: &run.finance)
        money.apply(to: &run.finance)
        grouping.apply(to: &run.finance)
        run.weeksPerMonthMillionths = mrrWeekly.flatMap(Self.millionths)
        run.settling = given
    }

    /// A decimal number from 1 to 5 in millionths.
    private static func millionths(_ text: String) -> Int64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? String(parts[1]) : ""
        guard let first = parts.first, let whole = Int64(first), (1...5).contains(whole), fraction.utf8.count <= 6,
            fraction.utf8.allSatisfy({ (0x30...0x39).contains($0) }), parts.count == 1 || !fraction.isEmpty
        else { return nil }
        let rest = Int64(fraction + String(repeating: "0", count: 6 - fraction.utf8.count)) ?? 0
        let value = whole * 1_000_000 + rest
        return value <= 5_000_000 ? value : nil
    }
}
