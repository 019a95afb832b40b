import TillInput
import TillLedger
import TillReports
import TillStorage

/// The ledger of a closed report, which is settled by several sets of rules in turn.
struct ClosedLedger {
    /// The options by which the closed report was read and settled.
    let head: PartialHead
    /// Reads the ledger again, for the given environments.
    private let read: (EnvironmentFilter) throws -> SpillingLedger

    func settled(by terms: ClosedMonths.Terms) throws -> SettledLedger {
        try read(terms.environments).settle(terms.rules)
    }
}

extension ClosedLedger {
    /// The ledger in a partial.
    init(_ partial: InputFile, path: String, _ allowance: MemoryAllowance?) throws {
        head = try PartialMerge.head(of: partial)
        read = { environments in
            try PartialMerge([path], choosing: [], environments: environments, allowance: allowance).takeLedger()
        }
    }

    /// A ledger of documents that were read again, stored as the blocks of a partial in a temporary file.
    init(_ head: PartialHead, _ ledger: consuming SpillingLedger, _ allowance: MemoryAllowance?) throws {
        self.head = head
        let file = try TemporaryFiles().makeFile()
        var blocks: [(kind: PartialBlock, count: Int)] = []
        var end = 0
        try ledger.encode { kind, payload in
            try file.write(payload, at: end)
            end += payload.count
            blocks.append((kind, payload.count))
        }
        let written = blocks
        read = { environments in
            var ledger = SpillingLedger(Ledger(environments: environments, needs: head.needs), allowance: allowance)
            var decoder = PartialDecoder()
            var offset = 0
            for block in written {
                let payload = try file.read(block.count, at: offset)
                try decoder.decode(block.kind, payload.span.bytes, offset: offset, into: &ledger.ledger)
                offset += block.count
                try ledger.spillIfNeeded(keepingTexts: true)
            }
            return ledger
        }
    }
}
