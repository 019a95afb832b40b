import Testing
import TillTestSupport

@testable import TillLedger

@Suite("Sorted cells")
struct SortedCellsTests {
    /// Few cells, many of a short log, and many of all times. More than wait at once, so that some are counted early; in
    /// two counters, one of which is added to the other.
    @Test("Cells have the counts of a dictionary, in order", arguments: Seeds.some(of: 1...24))
    func countsLikeADictionary(seed: Int) {
        var numbers = SplitMix64(seed: UInt64(seed))
        let hours = [490_000...490_010, 0...500_000, -(1 << 41)...1 << 41][seed % 3]
        var expected: [UInt128: Int] = [:]
        var counters = [SortedCells<FailureCell>(), SortedCells<FailureCell>()]
        for _ in 0..<(seed < 4 ? 900 : 100_000) {
            let hasHour = Int.random(in: 0..<10, using: &numbers) > 0
            let cell = FailureCell(
                kind: Int32.random(in: 0..<(seed % 2 == 0 ? 9 : 70_000), using: &numbers),
                hour: hasHour ? Int.random(in: hours, using: &numbers) : FailureCell.noHour,
                combination: Int32.random(in: 0...(seed % 4 == 0 ? .max : 300), using: &numbers),
                count: Int.random(in: 1...3, using: &numbers)
            )
            expected[cell.packed, default: 0] += cell.count
            counters[Int.random(in: 0..<2, using: &numbers)].add(cell)
        }
        var sum = counters[0]
        for cell in counters[1].all { sum.add(cell) }
        let ordered = sum.ordered
        #expect(ordered.map(\.packed) == expected.keys.sorted())
        #expect(ordered.map(\.count) == ordered.map { expected[$0.packed] })
    }

    @Test("The parts of a key come back, and order cells by kind, hour and combination")
    func keepsParts() {
        let parts: [(kind: Int32, hour: Int, combination: Int32)] = [
            (0, FailureCell.noHour, .max), (0, -5, 0), (0, 490_000, 7), (0, 490_000, 8), (1, FailureCell.noHour, 0),
            (.max, 1 << 42, .max),
        ]
        let cells = parts.map { FailureCell(kind: $0.kind, hour: $0.hour, combination: $0.combination) }
        for (cell, part) in zip(cells, parts) {
            #expect((cell.kind, cell.hour, cell.combination) == (Int(part.kind), part.hour, part.combination))
        }
        #expect(cells.map(\.packed) == cells.map(\.packed).sorted())
    }
}
