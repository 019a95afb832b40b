import TillColumns
import TillCore

/// A sale made for an account of the seller.
package struct AccountSale {
    package var account: UInt64
    /// The fingerprint of the chain: equal for all sales of one subscription.
    package var chain: UInt128
    /// A hash of the app transaction, which each App Store account has once; 0 if the sale has none.
    package var appTransaction: UInt128 = 0
    /// The product's number in entries; 0 for one that can be bought again.
    package var product: Int32 = 0
    package var date = TransactionEntry.unknown
    /// The word of the transaction's id.
    package var identifier = TransactionEntry.unknown

    package init(account: UInt64, chain: UInt128) {
        (self.account, self.chain) = (account, chain)
    }
}

/// Accounts with several probable payers, the most payers first; the others are only counted.
struct AccountRanking: Sendable {
    private(set) var worst: [(account: UInt64, anomaly: AccountAnomaly)] = []
    private(set) var count = 0

    /// Ranks sales. They must be all sales of their accounts.
    mutating func rank(_ sales: inout [AccountSale], _ texts: borrowing TextDictionary) {
        sales.sort { ($0.account, $0.chain, $0.date) < ($1.account, $1.chain, $1.date) }
        var first = 0
        for index in sales.indices where index + 1 == sales.count || sales[index].account != sales[index + 1].account {
            if let anomaly = Self.anomaly(of: sales[first...index], texts) {
                count += 1
                worst.append((sales[index].account, anomaly))
            }
            first = index + 1
        }
        keepWorst()
    }

    private mutating func keepWorst() {
        worst.sort { left, right in
            let (mine, other) = (left.anomaly, right.anomaly)
            if mine.storeAccounts != other.storeAccounts { return mine.storeAccounts > other.storeAccounts }
            return mine.chains != other.chains ? mine.chains > other.chains : left.account < right.account
        }
        worst.removeSubrange(min(worst.count, AnomalyFindings.accountLimit)...)
    }

    /// Adds the accounts of other sales; no account may be in both.
    mutating func visitSums(_ coder: inout some SumCoder) throws {
        try coder.add(&count)
        let elements = try coder.elements(worst.count)
        guard elements <= AnomalyFindings.accountLimit else { throw coder.refusal("\(elements) accounts") }
        for place in 0..<elements {
            let known = coder.isReading ? nil : worst[place]
            var account = Int64(bitPattern: known?.account ?? 0)
            var anomaly = known?.anomaly ?? AccountAnomaly()
            try coder.value(&account)
            try anomaly.visitSums(&coder)
            if coder.isReading { worst.append((UInt64(bitPattern: account), anomaly)) }
        }
        if coder.isReading { keepWorst() }
    }

    /// An App Store account, identified by its app transaction, else by a chain that only this account can have.
    private enum Payer: Hashable {
        case appTransaction(UInt128)
        case chain(UInt128)
    }

    /// The anomaly of the sales of one account, which are sorted by chain and date; `nil` if there is none.
    private static func anomaly(
        of sales: ArraySlice<AccountSale>,
        _ texts: borrowing TextDictionary
    ) -> AccountAnomaly? {
        var anomaly = AccountAnomaly()
        var products: [Int32: Set<Payer>] = [:]
        var appTransactions: Set<UInt128> = []
        var starts: [Int64] = []
        var first = sales.startIndex
        for index in sales.indices where index + 1 == sales.endIndex || sales[index].chain != sales[index + 1].chain {
            let chain = sales[first...index]
            first = index + 1
            anomaly.chains += 1
            if let start = chain.first?.date, start != TransactionEntry.unknown { starts.append(start) }
            for sale in chain where sale.date != TransactionEntry.unknown {
                anomaly.first = min(anomaly.first, sale.date)
                anomaly.last = max(anomaly.last, sale.date)
            }
            let appTransaction = chain.lazy.map(\.appTransaction).max() ?? 0
            if appTransaction != 0 {
                appTransactions.insert(appTransaction)
                anomaly.identifiedChains += 1
            }
            let payer = appTransaction == 0 ? Payer.chain(sales[index].chain) : .appTransaction(appTransaction)
            for sale in chain where sale.product > 0 { products[sale.product, default: []].insert(payer) }
        }
        anomaly.storeAccounts = max(1, appTransactions.count, products.values.lazy.map(\.count).max() ?? 1)
        anomaly.mostInDay = mostInDay(starts.sorted())
        guard anomaly.storeAccounts > 1 || anomaly.mostInDay >= AccountAnomaly.burst else { return nil }
        anomaly.examples = AnomalyCount.examples(of: sales.map(\.identifier), texts)
        return anomaly
    }

    private static func mostInDay(_ sorted: [Int64]) -> Int {
        var (first, most) = (0, 0)
        for (index, date) in sorted.enumerated() {
            while date.subtractingReportingOverflow(sorted[first]).overflow
                || date - sorted[first] >= Timestamp.millisecondsPerDay
            {
                first += 1
            }
            most = max(most, index - first + 1)
        }
        return most
    }
}
