import TillColumns
import TillCore

extension SettledLedger {
    /// Gives the ledger to `body` part by part: whole chains, each in one part. One that fits its memory is one part.
    ///
    /// Codes of products, environments and all else that tells rows apart are the same in all parts; numbers of
    /// transactions are not, and neither are questions about the whole, such as ``failures``, for a part.
    public func forEachPart(_ body: (borrowing SettledLedger) throws -> Void) throws {
        guard parts.count > 0 else { return try body(self) }
        let latest = try latestChargeOfParts()
        for run in 0..<parts.count { try withPart(run, latestCharge: latest, body) }
    }

    private func withPart(
        _ run: Int,
        latestCharge: Int64?,
        _ body: (borrowing SettledLedger) throws -> Void
    ) throws {
        let part = try part(run, latestCharge: latestCharge)
        try body(part)
    }

    private func part(_ run: Int, latestCharge: Int64?) throws -> SettledLedger {
        var ledger = Ledger(environments: environments, needs: needs)
        ledger.texts = texts
        ledger.evidence = EvidenceLog(sources: evidence.sources)
        ledger.subscriptions.see(at: subscriptions.newest)
        try parts.decode(run, into: &ledger)
        return SettledLedger(
            ledger,
            rules: rules,
            latestCharge: latestCharge,
            partStore: allowance?.store,
            partNumber: run
        )
    }

    /// When the latest charge of a subscription was made, which decides up to when anything is known; `nil` where no
    /// report asks or a document is later than every purchase. Else the parts are gone through once more.
    private func latestChargeOfParts() throws -> Int64? {
        guard needs.contains(.subscriptions), let purchase = moved.latestPurchase,
            purchase > subscriptions.newest ?? .min
        else { return nil }
        var sales = SubscriptionSales()
        for run in 0..<parts.count {
            try withPart(run, latestCharge: nil) { part in try part.forEachTransaction { sales.see($0) } }
        }
        return sales.latest
    }
}
