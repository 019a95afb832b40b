import TillLedger
import TillReportModel

/// A count of the section `coverage`: booked sales of all periods with an unknown or an assumed attribute.
struct SaleCount: Sendable {
    let name: String
    let title: String
    let includes: @Sendable (SettledTransaction) -> Bool

    init(_ name: String, _ title: String, includes: @escaping @Sendable (SettledTransaction) -> Bool) {
        self.name = name
        self.title = title
        self.includes = includes
    }

    /// Every such count, in the order of the section. A new one is a line here.
    static let all = [
        SaleCount("unpriced", "Unpriced") { $0.price == nil },
        SaleCount("undated", "Undated") { $0.purchaseDate == nil },
        SaleCount("assumed_quantity", "Assumed quantity") { $0.isQuantityAssumed },
        SaleCount("upgrades_unquantified", "Upgrades without a percentage") { $0.isUnquantifiedUpgrade },
    ]
}

/// How many sales each ``SaleCount`` includes.
struct SaleCounts: Summed {
    private var counts = Array(repeating: 0, count: SaleCount.all.count)

    mutating func count(_ transactions: [SettledTransaction]) {
        let all = SaleCount.all
        // By a span: an array gives a copy of each.
        let transactions = transactions.span
        for index in transactions.indices where transactions[index].isSale {
            for place in all.indices where all[place].includes(transactions[index]) { counts[place] += 1 }
        }
    }

    mutating func visitSums(_ coder: inout some SumCoder) throws {
        for index in counts.indices { try coder.add(&counts[index]) }
    }

    /// The sales that have no date, or none with a quantity.
    subscript(exception: ReportException) -> Int {
        SaleCount.all.firstIndex { $0.name == exception.rawValue }.map { counts[$0] } ?? 0
    }

    var facts: [Fact] { zip(SaleCount.all, counts).map { Fact($0.name, $0.title, .count($1)) } }
}
