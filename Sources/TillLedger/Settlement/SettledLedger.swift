package import TillColumns
public import TillCore
import TillPricing
import TillRows
import TillThreads

/// A ledger after its last row, with every transaction settled.
public struct SettledLedger: ~Copyable, Sendable {
    /// Visible in the package, so that a report can show an attribute that no rule uses.
    package let table: TransactionTable
    package let texts: TextDictionary
    /// The environments that count.
    public let environments: EnvironmentFilter
    /// The rules by which the ledger is settled.
    public let rules: LedgerRules
    /// Rows seen, of all environments, duplicates included; without those of untrusted documents.
    public let rowCount: Int
    /// Documents by verdict.
    public let trust: TrustTally
    private let countedEnvironments: [Bool]
    let verifications: VerificationTally
    let events: EventTally
    let subscriptions: SubscriptionState
    let provenance: ProvenanceLog
    let examples: FailureExamples
    /// The failures of an explanation; `nil` without an explanation.
    public let chosen: ChosenFailures?
    /// Rows of responses with a failure status.
    public let withheld: Int
    let reading: ReadingCounts
    private let billingEvents: BillingEvents
    /// `nil` if all years of a subscription have the same commission.
    let paidService: PaidService?
    let subscribers: SubscriberStarts?
    let knowsFees: Bool
    /// Events and responses that are missing from figures.
    public let omitted: OmittedRecords

    package let needs: LedgerNeeds
    /// The number of threads that may work on it.
    public let jobs: Int
    /// The transactions, and perhaps the failures, of a ledger that does not fit its memory; ``table`` is empty then.
    let partitions: (any LedgerPartitions)?
    /// The partitions of which this is one, and its number among them; `nil` for a whole ledger.
    let origin: (partitions: any LedgerPartitions, number: Int)?

    /// Transactions of all environments left after joining duplicates.
    public var uniqueCount: Int { table.count + (partitions?.transactionCount ?? 0) }

    init(
        _ ledger: consuming Ledger,
        rules: LedgerRules,
        jobs: Int,
        partitions: (any LedgerPartitions)? = nil,
        partOf origin: (partitions: any LedgerPartitions, number: Int)? = nil
    ) {
        needs = ledger.needs
        self.jobs = jobs
        self.partitions = partitions
        self.origin = origin
        // In place: settling a copy would keep the tables that settling removes.
        ledger.settleVerifications()
        verifications = ledger.verifications
        ledger.events.settle(jobs: jobs)
        events = ledger.events
        texts = ledger.texts
        environments = ledger.environments
        rowCount = ledger.rowCount
        withheld = ledger.withheld
        reading = ledger.reading
        trust = ledger.trust
        subscriptions = ledger.subscriptions
        // A part of a ledger has the rules of the whole one.
        let isEndUnknown = ledger.needs.contains(.dataEnd) && rules.asOf == nil
        self.rules = isEndUnknown ? rules.knowing(newest: ledger.newest(rules, partitions)) : rules
        knowsFees = rules.knowsFees
        var counted: [Bool] = []
        for shared in ledger.transactions.sharedValues {
            counted.append(environments.counts(Int64(shared[.environment])))
        }
        countedEnvironments = counted
        // The index by id is no longer needed; the search for billing events uses its memory.
        ledger.transactions.dropIndex()
        omitted = ledger.omitted
        var products = ProductCache(rules, texts: texts)
        var bookable: [Bool] = []
        for (number, shared) in ledger.transactions.sharedValues.enumerated() {
            bookable.append(counted[number] && shared[.ownership] != Word.familyShared.rawValue)
        }
        billingEvents = BillingEvents(ledger.transactions, texts: texts, isBookable: bookable, products, jobs: jobs)
        paidService =
            rules.secondYearRate == nil
            ? nil : PaidService(ledger.transactions, texts: texts, isBookable: bookable, billingEvents, &products)
        subscribers = SubscriberStarts(ledger.transactions, isBookable: bookable, products, rules, jobs: jobs)
        table = ledger.transactions
        provenance = ledger.provenance
        examples = ledger.examples.settled(verifications.succeeded)
        var chosen = ledger.chosen
        chosen?.settle(verifications.succeeded)
        self.chosen = chosen
    }

    /// Optional values that were given and could not be read; they are absent.
    public var unreadCount: Int { reading.unread }
    /// Ids that are not in the usual form.
    public var oddIDCount: Int { reading.oddIDs }

    /// The text of a code, such as ``SettledTransaction/product``.
    public func text(of code: Int) -> String { texts.text(of: code) }

    /// Passes every transaction of the selected environments to `body`, in the order of their numbers.
    ///
    /// Like ``forEachBatch(in:after:threads:_:)``, one by one.
    @discardableResult
    public func forEachTransaction(
        after before: CoverageCounts = CoverageCounts(),
        _ body: (SettledTransaction) -> Void
    ) throws(Finding) -> CoverageCounts {
        try forEachBatch(after: before) { for transaction in $0 { body(transaction) } }
    }

    /// Passes every transaction of the selected environments to `body`, in batches, in the order of their numbers.
    ///
    /// Their units are at most `Int64.max` in all, so sums of units need no check. Cost: one pass; each product's
    /// prices are looked up once. With several threads, one settles the next batch while another runs `body`.
    ///
    /// - Parameters:
    ///   - range: the numbers of the transactions; `nil` for all of them.
    ///   - before: the counts of other parts.
    ///   - threads: the number of threads that may work on it; `nil` for ``jobs``.
    /// - Returns: the state from all transactions, counted or not.
    public func forEachBatch(
        in range: Range<Int>? = nil,
        after before: CoverageCounts = CoverageCounts(),
        threads: Int? = nil,
        _ body: ([SettledTransaction]) -> Void
    ) throws(Finding) -> CoverageCounts {
        var progress = Progress(
            products: ProductCache(rules, texts: texts),
            units: before.units,
            sharedCounts: Array(repeating: 0, count: table.sharedValues.count)
        )
        let range = range ?? 0..<table.count
        let isAhead = threads ?? jobs > 1
        var (settled, next): ([SettledTransaction], [SettledTransaction]) = ([], [])
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.batchSize) {
            let numbers = start..<min(start + Self.batchSize, range.upperBound)
            var failure: Finding?
            func settleNext() {
                do throws(Finding) {
                    try settle(numbers, &progress, into: &next)
                } catch {
                    failure = error
                }
            }
            // Settling a transaction and counting it take about as long, so each has a processor.
            if isAhead, !settled.isEmpty {
                concurrently({ body(settled) }, settleNext)
            } else {
                if !settled.isEmpty { body(settled) }
                settleNext()
            }
            if let failure { throw failure }
            swap(&settled, &next)
            next.removeAll(keepingCapacity: true)
        }
        if !settled.isEmpty { body(settled) }
        var coverageCounts = before
        coverageCounts.units = progress.units
        coverageCounts.add(
            progress.sharedCounts,
            table.sharedValues,
            isCounted: countedEnvironments,
            conflicts: progress.conflicts,
            changedByUnsigned: progress.changedByUnsigned
        )
        return coverageCounts
    }

    /// Transactions that are settled before they are handed over.
    private static let batchSize = 4096

    /// The state that is kept from one transaction to the next.
    private struct Progress {
        var products: ProductCache
        var units: UInt64
        var sharedCounts: [Int]
        var conflicts = 0
        var changedByUnsigned = 0
    }

    private func settle(
        _ numbers: Range<Int>,
        _ progress: inout Progress,
        into settled: inout [SettledTransaction]
    ) throws(Finding) {
        for number in numbers {
            let entry = table.entries[number]
            progress.sharedCounts[Int(entry.shared)] += 1
            if table.hasConflict(entry) {
                progress.conflicts += 1
                if !table.changes(of: entry).isEmpty { progress.changedByUnsigned += 1 }
            }
            guard countedEnvironments[Int(entry.shared)] else { continue }
            let transaction = try settle(entry, number: number, &progress.products)
            let (sum, overflow) = progress.units.addingReportingOverflow(transaction.units.magnitude)
            guard !overflow, sum <= Int64.max.magnitude else { throw Self.overflow(transaction.product, texts) }
            progress.units = sum
            settled.append(transaction)
        }
    }

    /// Numbers of the transactions of subscriptions, of the selected environments, by their chains.
    func subscriptionNumbers(inBuckets count: Int) -> BucketedNumbers {
        let products = ProductCache(rules, texts: texts)
        return BucketedNumbers(among: table.ranges(for: jobs), bucketCount: count, products) { number, products in
            let entry = table.entries[number]
            guard countedEnvironments[Int(entry.shared)],
                BillingEvents.isSubscription(entry, table, products.type(of: entry.product))
            else { return nil }
            return chain(of: number)
        }
    }

    /// Settles one transaction. For callers that need some again, after ``forEachBatch(in:after:threads:_:)`` has
    /// visited all.
    func settled(_ number: Int, _ products: inout ProductCache) throws(Finding) -> SettledTransaction {
        try settle(table.entries[number], number: number, &products)
    }

    private func settle(
        _ entry: TransactionEntry,
        number: Int,
        _ products: inout ProductCache
    ) throws(Finding) -> SettledTransaction {
        let shared = table.sharedValues[Int(entry.shared)]
        let type = products.type(of: entry.product)
        let isConsumable = type == .consumable
        let isSubscription = BillingEvents.isSubscription(entry, table, type)
        let quantity = table.quantity(of: entry) ?? 0
        let units = max(1, quantity)
        let kind = kind(entry, number: number, isSubscription: isSubscription, isConsumable: isConsumable)
        let ownPrice = ownPrice(of: entry)
        // The price list is asked only if its answer is used.
        let isAsked = ownPrice == nil || knowsFees
        let point = isAsked ? point(entry, &products) : nil
        let price =
            if let ownPrice { Money?.some(ownPrice) } else { try listPrice(entry, units: units, point, &products) }
        let refund = refundDetails(of: number)
        let purchaseDate = table.purchaseDate(of: entry)
        let expiresDate = table.expiresDate(of: entry)
        // Receipts have whole seconds where responses have milliseconds.
        let purchaseSecond = purchaseDate.dividedFloor(by: 1000)
        let isRefundEarly = refund?.refundDate.map { $0.milliseconds.dividedFloor(by: 1000) < purchaseSecond } ?? false
        return SettledTransaction(
            number: number,
            kind: kind,
            product: entry.product == 0 ? nil : Int(entry.product) - 1,
            purchaseDate: purchaseDate == TransactionEntry.unknown ? nil : Timestamp(milliseconds: purchaseDate),
            expiresDate: expiresDate == TransactionEntry.unknown ? nil : Timestamp(milliseconds: expiresDate),
            serviceEnd: serviceEnd(of: entry, isSubscription: isSubscription, &products),
            isSubscription: isSubscription,
            isConsumable: isConsumable,
            isFamilyShared: shared[.ownership] == Word.familyShared.rawValue,
            units: units,
            isQuantityAssumed: quantity < 1,
            price: price,
            isOfOtherPeriod: price == nil && point != nil && isOfOtherPeriod(entry, &products),
            // A refund cannot be earlier than its sale.
            refundDate: isRefundEarly ? Timestamp(milliseconds: purchaseDate) : refund?.refundDate,
            isRefundEarly: isRefundEarly,
            refundPercentage: refund?.percentage,
            refundReversalDate: refund?.reversalDate,
            isUnquantifiedUpgrade: refund?.isUnquantifiedUpgrade ?? false,
            saleKind: saleKind(entry, kind),
            facts: SettledTransaction.Facts(
                environment: shared[.environment],
                bundleID: shared[.bundleID],
                appVersion: shared[.appVersion],
                storefront: table.rare(.storefront, of: entry),
                productType: products.typeCode(of: entry.product) ?? shared[.productType]
            ),
            fees: fees(point, number: number, isSubscription: isSubscription, &products)
        )
    }

    /// The end of the service of a subscription: its expiry, else the end of the listed period.
    private func serviceEnd(
        of entry: TransactionEntry,
        isSubscription: Bool,
        _ products: inout ProductCache
    ) -> Timestamp? {
        guard isSubscription || products.type(of: entry.product) == .nonRenewing else { return nil }
        let expiresDate = table.expiresDate(of: entry)
        if expiresDate != TransactionEntry.unknown { return Timestamp(milliseconds: expiresDate) }
        let purchaseDate = table.purchaseDate(of: entry)
        guard purchaseDate != TransactionEntry.unknown, let period = products.billingPeriod(of: entry.product) else {
            return nil
        }
        return period.end(from: Timestamp(milliseconds: purchaseDate), in: rules.calendar)
    }

    private func saleKind(_ entry: TransactionEntry, _ kind: TransactionKind) -> SaleKind {
        if entry.answers.isTrial == true { return .trial }
        if entry.answers.isIntro == true { return .intro }
        if isOffered(entry) { return .offer }
        return kind == .renewal ? .renewal : .new
    }

    private func kind(
        _ entry: TransactionEntry,
        number: Int,
        isSubscription: Bool,
        isConsumable: Bool
    ) -> TransactionKind {
        let differs = entry.hasOtherOriginal
        if isConsumable { return .purchase }
        if isSubscription {
            if billingEvents.isRestore(number) { return .restore }
            return differs ? .renewal : .purchase
        }
        return differs ? .restore : .purchase
    }

    /// Whether another row is the sale of its billing event.
    func isRestoredCharge(_ number: Int) -> Bool { billingEvents.isRestore(number) }

    /// The refund data of a transaction: its own, or of all transactions of its billing event.
    func refundDetails(of number: Int) -> RefundDetails? {
        billingEvents.refund(ofSale: number) ?? RefundDetails(of: table.entries[number], in: table)
    }

    static func overflow(_ product: Int?, _ texts: borrowing TextDictionary) -> Finding {
        var productID = ""
        if let product { productID = texts.text(of: product) }
        return Finding.overflow(of: productID)
    }
}
