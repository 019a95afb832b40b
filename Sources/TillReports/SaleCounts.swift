import TillLedger
import TillReportModel

/// A count of the coverage: booked sales of all periods of which something is not known, or was assumed.
struct SaleCount: Sendable {
    let column: Column
    let includes: @Sendable (SettledTransaction) -> Bool

    init(_ name: String, _ title: String, includes: @escaping @Sendable (SettledTransaction) -> Bool) {
        column = Column(name, title)
        self.includes = includes
    }

    /// Every such count, in the order in which they are told; a new one is a line here.
    static let all = [
        SaleCount("unpriced", "Unpriced") { $0.price == nil },
        SaleCount("undated", "Undated") { $0.purchaseDate == nil },
        SaleCount("assumed_quantity", "Assumed quantity") { $0.isQuantityAssumed },
    ]
}

/// How many sales each ``SaleCount`` includes.
struct SaleCounts {
    private var counts = Array(repeating: 0, count: SaleCount.all.count)

    mutating func count(_ transactions: [SettledTransaction]) {
        let all = SaleCount.all
        for transaction in transactions where transaction.isSale {
            for index in all.indices where all[index].includes(transaction) { counts[index] += 1 }
        }
    }

    /// The counts under their names.
    var facts: [(Column, Int)] { Array(zip(SaleCount.all.map(\.column), counts)) }
}
