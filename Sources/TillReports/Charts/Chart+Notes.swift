import TillCore
import TillReportModel

extension Chart {
    /// `Not drawn: 3 earlier months`; `nil` if the count is 0.
    static func notDrawn(_ count: Int, _ one: String, _ many: String) -> String? {
        count <= 0 ? nil : "Not drawn: \(count) \(count == 1 ? one : many)"
    }

    /// `Not drawn: 2 smaller currencies: GBP, JPY`; `nil` if all are drawn.
    static func notDrawn(_ currencies: [CurrencyCode]) -> String? {
        let names = currencies.sorted().map(\.description).joined(separator: ", ")
        return notDrawn(currencies.count, "smaller currency: \(names)", "smaller currencies: \(names)")
    }

    /// Whether the chart shows more than a single bar, and more than zeros. Otherwise a table says more.
    var isWorthDrawing: Bool {
        let values = series.flatMap(\.values)
        guard values.contains(where: \.isVisible) else { return false }
        switch kind {
        case .stackedColumns, .lines, .panels, .bars:
            let known = categories.indices.count { index in
                series.contains { $0.values.indices.contains(index) && $0.values[index] != .absent }
            }
            return known > 1
        case .heatMap: return values.count { $0 != .absent } > 1
        // The first and the last step are amounts, those between them are changes.
        case .waterfall: return values.dropFirst().dropLast().contains(where: \.isVisible)
        }
    }
}

extension Cell {
    /// Whether the value is a number other than 0.
    fileprivate var isVisible: Bool {
        switch self {
        case .count(let value), .code(let value), .decimal(let value): value != 0
        case .money(let money): money.millionths != 0
        case .ratio(let part, let whole): part != 0 && whole != 0
        case .absent, .text, .word, .instant, .list, .records, .flag: false
        }
    }
}
