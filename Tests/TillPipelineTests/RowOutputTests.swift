import Synchronization
import SystemPackage
import Testing
import TillColumns
import TillRows
import TillSystem
import TillTestSupport

@testable import TillPipeline

@Suite("Rows as text")
struct RowOutputTests {
    private final class Writes: SystemInterposer {
        let largest = Atomic<Int>(0)
        let total = Atomic<Int>(0)

        func perform(_ call: SystemCall, _ make: (SystemCall) throws(Errno) -> Int) throws(Errno) -> Int {
            if call.name == .write {
                largest.max(call.byteCount, ordering: .relaxed)
                total.add(call.byteCount, ordering: .relaxed)
            }
            return try make(call)
        }
    }

    @Test(
        "A block of rows is written as soon as it is a megabyte of text, however long its texts are",
        arguments: [true, false]
    )
    func boundsBlocks(_ isCSV: Bool) throws {
        let text = String(repeating: "p", count: 100_000)
        let rows = Rows(
            transactions: (0..<100).map { number -> Row<TransactionColumn> in
                [.productID: .text(text), .transactionID: .text("\(number)")]
            }
        )
        let writes = Writes()
        try SystemCall.$interposer.withValue(writes) {
            let output = try RowOutput("/dev/null", written: nil)
            let sink: any RowSink =
                isCSV
                ? CSVSink(output, table: .transactions, isSafe: false) : NDJSONSink(output, tables: [.transactions])
            try sink.consume(rows.batch())
            try sink.finish()
        }
        #expect(writes.total.load(ordering: .relaxed) > 10_000_000)
        #expect(writes.largest.load(ordering: .relaxed) < 2 << 20)
    }
}
