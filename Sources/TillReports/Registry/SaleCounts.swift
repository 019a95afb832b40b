import TillLedger
import TillReportModel

/// A count of the section `coverage`: booked sales of all periods with an unknown or an assumed attribute. They are in
/// the order of the section.
enum SaleCount: String, CaseIterable {
    case unpriced, undated
    case assumedQuantity = "assumed_quantity"
    case upgradesUnquantified = "upgrades_unquantified"
    case otherPeriod = "other_period"
    case withoutExpiry = "without_expiry"
    case refundBeforePurchase = "refund_before_purchase"

    var title: String {
        switch self {
        case .unpriced: "Unpriced"
        case .undated: "Undated"
        case .assumedQuantity: "Assumed quantity"
        case .upgradesUnquantified: "Upgrades without a percentage"
        case .otherPeriod: "Listed for another period"
        case .withoutExpiry: "Without expiry"
        case .refundBeforePurchase: "Refunded before the purchase"
        }
    }

    @inline(__always)  // A call would copy the whole transaction.
    func includes(_ sale: SettledTransaction) -> Bool {
        switch self {
        case .unpriced: sale.price == nil
        case .undated: sale.purchaseDate == nil
        case .assumedQuantity: sale.isQuantityAssumed
        case .upgradesUnquantified: sale.isUnquantifiedUpgrade
        case .otherPeriod: sale.isOfOtherPeriod
        case .withoutExpiry: sale.isWithoutExpiry
        case .refundBeforePurchase: sale.isRefundEarly
        }
    }
}

/// How many sales each ``SaleCount`` includes.
struct SaleCounts: Summed {
    private var counts = Array(repeating: 0, count: SaleCount.allCases.count)

    mutating func count(_ transactions: [SettledTransaction]) {
        let all = SaleCount.allCases
        // By a span: an array gives a copy of each.
        let transactions = transactions.span
        for index in transactions.indices where transactions[index].isSale {
            for place in all.indices where all[place].includes(transactions[index]) { counts[place] += 1 }
        }
    }

    mutating func visitSums(_ coder: inout some SumCoder) throws {
        for index in counts.indices { try coder.add(&counts[index]) }
    }

    /// The sales that an exception of the same name counts.
    subscript(exception: ReportException) -> Int {
        SaleCount.allCases.firstIndex { $0.rawValue == exception.rawValue }.map { counts[$0] } ?? 0
    }

    var facts: [Fact] { zip(SaleCount.allCases, counts).map { Fact($0.rawValue, $0.title, .count($1)) } }
}
