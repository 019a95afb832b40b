import Testing
import TillTestSupport

@testable import TillLedger

@Suite("Cells of failures")
struct FailureCellTests {
    /// Few cells, many of a short log, and many of all times and texts.
    @Test(
        "Digit by digit, cells come in the order in which comparing them puts them",
        arguments: Seeds.some(of: 1...24)
    )
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
                value: Int32.random(in: 0...(seed % 4 == 0 ? .max : 300), using: &numbers),
                count: Int.random(in: 1...9, using: &numbers)
            )
            cells[cell.packed] = cell
        }
        var sorted = Array(cells.values)
        sorted.sortByDigits(\.packed)
        let expected = cells.keys.sorted()
        #expect(sorted.map(\.packed) == expected)
        #expect(sorted.map(\.count) == expected.map { cells[$0]?.count })
    }

    /// More than are pending at once, so that some are counted early; into two tallies, one of which is added to the
    /// other.
    @Test("Counts are those of a dictionary, in order", arguments: Seeds.some(of: 1...6))
    func countsLikeADictionary(seed: Int) {
        var numbers = SplitMix64(seed: UInt64(seed))
        let hours = seed % 2 == 0 ? 490_000...490_010 : 0...500_000
        var expected: [UInt128: Int] = [:]
        var counts = [FailureCellCounts(), FailureCellCounts()]
        for _ in 0..<100_000 {
            let cell = FailureCell(
                Int.random(in: 0..<9, using: &numbers),
                [.combination, .combination, .hour, .failureClass][Int.random(in: 0..<4, using: &numbers)],
                hour: Int.random(in: 0..<10, using: &numbers) == 0 ? nil : Int.random(in: hours, using: &numbers),
                value: Int32.random(in: 0...300, using: &numbers),
                count: Int.random(in: 1...3, using: &numbers)
            )
            expected[cell.packed, default: 0] += cell.count
            counts[Int.random(in: 0..<2, using: &numbers)].add(cell)
        }
        var sum = counts[0]
        counts[1].visit { sum.add($0) }
        let ordered = sum.ordered
        #expect(ordered.map(\.packed) == expected.keys.sorted())
        #expect(ordered.map(\.count) == ordered.map { expected[$0.packed] })
    }
}
