import TillColumns
public import TillLedger
public import TillPricing
import TillReference
public import TillRows

/// Rows of several tables, as tests write them.
public struct Rows: Sendable {
    public var transactions: [Row<TransactionColumn>]
    public var documents: [Row<DocumentColumn>]
    public var events: [Row<EventColumn>]
    public var renewals: [Row<RenewalColumn>]

    public init(
        transactions: [Row<TransactionColumn>] = [],
        documents: [Row<DocumentColumn>] = [],
        events: [Row<EventColumn>] = [],
        renewals: [Row<RenewalColumn>] = []
    ) {
        self.renewals = renewals
        self.transactions = transactions
        self.documents = documents
        self.events = events
    }

    /// A batch of the rows, whose dictionary numbers `texts` before those of the rows.
    public func batch(knowing texts: [String] = []) -> RowBatch {
        var batch = RowBatch()
        for text in texts { _ = batch.dictionary.code(for: text) }
        for row in transactions { Self.append(row, to: &batch.transactions, &batch.dictionary) }
        for row in documents { Self.append(row, to: &batch.documents, &batch.dictionary) }
        for row in events { Self.append(row, to: &batch.events, &batch.dictionary) }
        for row in renewals { Self.append(row, to: &batch.renewals, &batch.dictionary) }
        return batch
    }

    private static func append<Column>(
        _ row: Row<Column>,
        to table: inout RecordBatch<Column>,
        _ dictionary: inout TextDictionary
    ) {
        table.beginRow()
        for column in Column.allCases { table.set(column, row.word(column, in: &dictionary)) }
        table.endRow()
    }

    /// The ledger of the rows as one batch, settled.
    public func settled(
        environments: EnvironmentFilter = .booked,
        rules: LedgerRules = LedgerRules(),
        needs: LedgerNeeds = .failures,
        jobs: Int = 1
    ) -> SettledLedger {
        Self.settled([self], environments: environments, rules: rules, needs: needs, jobs: jobs)
    }

    /// The ledger of several batches, settled.
    public static func settled(
        _ batches: [Rows],
        environments: EnvironmentFilter = .booked,
        rules: LedgerRules = LedgerRules(),
        needs: LedgerNeeds = .failures,
        jobs: Int = 1
    ) -> SettledLedger {
        ledger(batches, environments: environments, rules: rules, needs: needs).settle(rules, jobs: jobs)
    }

    /// A ledger before it is settled.
    public static func ledger(
        _ batches: [Rows],
        environments: EnvironmentFilter = .booked,
        rules: LedgerRules = LedgerRules(),
        needs: LedgerNeeds = .failures
    ) -> Ledger {
        var ledger = Ledger(
            environments: environments,
            period: rules.period,
            keepsAppVersions: rules.keys?.contains(.appVersion) == true,
            needs: needs
        )
        for rows in batches { ledger.update(with: rows.batch()) }
        return ledger
    }
}

extension PriceList {
    /// Reads a list whose columns are `product_id,territory,currency,price,intro_price,type`.
    public init(rows: String) throws {
        let header = "product_id,territory,currency,price,intro_price,type\n"
        try self.init(csv: Array((header + rows).utf8), name: "prices.csv")
    }
}
