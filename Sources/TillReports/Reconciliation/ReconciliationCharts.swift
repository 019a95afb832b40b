import TillCore
import TillPricing
import TillReportModel

/// How our net becomes Apple's proceeds: a waterfall for each currency, of those with the most rows.
///
/// Only rows with proceeds in the customer's currency count. The steps are the differences of net by cause, subtracted
/// from our net, and then Apple's share.
struct ReconciliationCharts {
    let rows: [ReconciliationRow]

    private static let mostCharts = 4

    /// The causes in the order of the steps.
    private static let steps: [ReconciliationCause] = [
        .unpriced, .missingHere, .missingAtApple, .price, .cutoff, .refundTiming, .mixed,
    ]

    private struct Sums {
        var ours: Int128 = 0
        /// The effect of each cause on our net.
        var changes: [ReconciliationCause: Int128] = [:]
        var apple: Int128 = 0
        var proceeds: Int128 = 0
        var rows = 0
    }

    func charts() -> [Chart] {
        var sums: [CurrencyCode: Sums] = [:]
        var foreign = 0
        for row in rows {
            guard let currency = row.currency else { continue }
            let proceeds: Int128
            switch row.measures.proceeds {
            // A row that Apple does not have belongs to the difference all the same.
            case .none: proceeds = 0
            case .amount(let amount, let paid) where paid ?? currency == currency: proceeds = amount
            case .amount, .mixed:
                foreign += 1
                continue
            }
            let ours = (row.measures.gross ?? 0) - (row.measures.refunds ?? 0)
            sums[currency, default: Sums()].ours += ours
            sums[currency, default: Sums()].changes[row.cause, default: 0] += row.measures.appleNet - ours
            sums[currency, default: Sums()].apple += row.measures.appleNet
            sums[currency, default: Sums()].proceeds += proceeds
            sums[currency, default: Sums()].rows += 1
        }
        let ranked = sums.sorted { ($1.value.rows, $0.key) < ($0.value.rows, $1.key) }
        let notes = [
            Chart.notDrawn(
                foreign,
                "row that Apple pays in other currencies",
                "rows that Apple pays in other currencies"
            ),
            Chart.notDrawn(ranked.dropFirst(Self.mostCharts).map(\.key)),
        ].compactMap(\.self)
        return ranked.prefix(Self.mostCharts).sorted { $0.key < $1.key }.map { chart(of: $0.value, $0.key, notes) }
    }

    private func chart(of sums: Sums, _ currency: CurrencyCode, _ notes: [String]) -> Chart {
        // The step of unpriced rows brings Apple's figure for them; ours is not known.
        let first = sums.changes[.unpriced] == nil ? "our net" : "our net, priced rows"
        var steps: [(name: String, amount: Int128)] = [(first, sums.ours)]
        for cause in Self.steps {
            guard let change = sums.changes[cause], change != 0 else { continue }
            steps.append((cause.title, change))
        }
        steps.append(("tax and commission", sums.proceeds - sums.apple))
        steps.append(("proceeds", sums.proceeds))
        return Chart(
            title: "From our customer sales to Apple's proceeds, \(currency)",
            kind: .waterfall,
            categoryTitle: "Step",
            valueTitle: "Amount, \(currency)",
            categories: steps.map { .text($0.name) },
            series: [Chart.Series(title: "Amount", values: steps.map { .money($0.amount, currency) })],
            notes: notes
        )
    }
}
