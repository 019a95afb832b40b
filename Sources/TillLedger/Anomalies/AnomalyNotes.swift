import TillColumns

/// What sales of different parts may have in common, in a file, dealt out by it: line items and accounts.
///
///     line item   0 │ fingerprint of the line item │ id
///     account     1 │ account │ fingerprint of the chain │ product │ date │ id
///     id          0 │, 1 │ number, or 2 │ text
///
/// A class, since the report that holds it can be copied.
final class AnomalyNotes {
    /// A sale of a line item.
    struct Line {
        var item: UInt128
        /// The word of the transaction's id.
        var identifier: Int64
    }

    private static let runCount = 256
    private var runs: SpillRuns

    init(in store: any SpillStore) throws {
        runs = try SpillRuns(Self.runCount, in: store)
    }

    /// Writes what the sales of a part may have in common with others.
    func write(_ sales: SaleNotes, of part: borrowing SettledLedger) throws {
        let spread = Spread(count: Self.runCount)
        var writers = Array(repeating: PartialWriter(), count: Self.runCount)
        for number in sales.sales {
            guard let line = part.line(of: number) else { continue }
            let run = spread.run(of: line.item)
            writers[run].write(byte: 0)
            writers[run].write(word: line.item)
            writers[run].write(identifier: line.identifier, of: part.texts)
        }
        for share in part.accountShares(of: sales) {
            for sale in part.accountSales(among: sales, in: share) {
                let run = spread.run(of: UInt128(sale.account))
                writers[run].write(byte: 1)
                writers[run].write(word: sale.account)
                writers[run].write(word: sale.chain)
                writers[run].write(difference: Int64(sale.product))
                writers[run].write(difference: sale.date)
                writers[run].write(identifier: sale.identifier, of: part.texts)
            }
        }
        for run in writers.indices where !writers[run].bytes.isEmpty {
            try runs.append(.notes, writers[run].bytes, to: run)
        }
    }

    /// Gives the notes run by run: all that have a line item or an account in common are in one.
    func forEachRun(_ body: (inout [Line], inout [AccountSale], TextDictionary) throws -> Void) throws {
        try runs.flush()
        for run in 0..<runs.count {
            var texts = TextDictionary()
            var lines: [Line] = []
            var sales: [AccountSale] = []
            try runs.forEachPiece(of: run) { _, bytes in try Self.read(bytes, &lines, &sales, &texts) }
            try body(&lines, &sales, texts)
        }
    }

    private static func read(
        _ bytes: RawSpan,
        _ lines: inout [Line],
        _ sales: inout [AccountSale],
        _ texts: inout TextDictionary
    ) throws(PartialError) {
        var cursor = PartialCursor(bytes, base: 0)
        while !cursor.isAtEnd {
            if try cursor.flag() {
                let (account, chain) = (try cursor.word(as: UInt64.self), try cursor.word(as: UInt128.self))
                var sale = AccountSale(account: account, chain: chain)
                sale.product = Int32(truncatingIfNeeded: try cursor.difference())
                sale.date = try cursor.difference()
                sale.identifier = try cursor.identifier(&texts)
                sales.append(sale)
            } else {
                let item = try cursor.word(as: UInt128.self)
                lines.append(Line(item: item, identifier: try cursor.identifier(&texts)))
            }
        }
    }

    /// Words of the ids of sales whose line item another sale has too.
    static func repeated(_ lines: inout [Line]) -> [Int64] {
        lines.sort { $0.item < $1.item }
        return lines.indices.filter { index in
            index > 0 && lines[index - 1].item == lines[index].item
                || index + 1 < lines.count && lines[index + 1].item == lines[index].item
        }.map { lines[$0].identifier }
    }
}

extension PartialWriter {
    fileprivate mutating func write(identifier word: Int64, of texts: borrowing TextDictionary) {
        guard word != TransactionEntry.unknown else { return write(byte: 0) }
        guard let code = Identifier(word: word).code else {
            write(byte: 1)
            return write(number: UInt64(word))
        }
        write(byte: 2)
        write(blob: texts.withBytes(of: code) { $0.withUnsafeBytes(Array.init) })
    }
}

extension PartialCursor {
    @_lifetime(self: copy self)
    fileprivate mutating func identifier(_ texts: inout TextDictionary) throws(PartialError) -> Int64 {
        switch try byte() {
        case 0: return TransactionEntry.unknown
        case 1: return Int64(truncatingIfNeeded: try number())
        default:
            let text = try blob()
            return Identifier(code: texts.code(for: text.span.bytes)).word
        }
    }
}

// A report is used by one task at a time, and only the collector of one report has its notes.
extension AnomalyNotes: @unchecked Sendable {}
