import TillColumns
import TillLedger

/// The data that must be in one partition, because they are joined.
enum PartitionKey {
    /// Duplicates of one transaction, and answers to one request.
    case identifier
    /// Transactions of one chain.
    case chain
}

extension Ledger {
    /// Writes transactions and the other data that are kept until the end, each to the partition of its key.
    borrowing func writeMembers(by key: PartitionKey, to file: inout PartitionedFile) throws {
        let slices = slices(by: key, file.partitioner)
        var encoder = SegmentEncoder(self)
        for partition in 0..<file.count {
            try encoder.encode(slices[partition], of: self) { try file.append($0, $1, to: partition) }
        }
    }

    /// Divides transactions and the other data that are kept until the end into partitions.
    borrowing func slices(by key: PartitionKey, _ partitioner: Partitioner) -> LedgerSlices {
        func deal<Element>(_ elements: some Collection<Element>, _ partition: (Element) -> Int) -> Buckets<Element> {
            Buckets(elements, count: partitioner.count, partition)
        }
        return LedgerSlices(
            transactions: deal(0..<UInt32(transactions.count)) { partition(of: Int($0), by: key, partitioner) },
            mentions: deal(provenance.all) { partition(of: Int($0.transaction), by: key, partitioner) },
            succeeded: deal(verifications.succeeded.sorted) { partitioner.partition(of: $0.request) },
            routed: deal(verifications.routed) { partitioner.partition(of: $0.pairKey ?? 0) },
            attempts: AttemptSet.allCases.map { set in
                (set, deal(events.attempts(in: set)) { partitioner.partition(of: $0) })
            },
            outcomes: deal(events.outcomes.sorted) { partitioner.partition(of: $0.attempt) },
            purchases: deal(events.transactions.sorted) {
                partitioner.partition(ofIdentifier: $0.transaction, in: texts)
            },
            grace: deal(subscriptions.renewals.sorted { $0.key < $1.key }) {
                partitioner.partition(ofIdentifier: $0.key, in: texts)
            }
        )
    }

    private borrowing func partition(of number: Int, by key: PartitionKey, _ partitioner: Partitioner) -> Int {
        let entry = transactions.entry(number)
        switch key {
        case .identifier:
            if entry.isAlone { return partitioner.partition(ofAlone: number) }
            guard entry.identifier == TransactionEntry.unknown else {
                return partitioner.partition(ofIdentifier: entry.identifier, in: texts)
            }
            // Duplicates without an id have their original id and line item in common.
            return partitioner.partition(ofIdentifier: entry.original, in: texts)
        case .chain:
            if entry.chain == TransactionEntry.unknown { return partitioner.partition(ofAlone: number) }
            return partitioner.partition(ofIdentifier: entry.chain, in: texts)
        }
    }

    /// Writes failures and examples of them, each to the partition of its domain and code.
    borrowing func writeFailures(to file: inout PartitionedFile) throws {
        let partitioner = file.partitioner
        func partition(of code: FailureCode) -> Int {
            let domain = code.domain < 0 ? 0 : texts.withBytes(of: Int(code.domain), TextDictionary.fingerprint)
            return partitioner.partition(of: domain ^ UInt128(UInt64(bitPattern: code.code ?? .max)))
        }
        let failures = events.failures
        let cells = failures.cellsByKind
        let numbers = Buckets(failures.kinds.indices, count: file.count) { partition(of: failures.kinds[$0].code) }
        let exampleNumbers = Buckets(examples.codes.indices, count: file.count) { partition(of: examples.codes[$0]) }
        var encoder = SegmentEncoder(self)
        for partition in 0..<file.count {
            for number in numbers[partition] { encoder.encode(number, cells[number], of: failures) }
            encoder.encodeExamples(exampleNumbers[partition], of: self)
            try encoder.flush(of: self) { try file.append($0, $1, to: partition) }
        }
    }
}
