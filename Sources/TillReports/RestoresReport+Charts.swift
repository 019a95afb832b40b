import TillReportModel

extension RestoresReport {
    /// The restore rates of the rows with the most restores and purchases.
    static func charts(of table: Section) -> [Chart] {
        guard let rate = table.index(of: "rate") else { return [] }
        let keys = table.columns.indices.filter { table.columns[$0].isKey }
        let rows = table.tableRows.compactMap { row -> (name: String, part: Int64, whole: Int64)? in
            guard case .ratio(let part, let whole) = row[rate], whole > 0 else { return nil }
            return (keys.map { row[$0].name(orElse: "unknown") }.joined(separator: " · "), part, whole)
        }
        guard !rows.isEmpty else { return [] }
        let largest = rows.sorted { ($1.whole, $0.name) < ($0.whole, $1.name) }.prefix(mostBars)
        // Cross-multiplied, so that no share is rounded before it is compared.
        let ranked = largest.sorted { left, right in
            let (one, other) = (Int128(left.part) * Int128(right.whole), Int128(right.part) * Int128(left.whole))
            return one == other ? left.name < right.name : one > other
        }
        let rateless = table.tableRows.count - rows.count
        let some = rows.count > mostBars ? " (the \(mostBars) with most purchases and restores)" : ""
        return [
            Chart(
                title: "Restore rate \(table.title.lowercased())\(some)",
                kind: .bars,
                categoryTitle: keys.map { table.columns[$0].title }.joined(separator: ", "),
                valueTitle: "Restores of restores and purchases",
                categories: ranked.map { .text($0.name) },
                series: [Chart.Series(title: "Restore rate", values: ranked.map { .ratio($0.part, of: $0.whole) })],
                notes: [
                    Chart.notDrawn(
                        rows.count - largest.count,
                        "other with fewer purchases and restores",
                        "others with fewer purchases and restores"
                    ),
                    Chart.notDrawn(
                        rateless,
                        "row without purchases and restores to rate",
                        "rows without purchases and restores to rate"
                    ),
                ].compactMap(\.self)
            )
        ]
    }

    private static let mostBars = 12
}
