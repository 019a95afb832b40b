import TillLedger
import TillReportModel

extension RestoresReport {
    /// The restore rates of the rows with the most restores and purchases.
    static func charts(of rows: [Row], by keys: [GroupKey]) -> [Chart] {
        let rated = rows.filter { $0.tally.eligible > 0 }.map { (name: $0.name, tally: $0.tally) }
        guard !rated.isEmpty else { return [] }
        let largest = rated.sorted { ($1.tally.eligible, $0.name) < ($0.tally.eligible, $1.name) }.prefix(mostBars)
        // Products instead of quotients, so that nothing is rounded before it is compared.
        let ranked = largest.sorted { left, right in
            let one = Int128(left.tally.restored) * Int128(right.tally.eligible)
            let other = Int128(right.tally.restored) * Int128(left.tally.eligible)
            return one == other ? left.name < right.name : one > other
        }
        let some = rated.count > mostBars ? " (the \(mostBars) with most purchases and restores)" : ""
        return [
            Chart(
                title: "Restore rate by \(keys.titleList)\(some)",
                kind: .bars,
                categoryTitle: keys.map(\.title).joined(separator: ", "),
                valueTitle: "Restores of restores and purchases",
                categories: ranked.map { .text($0.name) },
                series: [
                    Chart.Series(
                        title: "Restore rate",
                        values: ranked.map { .ratio($0.tally.restored, of: $0.tally.eligible) }
                    )
                ],
                notes: [
                    Chart.notDrawn(
                        rated.count - largest.count,
                        "other with fewer purchases and restores",
                        "others with fewer purchases and restores"
                    ),
                    Chart.notDrawn(
                        rows.count - rated.count,
                        "row without purchases and restores to rate",
                        "rows without purchases and restores to rate"
                    ),
                ].compactMap(\.self)
            )
        ]
    }

    private static let mostBars = 12
}
