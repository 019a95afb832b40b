import TillColumns
import TillCore
import TillLedger

/// Sales of several partitions in a file, partitioned by line item and by account.
///
///     line item   0 │ fingerprint of the line item │ id
///     account     1 │ account │ fingerprints of the chain and the app transaction │ product │ date │ id
///     id          0 │, 1 │ number, or 2 │ text
///
/// A class, since the report that holds it can be copied.
final class SpilledSales: SharedSales {
    private static let partitionCount = 256
    private var file: PartitionedFile

    init(in store: any SpillStore) throws {
        file = try PartitionedFile(Self.partitionCount, in: store)
    }

    func add(_ sales: SaleNotes, of part: borrowing SettledLedger) throws {
        let partitioner = file.partitioner
        var writers = Array(repeating: PartialWriter(), count: Self.partitionCount)
        for number in sales.sales {
            guard let sale = part.lineItemSale(number) else { continue }
            let partition = partitioner.partition(of: sale.item)
            writers[partition].write(byte: 0)
            writers[partition].write(word: sale.item)
            writers[partition].write(identifier: sale.identifier, of: part.texts)
        }
        for bucket in part.accountBuckets(of: sales) {
            for sale in part.accountSales(among: sales, in: bucket) {
                let partition = partitioner.partition(of: UInt128(sale.account))
                writers[partition].write(byte: 1)
                writers[partition].write(word: sale.account)
                writers[partition].write(word: sale.chain)
                writers[partition].write(word: sale.appTransaction)
                writers[partition].write(difference: Int64(sale.product))
                writers[partition].write(difference: sale.date)
                writers[partition].write(identifier: sale.identifier, of: part.texts)
            }
        }
        for partition in writers.indices where !writers[partition].bytes.isEmpty {
            try file.append(.notes, writers[partition].bytes, to: partition)
        }
    }

    func forEachGroup(_ body: (inout [LineItemSale], inout [AccountSale], TextDictionary) throws -> Void) throws {
        try file.flush()
        for partition in 0..<file.count {
            var texts = TextDictionary()
            var lines: [LineItemSale] = []
            var sales: [AccountSale] = []
            try file.forEachPiece(of: partition) { _, bytes in try Self.read(bytes, &lines, &sales, &texts) }
            try body(&lines, &sales, texts)
        }
    }

    private static func read(
        _ bytes: RawSpan,
        _ lines: inout [LineItemSale],
        _ sales: inout [AccountSale],
        _ texts: inout TextDictionary
    ) throws(Finding) {
        var cursor = PartialCursor(bytes, base: 0)
        while !cursor.isAtEnd {
            if try cursor.flag() {
                let (account, chain) = (try cursor.word(as: UInt64.self), try cursor.word(as: UInt128.self))
                var sale = AccountSale(account: account, chain: chain)
                sale.appTransaction = try cursor.word(as: UInt128.self)
                sale.product = Int32(truncatingIfNeeded: try cursor.difference())
                sale.date = try cursor.difference()
                sale.identifier = try cursor.identifier(&texts)
                sales.append(sale)
            } else {
                let item = try cursor.word(as: UInt128.self)
                lines.append(LineItemSale(item: item, identifier: try cursor.identifier(&texts)))
            }
        }
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
    fileprivate mutating func identifier(_ texts: inout TextDictionary) throws(Finding) -> Int64 {
        switch try byte() {
        case 0: return TransactionEntry.unknown
        case 1: return Int64(truncatingIfNeeded: try number())
        default:
            let text = try blob()
            return Identifier(code: texts.code(for: text.span.bytes)).word
        }
    }
}

// Only the collector of one report has these sales. Copies of it that count ranges of transactions do not use them.
extension SpilledSales: @unchecked Sendable {}
