import TillColumns
public import TillCore
public import TillLedger
import TillRows

/// Reads the blocks that ``Ledger/encode(_:)`` writes into a ledger, with the result of ``Ledger/merge(_:)``.
///
/// Every code and count is checked, and equal texts become one. After an error the ledger is broken and must not be
/// used.
public struct PartialDecoder: ~Copyable {
    private var texts = TextDictionary()
    private var translation = TextTranslation()
    /// In codes of ``texts``.
    private var sharedValues: [SharedValues] = []
    /// By section.
    private var sums: [String: SumBytes] = [:]
    private var hasCounters = false
    private var responses = 0
    private var routed = 0
    /// Numbers in the ledger of the transactions that were read; only where mentions of them follow.
    private var numbers: [UInt32] = []
    private let keepsNumbers: Bool
    private let before: PlacesBefore
    /// The part of the allowance that is left.
    public var allowance: CountAllowance

    /// Makes a decoder for the blocks of one partial.
    ///
    /// - Parameters:
    ///   - before: the documents and lines before those of the partial in their source.
    ///   - allowance: what the partials before have left of it.
    public init(behind before: PlacesBefore = PlacesBefore(), within allowance: CountAllowance = CountAllowance()) {
        self.init(keepsNumbers: false, behind: before, within: allowance)
    }

    init(
        keepsNumbers: Bool,
        behind before: PlacesBefore = PlacesBefore(),
        within allowance: CountAllowance = CountAllowance()
    ) {
        self.keepsNumbers = keepsNumbers
        self.before = before
        self.allowance = allowance
    }

    /// Reads one block into the ledger.
    ///
    /// - Parameter offset: the offset of the block's payload in the partial.
    public mutating func decode(
        _ block: PartialBlock,
        _ payload: RawSpan,
        offset: Int,
        into ledger: inout Ledger
    ) throws(Finding) {
        var cursor = PartialCursor(payload, base: offset)
        switch block {
        case .texts: try decodeTexts(&cursor, &ledger)
        case .sharedValues: try decodeSharedValues(&cursor)
        case .transactions: try decodeTransactions(&cursor, &ledger)
        case .counters: try decodeCounters(&cursor, &ledger)
        case .failures: try decodeFailures(&cursor, &ledger)
        case .pairs: try decodeSuccesses(&cursor, &ledger, areDated: false)
        case .answers: try decodeSuccesses(&cursor, &ledger, areDated: true)
        case .routed:
            for _ in 0..<(try cursor.count(ofSize: 20)) { ledger.verifications.add(routed: try verification(&cursor)) }
        case .attempts: try decodeAttempts(&cursor, &ledger)
        case .outcomes:
            for _ in 0..<(try cursor.count(ofSize: 18)) {
                let attempt = try cursor.word(as: UInt128.self)
                ledger.events.add(try outcome(&cursor), of: attempt)
            }
        case .purchases:
            for _ in 0..<(try cursor.count(ofSize: 2)) { try decodePurchase(&cursor, &ledger) }
        case .grace:
            for _ in 0..<(try cursor.count(ofSize: 3)) {
                let chain = try identifier(&cursor)
                let unknown = TransactionEntry.unknown
                let times = (try cursor.optional() ?? unknown, try cursor.optional() ?? unknown)
                let renewal = SubscriptionState.Renewal(graceEnd: times.0, seen: times.1)
                ledger.subscriptions.note(renewal, of: translation.identifier(chain))
            }
        case .cells:
            try cursor.readCells(into: &ledger, textCount: texts.count, translation, within: &allowance)
        case .examples: try ledger.examples.decode(&cursor, textCount: texts.count, translation, behind: before)
        case .sums: try decodeSums(&cursor)
        }
        try cursor.finish()
    }

    /// Ends the partial after its last block. Returns the sums; an open partial has none.
    ///
    /// - Parameter offset: the offset of the end of the partial.
    @discardableResult
    public consuming func finish(offset: Int) throws(Finding) -> SumSections {
        guard hasCounters else { throw Finding("partial.missing-block", at: offset, "there is no block of counters") }
        guard routed <= responses else {
            throw Finding("partial.value", at: offset, "more answers wait for a success than there are answers")
        }
        return SumSections(sums, translation)
    }

    private mutating func decodeSums(_ cursor: inout PartialCursor) throws(Finding) {
        let section = try cursor.text()
        let offset = cursor.offset
        sums[section, default: SumBytes()].append(try cursor.rest(), offset: offset)
    }

    private mutating func decodeTexts(_ cursor: inout PartialCursor, _ ledger: inout Ledger) throws(Finding) {
        for _ in 0..<(try cursor.count()) {
            let start = cursor.offset
            let text = try cursor.blob()
            let (known, code) = (texts.count, texts.code(for: text.span.bytes))
            guard code == known else { throw Finding("partial.value", at: start, "a text is repeated") }
        }
        translation.extend(with: texts, into: &ledger.texts)
    }

    private mutating func decodeSharedValues(_ cursor: inout PartialCursor) throws(Finding) {
        for _ in 0..<(try cursor.count(ofSize: CodeAttribute.shared.count)) {
            var values = SharedValues()
            for attribute in CodeAttribute.shared { values[attribute] = try cursor.code(below: texts.count) }
            sharedValues.append(values)
        }
    }

    private mutating func decodeTransactions(
        _ cursor: inout PartialCursor,
        _ ledger: inout Ledger
    ) throws(Finding) {
        var previous = TransactionRecord.Previous()
        for _ in 0..<(try cursor.count(ofSize: 4)) {
            var record = try TransactionRecord(
                from: &cursor,
                after: &previous,
                textCount: texts.count,
                sharedCount: sharedValues.count,
                withAccount: ledger.transactions.keepsAccounts
            )
            record.values.shared = sharedValues[Int(record.shared)]
            let number = ledger.transactions.enter(record.values.translated(translation), in: ledger.texts)
            if keepsNumbers { numbers.append(UInt32(number)) }
        }
    }

    private mutating func decodeSuccesses(
        _ cursor: inout PartialCursor,
        _ ledger: inout Ledger,
        areDated: Bool
    ) throws(Finding) {
        let isCounted = try !cursor.flag()
        for _ in 0..<(try cursor.count(ofSize: areDated ? 17 : 16)) {
            let request = try cursor.word(as: UInt128.self)
            let instant = areDated ? try cursor.difference() : nil
            let count = isCounted ? 1 : try cursor.tally(within: &allowance)
            ledger.verifications.add(succeeded: request, at: instant, isCounted: isCounted, count: count)
        }
    }

    private mutating func decodeCounters(_ cursor: inout PartialCursor, _ ledger: inout Ledger) throws(Finding) {
        guard !hasCounters else {
            throw Finding("partial.block", at: cursor.offset, "there are two blocks of counters")
        }
        hasCounters = true
        ledger.rowCount += try cursor.tally(within: &allowance)
        ledger.withheld += try cursor.tally(within: &allowance)
        responses = try cursor.tally(within: &allowance)
        let failed = try cursor.tally(within: &allowance)
        for count in OmittedRecords.all { ledger.omitted[keyPath: count] += try cursor.tally(within: &allowance) }
        for count in ReadingCounts.all { ledger.reading[keyPath: count] += try cursor.tally(within: &allowance) }
        var trust = TrustTally()
        for count in TrustTally.all { trust[keyPath: count] = try cursor.tally(within: &allowance) }
        ledger.trust.add(trust)
        var lines = EventTally.Lines()
        for line in EventTally.Lines.all { lines[keyPath: line] = try cursor.tally(within: &allowance) }
        let (purchased, restored) = (try cursor.tally(within: &allowance), try cursor.tally(within: &allowance))
        ledger.events.addNameless(purchased: purchased, restored: restored)
        ledger.verifications.add(responses: responses, failed: failed)
        ledger.events.add(lines)
        ledger.events.see(try cursor.optional())
        ledger.events.see(try cursor.optional())
        for _ in 0..<(try cursor.count(ofSize: 2)) {
            let newest = try cursor.difference()
            ledger.subscriptions.documents.see(at: newest, documents: try cursor.tally(within: &allowance))
        }
    }

    private mutating func verification(_ cursor: inout PartialCursor) throws(Finding) -> FailedVerification {
        let status = try cursor.difference()
        let isRetryable = try cursor.optional().map { $0 == 1 }
        let instant = try cursor.optional()
        let pairKey = try cursor.word(as: UInt128.self)
        let app = translation.text(try cursor.code(below: texts.count))
        let appVersion = translation.text(try cursor.code(below: texts.count))
        let isInPeriod = try cursor.flag()
        // Only those of the period are among the responses.
        if isInPeriod { routed += 1 }
        return FailedVerification(
            status: status,
            isRetryable: isRetryable,
            at: instant,
            pairKey: pairKey,
            app: app,
            appVersion: appVersion,
            isInPeriod: isInPeriod
        )
    }

    private func identifier(_ cursor: inout PartialCursor) throws(Finding) -> Int64 {
        let start = cursor.offset
        let word = try cursor.difference()
        guard word != TransactionEntry.unknown, Identifier(word: word).code ?? -1 < texts.count else {
            throw Finding("partial.value", at: start, "an id names a text that is not there")
        }
        return word
    }
}

extension PartialDecoder {
    private func decodeAttempts(_ cursor: inout PartialCursor, _ ledger: inout Ledger) throws(Finding) {
        let start = cursor.offset
        guard let set = AttemptSet(rawValue: try cursor.byte()) else {
            throw Finding("partial.value", at: start, "members of an unknown set")
        }
        for _ in 0..<(try cursor.count(ofSize: 16)) {
            ledger.events.add(attempt: try cursor.word(as: UInt128.self), to: set)
        }
    }

    private func outcome(_ cursor: inout PartialCursor) throws(Finding) -> AttemptOutcome {
        let start = cursor.offset
        guard let kind = AttemptOutcome.Kind(rawValue: try cursor.byte()) else {
            throw Finding("partial.value", at: start, "an unknown outcome of an attempt")
        }
        return AttemptOutcome(kind, at: try cursor.optional())
    }

    private func decodePurchase(_ cursor: inout PartialCursor, _ ledger: inout Ledger) throws(Finding) {
        let transaction = translation.identifier(try identifier(&cursor))
        let start = cursor.offset
        let marks = try cursor.byte()
        guard (1...7).contains(marks) else {
            throw Finding("partial.value", at: start, "unknown marks of a transaction")
        }
        let outcome = TransactionOutcome(
            isPurchased: marks & 1 != 0,
            isRestored: marks & 2 != 0,
            attempt: marks & 4 != 0 ? try outcome(&cursor) : nil
        )
        ledger.events.add(outcome, of: transaction)
    }

    /// Reads the mentions of transactions in documents. Only spilled segments have them, partials do not.
    func decodeMentions(_ payload: RawSpan, into ledger: inout Ledger) throws(Finding) {
        var cursor = PartialCursor(payload, base: 0)
        for _ in 0..<(try cursor.count(ofSize: 4)) {
            let start = cursor.offset
            let (place, source) = (try cursor.number(), try cursor.number())
            guard place < UInt64(numbers.count), source < UInt64(ledger.provenance.sources.count) else {
                throw Finding(
                    "partial.value",
                    at: start,
                    "a document refers to a transaction or source that is not there"
                )
            }
            ledger.provenance.append(
                Provenance(
                    transaction: numbers[Int(place)],
                    source: UInt32(source),
                    document: try cursor.difference(),
                    row: try cursor.difference()
                )
            )
        }
        try cursor.finish()
    }

    private mutating func decodeFailures(_ cursor: inout PartialCursor, _ ledger: inout Ledger) throws(Finding) {
        repeat {
            try cursor.readFailures(into: &ledger, textCount: texts.count, translation, within: &allowance)
        } while !cursor.isAtEnd
    }
}
