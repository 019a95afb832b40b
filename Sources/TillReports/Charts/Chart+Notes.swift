import TillCore
import TillReportModel

extension Chart {
    /// `Not drawn: 3 earlier months`; `nil` where the count is 0.
    static func notDrawn(_ count: Int, _ one: String, _ many: String) -> String? {
        count <= 0 ? nil : "Not drawn: \(count) \(count == 1 ? one : many)"
    }

    /// `Not drawn: 2 currencies with fewer rows: GBP, JPY`; `nil` where all are drawn.
    static func notDrawn(_ currencies: [CurrencyCode]) -> String? {
        let names = currencies.sorted().map(\.description).joined(separator: ", ")
        return notDrawn(currencies.count, "currency with fewer rows: \(names)", "currencies with fewer rows: \(names)")
    }
}
