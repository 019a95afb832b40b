import Testing
import TillTestSupport

@testable import TillLedger

@Suite("Cells of failures")
struct FailureCellTests {
    /// Few cells, many of a short log, and many of all times and texts.
    @Test("Digit by digit, cells come in the order in which comparing them puts them", arguments: 1...24)
    func sortsByDigits(seed: Int) {
        var numbers = SplitMix64(seed: UInt64(seed))
        let hours = [490_000...490_100, 0...500_000, -(1 << 41)...1 << 41][seed % 3]
        let kinds: [FailureCell.Kind] = [.combination, .hour, .failureClass]
        var cells: [UInt128: FailureCell] = [:]
        for _ in 0..<(seed < 4 ? 900 : 5000) {
            let cell = FailureCell(
                Int.random(in: 0..<(seed % 2 == 0 ? 3 : 70_000), using: &numbers),
                kinds[Int.random(in: 0..<3, using: &numbers)],
                hour: Int.random(in: 0..<10, using: &numbers) == 0 ? nil : Int.random(in: hours, using: &numbers),
                value: Int32.random(in: 0...(seed % 5 == 0 ? .max : 300), using: &numbers),
                count: Int.random(in: 1...9, using: &numbers)
            )
            cells[cell.packed] = cell
        }
        var sorted = Array(cells.values)
        sorted.sortByDigits()
        let expected = cells.keys.sorted()
        #expect(sorted.map(\.packed) == expected)
        #expect(sorted.map(\.count) == expected.map { cells[$0]?.count })
    }
}
