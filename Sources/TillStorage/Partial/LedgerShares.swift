import TillColumns
public import TillLedger

/// The data that a share of a ledger has completely.
public enum ShareKey: Sendable {
    /// All copies of a transaction, and all data about a request or an attempt.
    case transactions
    /// All transactions of a chain, after their copies are joined.
    case chains
}

/// A ledger divided into open partials. Data that must be joined gets the same share number in every ledger.
///
///     ledger of documents 1 ─┬ share 0 ─┐
///                            └ share 1 ─┼┬ ledger 0
///     ledger of documents 2 ─┬ share 0 ─┘│
///                            └ share 1 ──┴ ledger 1
///
/// Share 0 also has the counters, failures and traffic. They only add up, so any share may have them.
public struct LedgerShares {
    private let slices: LedgerSlices
    private let waiting: Buckets<FailureExamples.Listed>
    private let count: Int
    private var encoder: SegmentEncoder

    /// Divides a ledger that is completely in memory.
    public init(_ ledger: borrowing Ledger, by key: ShareKey, count: Int) {
        self.count = count
        let partitioner = Partitioner(count: count, seed: Partitioner.sharedSeed)
        switch key {
        case .transactions: slices = ledger.slices(by: .identifier, partitioner)
        case .chains: slices = ledger.slices(by: .chain, partitioner)
        }
        waiting = Buckets(ledger.examples.listed.filter { $0.request != nil }, count: count) { place in
            partitioner.partition(of: place.request ?? 0)
        }
        encoder = SegmentEncoder(ledger)
    }

    /// Writes the blocks of one share.
    public mutating func encode(
        _ share: Int,
        of ledger: borrowing Ledger,
        _ write: (PartialBlock, [UInt8]) throws -> Void
    ) rethrows {
        var slice = slices[share]
        slice.waiting = Array(waiting[share])
        guard share == 0 else {
            try encoder.encode(slice, of: ledger) { kind, bytes in
                if case .block(let block) = kind { try write(block, bytes) }
            }
            let nothing = Ledger(environments: ledger.environments, needs: ledger.needs)
            return try write(.counters, nothing.counters(responses: responses(waitingIn: share)))
        }
        // Counters and failures name texts by the codes of the ledger.
        try ledger.encodeTexts(from: 0, write)
        var whole = SegmentEncoder(ledger, keepsTextCodes: true)
        try whole.encode(slice, of: ledger) { kind, bytes in
            if case .block(let block) = kind, block != .texts { try write(block, bytes) }
        }
        let others = (1..<count).reduce(0) { $0 + responses(waitingIn: $1) }
        try ledger.encodeTallies(
            responses: ledger.verifications.responses - others,
            examples: ledger.examples.listed.filter { $0.request == nil },
            write
        )
    }

    /// The responses among the 21007s of a share. A reader accepts at most as many of these as there are responses.
    private func responses(waitingIn share: Int) -> Int { slices.routed[share].count { $0.isInPeriod } }
}

extension FailureExamples.Listed {
    /// The request of a 21007 that waits for a success; `nil` for a failure.
    fileprivate var request: UInt128? {
        switch owner {
        case .routed(let request, _): request
        case .failure, .newest: nil
        }
    }
}
