import TillCore
import TillReportModel

extension Chart {
    /// `Not drawn: 3 earlier months`; `nil` where there are none.
    static func notDrawn(_ count: Int, _ one: String, _ many: String) -> String? {
        count <= 0 ? nil : "Not drawn: \(count) \(count == 1 ? one : many)"
    }

    /// `Not drawn: 2 currencies with fewer rows: GBP, JPY`; `nil` where all are drawn.
    static func notDrawn(_ currencies: [CurrencyCode]) -> String? {
        let names = currencies.sorted().map(\.description).joined(separator: ", ")
        return notDrawn(currencies.count, "currency with fewer rows: \(names)", "currencies with fewer rows: \(names)")
    }
}

extension Section {
    /// The sum of a column of counts; 0 where the section has none of that name.
    func sum(of column: String) -> Int {
        guard let place = index(of: column) else { return 0 }
        return tableRows.reduce(0) { sum, row in
            guard case .count(let count) = row[place] else { return sum }
            return sum + Int(count)
        }
    }
}
