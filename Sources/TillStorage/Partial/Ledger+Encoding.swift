import TillColumns
import TillCore
public import TillLedger
import TillRows

extension Ledger {
    /// The most elements of a block, which a reader holds in memory at once.
    static let blockCount = 1 << 15

    /// Writes the data that a later ``merge(_:)`` may need, block by block (`docs/partials.md`).
    ///
    /// The bytes depend on the rows and their order alone. Provenance is not written.
    public borrowing func encode(
        _ write: (PartialBlock, [UInt8]) throws -> Void
    ) rethrows {
        try encodeTexts(from: 0, write)
        try encodeTransactions(sharedBefore: 0, write)
        try encodeTallies(write)
        try encodeMembers(write)
    }

    /// Writes counters and failures, block by block.
    borrowing func encodeTallies(_ write: (PartialBlock, [UInt8]) throws -> Void) rethrows {
        try encodeTallies(responses: verifications.responses, examples: examples.listed, write)
    }

    /// - Parameters:
    ///   - responses: the number of responses in the counters block.
    ///   - examples: the places to write.
    borrowing func encodeTallies(
        responses: Int,
        examples: [FailureExamples.Listed],
        _ write: (PartialBlock, [UInt8]) throws -> Void
    ) rethrows {
        try write(.counters, counters(responses: responses))
        try encodeCells(write)
        try encodeFailures(examples, write)
    }

    /// Writes all failures, and examples of them.
    borrowing func encodeFailures(_ write: (PartialBlock, [UInt8]) throws -> Void) rethrows {
        try encodeFailures(examples.listed, write)
    }

    private borrowing func encodeFailures(
        _ examples: [FailureExamples.Listed],
        _ write: (PartialBlock, [UInt8]) throws -> Void
    ) rethrows {
        let failures = events.failures
        for (number, cells) in failures.cellsByKind.enumerated() {
            var writer = PartialWriter()
            writer.write(failures.kinds[number], failures.bounds[number], cells, failures.combinations, nil)
            try write(.failures, writer.take())
        }
        try encode(examples, as: .examples, write) { $0.write($1) }
    }

    /// Writes requests, attempts and the other data that count once, except transactions.
    borrowing func encodeMembers(_ write: (PartialBlock, [UInt8]) throws -> Void) rethrows {
        try encode(verifications.succeeded.sorted, write)
        try encode(verifications.routed, as: .routed, write) { $0.write($1) }
        for set in AttemptSet.allCases { try encode(events.attempts(in: set), of: set, write) }
        try encode(events.outcomes.sorted, as: .outcomes, write) { $0.write($1) }
        try encode(events.transactions.sorted, as: .purchases, write) { $0.write($1) }
        try encode(subscriptions.renewals.sorted { $0.key < $1.key }, as: .grace, write) { $0.write(renewal: $1) }
    }

    /// Writes the requests that succeeded. Those without a time have blocks of their own, and so have those whose
    /// environment is not counted, which have a number of successes too.
    func encode(
        _ answered: some Sequence<AnsweredRequests.Element>,
        _ write: (PartialBlock, [UInt8]) throws -> Void
    ) rethrows {
        for (mark, isCounted) in [(UInt8(0), true), (1, false)] {
            let answered = answered.filter { $0.isCounted == isCounted }
            func append(_ answer: AnsweredRequests.Element, to writer: inout PartialWriter) {
                writer.write(word: answer.request)
                if let instant = answer.at { writer.write(difference: instant) }
                if !isCounted { writer.write(count: answer.count) }
            }
            try encode(answered.filter { $0.at == nil }, as: .pairs, leading: mark, write) { append($1, to: &$0) }
            try encode(answered.filter { $0.at != nil }, as: .answers, leading: mark, write) { append($1, to: &$0) }
        }
    }

    /// Writes members of a set of attempts.
    func encode(
        _ attempts: some RandomAccessCollection<UInt128>,
        of set: AttemptSet,
        _ write: (PartialBlock, [UInt8]) throws -> Void
    ) rethrows {
        try encode(attempts, as: .attempts, leading: set.rawValue, write) { $0.write(word: $1) }
    }

    /// Writes elements in blocks: a count, then that many elements. Without elements, no block is written.
    func encode<Elements: RandomAccessCollection>(
        _ elements: Elements,
        as block: PartialBlock,
        leading lead: UInt8? = nil,
        _ write: (PartialBlock, [UInt8]) throws -> Void,
        _ body: (inout PartialWriter, Elements.Element) -> Void
    ) rethrows {
        var rest = elements[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.blockCount)
            rest = rest.dropFirst(Self.blockCount)
            var writer = PartialWriter()
            if let lead { writer.write(byte: lead) }
            writer.write(count: part.count)
            for element in part { body(&writer, element) }
            try write(block, writer.take())
        }
    }

    /// Writes the texts from a code on.
    borrowing func encodeTexts(
        from first: Int,
        _ write: (PartialBlock, [UInt8]) throws -> Void
    ) rethrows {
        for start in stride(from: first, to: texts.count, by: Self.blockCount) {
            let end = min(start + Self.blockCount, texts.count)
            var writer = PartialWriter()
            writer.write(count: end - start)
            for code in start..<end {
                writer.write(blob: texts.withBytes(of: code) { $0.withUnsafeBytes(Array.init) })
            }
            try write(.texts, writer.take())
        }
    }

    /// Shared values in the order in which transactions use them, and the number of each; -1 for unused ones.
    private borrowing func usedSharedValues() -> (sharedValues: [SharedValues], numbers: [Int]) {
        var numbers = Array(repeating: -1, count: transactions.sharedValues.count)
        var sharedValues: [SharedValues] = []
        for number in 0..<transactions.count {
            transactions.forEachCopy(number) { _, shared in
                guard numbers[Int(shared)] < 0 else { return }
                numbers[Int(shared)] = sharedValues.count
                sharedValues.append(transactions.sharedValues[Int(shared)])
            }
        }
        return (sharedValues, numbers)
    }

    /// Writes transactions and the shared values that they use. Returns the number of shared values written.
    ///
    /// - Parameter sharedBefore: the number of shared values in earlier blocks. Numbering continues after them.
    @discardableResult
    borrowing func encodeTransactions(
        sharedBefore: Int,
        _ write: (PartialBlock, [UInt8]) throws -> Void
    ) rethrows -> Int {
        let (sharedValues, sharedNumbers) = usedSharedValues()
        try encode(sharedValues, as: .sharedValues, write) { $0.write($1) }
        for start in stride(from: 0, to: transactions.count, by: Self.blockCount) {
            let end = min(start + Self.blockCount, transactions.count)
            var writer = PartialWriter()
            writer.write(count: (start..<end).reduce(0) { $0 + transactions.copyCount($1) })
            var previous = TransactionRecord.Previous()
            for number in start..<end {
                transactions.forEachCopy(number) { values, shared in
                    let record = TransactionRecord(values, shared: UInt32(sharedBefore + sharedNumbers[Int(shared)]))
                    record.write(to: &writer, after: &previous, withAccount: transactions.keepsAccounts)
                }
            }
            try write(.transactions, writer.take())
        }
        return sharedValues.count
    }

    borrowing func counters(responses: Int) -> [UInt8] {
        var writer = PartialWriter()
        for count in [rowCount, withheld, responses, verifications.failed] { writer.write(count: count) }
        for count in OmittedRecords.all { writer.write(count: omitted[keyPath: count]) }
        for count in ReadingCounts.all { writer.write(count: reading[keyPath: count]) }
        for count in TrustTally.all { writer.write(count: trust[keyPath: count]) }
        for line in EventTally.Lines.all { writer.write(count: events.lines[keyPath: line]) }
        writer.write(count: events.purchased.nameless)
        writer.write(count: events.restored.nameless)
        writer.write(optional: events.span.first)
        writer.write(optional: events.span.last)
        let days = subscriptions.documents.sorted
        writer.write(count: days.count)
        for day in days {
            writer.write(difference: day.newest)
            writer.write(count: day.documents)
        }
        return writer.bytes
    }
}

extension PartialWriter {
    mutating func write(_ values: SharedValues) {
        for attribute in CodeAttribute.shared { write(code: values[attribute]) }
    }

    mutating func write(_ ended: AttemptOutcomes.Element) {
        write(word: ended.attempt)
        write(byte: ended.outcome.kind.rawValue)
        write(optional: ended.outcome.at)
    }

    mutating func write(_ purchase: TransactionOutcomes.Element) {
        write(difference: purchase.transaction)
        let outcome = purchase.outcome
        write(byte: (outcome.isPurchased ? 1 : 0) | (outcome.isRestored ? 2 : 0) | (outcome.attempt == nil ? 0 : 4))
        guard let attempt = outcome.attempt else { return }
        write(byte: attempt.kind.rawValue)
        write(optional: attempt.at)
    }

    mutating func write(renewal: (key: Int64, value: SubscriptionState.Renewal)) {
        write(difference: renewal.key)
        for time in [renewal.value.graceEnd, renewal.value.seen] {
            write(optional: time == TransactionEntry.unknown ? nil : time)
        }
    }

    mutating func write(_ verification: FailedVerification) {
        write(difference: verification.status)
        write(optional: verification.isRetryable.map { $0 ? 1 : 0 })
        write(optional: verification.failure.at)
        write(word: verification.pairKey ?? 0)
        write(code: verification.app)
        write(code: verification.appVersion)
        write(byte: verification.isInPeriod ? 1 : 0)
    }
}
