import ArgumentParser
import TillLedger
import TillPipeline

/// Flags that decide how everything is settled once it has been read.
///
/// A partial carries them, and `merge` may choose anew; so each is `nil` where it was not given.
struct SettlingOptions: ParsableArguments {
    @Option(help: "The price list, CSV with product_id, currency, price and more.")
    var prices: String?

    @Option(help: "Book refunds in the month of the 'refund' (default) or of the 'purchase'.")
    var refundsBy: String?

    @Option(help: "Weeks of a month for MRR: 4 (default), or 4.345, which is what a month has.")
    var mrrWeekly: String?

    func validate() throws {
        if let refundsBy, LedgerRules.RefundDating(rawValue: refundsBy) == nil {
            throw ValidationError("--refunds-by takes 'refund' or 'purchase', not '\(refundsBy)'.")
        }
        if let mrrWeekly, Self.millionths(mrrWeekly) == nil {
            throw ValidationError("--mrr-weekly takes a number from 1 to 5, such as 4.345, not '\(mrrWeekly)'.")
        }
    }

    /// What was given, as on the command line.
    var given: [PartialHead.Option] {
        let values = [("prices", prices), ("refunds-by", refundsBy), ("mrr-weekly", mrrWeekly)]
        return values.compactMap { name, value in value.map { PartialHead.Option(name, $0) } }
    }

    /// The flags of a partial, with those given here in their place.
    func over(_ carried: [PartialHead.Option]) throws -> SettlingOptions {
        let names = Set(given.map(\.name))
        let options = carried.filter { !names.contains($0.name) } + given
        return try Self.parse(options.map { "--\($0.name)=\($0.value)" })
    }

    func apply(to run: inout ReportRun) {
        run.refundDating = refundsBy.flatMap(LedgerRules.RefundDating.init) ?? .refund
        run.pricePath = prices
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
