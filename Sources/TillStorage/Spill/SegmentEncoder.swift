import TillColumns
import TillLedger

/// The part of a ledger that goes into one partition.
struct LedgerSlice {
    /// Numbers of transactions.
    var transactions: ArraySlice<UInt32>
    var mentions: ArraySlice<Provenance>
    var succeeded: ArraySlice<AnsweredRequests.Element>
    var routed: ArraySlice<FailedVerification>
    var attempts: [(AttemptSet, ArraySlice<UInt128>)]
    var outcomes: ArraySlice<AttemptOutcomes.Element>
    var purchases: ArraySlice<TransactionOutcomes.Element>
    var grace: ArraySlice<(key: Int64, value: SubscriptionState.Renewal)>
    /// Places of 21007s that wait for a success; in a ledger that spills they stay in memory.
    var waiting: [FailureExamples.Listed] = []
}

/// The parts of a ledger, by partition.
struct LedgerSlices {
    var transactions: Buckets<UInt32>
    var mentions: Buckets<Provenance>
    var succeeded: Buckets<AnsweredRequests.Element>
    var routed: Buckets<FailedVerification>
    var attempts: [(AttemptSet, Buckets<UInt128>)]
    var outcomes: Buckets<AttemptOutcomes.Element>
    var purchases: Buckets<TransactionOutcomes.Element>
    var grace: Buckets<(key: Int64, value: SubscriptionState.Renewal)>

    subscript(_ partition: Int) -> LedgerSlice {
        LedgerSlice(
            transactions: transactions[partition],
            mentions: mentions[partition],
            succeeded: succeeded[partition],
            routed: routed[partition],
            attempts: attempts.map { ($0, $1[partition]) },
            outcomes: outcomes[partition],
            purchases: purchases[partition],
            grace: grace[partition]
        )
    }
}

/// Writes slices of a ledger as segments: blocks of a partial, preceded by their own texts and shared values.
///
/// Its tables have an entry for every text and every shared value of the ledger, and are allocated once. The cost of a
/// segment grows only with the entries that it uses.
struct SegmentEncoder {
    private var texts: TextSelection
    /// The number in the segment of each shared value, -1 if the segment does not use it.
    private var sharedNumbers: [Int32]
    private var sharedValues: [UInt32] = []
    /// The place in the segment of each transaction; only where mentions are written.
    private var places: [UInt32]
    private var blocks: [(PartitionedFile.Kind, [UInt8])] = []
    /// The failures of a segment, in one block.
    private var failures = PartialWriter()

    /// - Parameter keepsTextCodes: whether the segment has all texts of the ledger, with their codes.
    init(_ ledger: borrowing Ledger, keepsTextCodes: Bool = false) {
        texts = TextSelection(among: ledger.texts.count)
        if keepsTextCodes { for code in 0..<ledger.texts.count { texts.choose(Int32(code)) } }
        sharedNumbers = Array(repeating: -1, count: ledger.transactions.sharedValues.count)
        let hasMentions = ledger.needs.contains(.provenance)
        places = hasMentions ? Array(repeating: 0, count: ledger.transactions.count) : []
    }

    /// Writes one segment; an empty slice writes nothing.
    mutating func encode(
        _ slice: LedgerSlice,
        of ledger: borrowing Ledger,
        _ write: (PartitionedFile.Kind, [UInt8]) throws -> Void
    ) rethrows {
        encodeTransactions(slice.transactions, of: ledger)
        encodeMentions(slice.mentions)
        encodeMembers(slice, of: ledger)
        try flush(of: ledger, write)
    }

    /// Writes the encoded blocks as one segment; without blocks, writes nothing.
    mutating func flush(of ledger: borrowing Ledger, _ write: (PartitionedFile.Kind, [UInt8]) throws -> Void) rethrows {
        if !failures.bytes.isEmpty { blocks.append((.block(.failures), failures.take())) }
        guard !blocks.isEmpty else { return }
        try write(.block(.texts), encodeTexts(of: ledger))
        if !sharedValues.isEmpty { try write(.block(.sharedValues), encodeSharedValues(of: ledger)) }
        for (kind, bytes) in blocks { try write(kind, bytes) }
        blocks.removeAll(keepingCapacity: true)
        texts.reset()
        for shared in sharedValues { sharedNumbers[Int(shared)] = -1 }
        sharedValues.removeAll(keepingCapacity: true)
    }

    /// Encodes failures of one kind.
    ///
    /// - Parameters:
    ///   - number: of the kind in `failures`.
    ///   - cells: all cells of the kind, in order.
    mutating func encode(_ number: Int, _ cells: ArraySlice<FailureCell>, of failures: FailureTally) {
        let (kind, combinations) = (failures.kinds[number], failures.combinations)
        texts.choose(kind.code.domain)
        texts.choose(kind.failureClass)
        for cell in cells {
            for dimension in FailureDimension.allCases { texts.choose(combinations[cell.combination][dimension]) }
        }
        self.failures.write(kind, failures.bounds[number], cells, combinations, texts.translation)
    }

    /// Encodes records of failures, whose numbers in the ledger are `numbers`.
    mutating func encodeExamples(_ numbers: ArraySlice<Int>, of ledger: borrowing Ledger) {
        guard !numbers.isEmpty else { return }
        for number in numbers { texts.choose(ledger.examples.codes[number].domain) }
        let listed = numbers.flatMap { ledger.examples.listed($0, texts.translation) }
        var blocks: [(PartitionedFile.Kind, [UInt8])] = []
        func keep(_ block: PartialBlock, _ bytes: [UInt8]) { blocks.append((.block(block), bytes)) }
        ledger.encode(listed, as: .examples, keep) { $0.write($1) }
        self.blocks += blocks
    }

    private func encodeTexts(of ledger: borrowing Ledger) -> [UInt8] {
        var writer = PartialWriter()
        writer.write(count: texts.chosen.count)
        for code in texts.chosen {
            writer.write(blob: ledger.texts.withBytes(of: Int(code)) { $0.withUnsafeBytes(Array.init) })
        }
        return writer.take()
    }

    private func encodeSharedValues(of ledger: borrowing Ledger) -> [UInt8] {
        var writer = PartialWriter()
        writer.write(count: sharedValues.count)
        for shared in sharedValues {
            writer.write(ledger.transactions.sharedValues[Int(shared)].translated(texts.translation))
        }
        return writer.take()
    }

    private mutating func encodeTransactions(_ numbers: ArraySlice<UInt32>, of ledger: borrowing Ledger) {
        var rest = numbers
        var place: UInt32 = 0
        while !rest.isEmpty {
            let part = rest.prefix(Ledger.blockCount)
            var writer = PartialWriter()
            writer.write(count: part.reduce(0) { $0 + ledger.transactions.copyCount(Int($1)) })
            var previous = TransactionRecord.Previous()
            for number in part {
                if !places.isEmpty { places[Int(number)] = place }
                ledger.transactions.forEachCopy(Int(number)) { values, shared in
                    let shared = choose(shared: shared, of: ledger)
                    texts.choose(values)
                    let record = TransactionRecord(values.translated(texts.translation), shared: UInt32(shared))
                    record.write(to: &writer, after: &previous, withAccount: ledger.transactions.keepsAccounts)
                    place += 1
                }
            }
            rest = rest.dropFirst(part.count)
            blocks.append((.block(.transactions), writer.take()))
        }
    }

    private mutating func choose(shared: UInt32, of ledger: borrowing Ledger) -> Int32 {
        if sharedNumbers[Int(shared)] < 0 {
            sharedNumbers[Int(shared)] = Int32(sharedValues.count)
            sharedValues.append(shared)
            texts.choose(ledger.transactions.sharedValues[Int(shared)])
        }
        return sharedNumbers[Int(shared)]
    }

    private mutating func encodeMentions(_ mentions: ArraySlice<Provenance>) {
        guard !mentions.isEmpty else { return }
        var writer = PartialWriter()
        writer.write(count: mentions.count)
        for mention in mentions {
            writer.write(number: UInt64(places[Int(mention.transaction)]))
            writer.write(number: UInt64(mention.source))
            writer.write(difference: mention.document)
            writer.write(difference: mention.row)
        }
        blocks.append((.mentions, writer.take()))
    }

    private mutating func encodeMembers(_ slice: LedgerSlice, of ledger: borrowing Ledger) {
        for verification in slice.routed {
            texts.choose(verification.app)
            texts.choose(verification.appVersion)
        }
        for (transaction, _) in slice.purchases { texts.choose(identifier: transaction) }
        for (chain, _) in slice.grace { texts.choose(identifier: chain) }
        let translation = texts.translation
        var blocks: [(PartitionedFile.Kind, [UInt8])] = []
        func keep(_ block: PartialBlock, _ bytes: [UInt8]) { blocks.append((.block(block), bytes)) }
        ledger.encode(slice.succeeded, keep)
        ledger.encode(slice.routed, as: .routed, keep) { $0.write($1.translated(translation)) }
        for (set, members) in slice.attempts { ledger.encode(members, of: set, keep) }
        ledger.encode(slice.outcomes, as: .outcomes, keep) { $0.write($1) }
        ledger.encode(slice.purchases, as: .purchases, keep) { writer, purchase in
            writer.write((translation.identifier(purchase.transaction), purchase.outcome))
        }
        ledger.encode(slice.grace, as: .grace, keep) { writer, grace in
            writer.write(renewal: (translation.identifier(grace.key), grace.value))
        }
        ledger.encode(slice.waiting, as: .examples, keep) { $0.write($1) }
        self.blocks += blocks
    }
}
