import Testing
import TillColumns
import TillLedger
import TillRows
import TillTestSupport

@Suite("Rows of untrusted documents")
struct UntrustedRowsTests {
    private static func settle(_ rows: [(id: Int64, trust: Word, price: Int64?)]) -> SettledLedger {
        var ledger = Ledger()
        var batch = RowBatch()
        for row in rows {
            batch.transactions.beginRow()
            batch.transactions.set(.environment, Word.production.cell)
            batch.transactions.set(.transactionID, row.id)
            batch.transactions.set(.trust, row.trust.cell)
            batch.transactions.set(.price, row.price)
            batch.transactions.endRow()
            batch.documents.beginRow()
            batch.documents.set(.trust, row.trust.cell)
            batch.documents.endRow()
        }
        ledger.update(with: batch)
        return ledger.settle(LedgerRules())
    }

    @Test("Rows of untrusted documents are counted and not booked; all others are booked")
    func leavesThemOut() {
        let settled = Self.settle([
            (1, .trusted, nil), (2, .untrusted, nil), (3, .unanchored, nil), (4, .unsigned, nil), (5, .unchecked, nil),
        ])
        #expect(settled.rowCount == 4)
        #expect(settled.uniqueCount == 4)
        #expect(settled.trust.untrusted == 1)
        #expect(settled.trust.untrustedRows == 1)
        #expect(settled.trust.trusted == 1)
        #expect(settled.trust.unanchored == 1)
        #expect(settled.trust.unsigned == 1)
    }

    @Test("An untrusted duplicate adds nothing to its transaction, in either order", arguments: [false, true])
    func ignoresDuplicates(_ isReversed: Bool) throws {
        let duplicates: [(id: Int64, trust: Word, price: Int64?)] = [(1, .trusted, nil), (1, .untrusted, 9990)]
        let settled = Self.settle(isReversed ? duplicates.reversed() : duplicates)
        #expect(settled.uniqueCount == 1)
        var prices: [Bool] = []
        try settled.forEachTransaction { prices.append($0.price == nil) }
        #expect(prices == [true])
    }

    @Test("A transaction of untrusted documents alone is none")
    func hasNoTransaction() {
        #expect(Self.settle([(1, .untrusted, 9990)]).uniqueCount == 0)
    }
}
