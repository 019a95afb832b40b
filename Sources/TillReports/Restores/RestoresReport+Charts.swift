import TillLedger
import TillReportModel

extension RestoresReport {
    /// The restore rates of the rows with the most restores and purchases.
    static func charts(of rows: Cube) -> [Chart] {
        // By name: `pro · 2026-03`.
        let rated = rows.groups.map { group in
            (
                name: rows.keys.indices.map { rows.name(of: group, at: $0) ?? "unknown" }.joined(separator: " · "),
                restored: rows[group, 0][Field.restored.rawValue], eligible: rows[group, 0][Field.eligible.rawValue]
            )
        }
        .filter { $0.eligible > 0 }
        guard !rated.isEmpty else { return [] }
        let largest = rated.sorted { ($1.eligible, $0.name) < ($0.eligible, $1.name) }.prefix(mostBars)
        // Products instead of quotients, so that nothing is rounded before it is compared.
        let ranked = largest.sorted { left, right in
            let (one, other) = (left.restored * right.eligible, right.restored * left.eligible)
            return one == other ? left.name < right.name : one > other
        }
        let some = rated.count > mostBars ? " (the \(mostBars) with most purchases and restores)" : ""
        return [
            Chart(
                title: "Restore rate by \(rows.keys.titleList)\(some)",
                kind: .bars,
                categoryTitle: rows.keys.map(\.title).joined(separator: ", "),
                valueTitle: "Restores of restores and purchases",
                categories: ranked.map { .text($0.name) },
                series: [
                    Chart.Series(
                        title: "Restore rate",
                        values: ranked.map { .ratio($0.restored, of: $0.eligible) }
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
