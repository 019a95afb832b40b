import Testing
import TillReportModel
import TillTestSupport

@testable import TillReports

@Suite("Cross tables")
struct CrossTableTests {
    @Test(
        "Random tables have the sums, the order and the rest that plain dictionaries have",
        arguments: Seeds.some(of: UInt64(1)...60)
    )
    func model(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let titles = (0..<Int.random(in: 1...60, using: &generator)).map { "t\($0)" }
        let months = (0..<5).map { Cell.text("2026-0\($0 + 1)") }
        var (table, sums) = (CrossTable(), [String: [Cell: Int128]]())
        for _ in 0..<Int.random(in: 0...300, using: &generator) {
            let (title, month) = (generator.pick(titles), generator.pick(months))
            let amount = Int128(Int.random(in: -3...5, using: &generator))
            table.add(amount, category: month, series: title)
            sums[title, default: [:]][month, default: 0] += amount
        }
        let axis = Array(months.dropFirst()) + [.text("2027-01")]
        func values(_ title: String) -> [Int128] { axis.map { sums[title]?[$0] ?? 0 } }
        func weight(_ title: String) -> Int128 { values(title).reduce(0) { $0 + abs($1) } }
        let ranked = sums.keys.filter { weight($0) > 0 }
            .sorted { (weight($1), $0) < (weight($0), $1) }
        let limit = Int.random(in: 1...9, using: &generator)
        let largest = table.largest(limit, over: axis)
        #expect(largest == Array(ranked.prefix(ranked.count == limit + 1 ? limit + 1 : limit)))

        let names = largest + (Bool.random(using: &generator) ? ["never added"] : [])
        let series = table.series(
            over: axis,
            named: names,
            rest: { "\($0) others" },
            parts: 20,
            cell: { .count(Int64($0)) }
        )
        let others = ranked.filter { !names.contains($0) }
        #expect(series.prefix(names.count).map(\.title) == names)
        #expect(series.prefix(names.count).map(\.values) == names.map { values($0).map { .count(Int64($0)) } })
        #expect(series.count == names.count + (others.isEmpty ? 0 : 1))
        guard let rest = series.last, rest.isRest else { return #expect(others.isEmpty) }
        #expect(rest.title == "\(others.count) others")
        let sum = axis.indices.map { place in others.reduce(0) { $0 + values($1)[place] } }
        #expect(rest.values == sum.map { .count(Int64($0)) })
        #expect(rest.parts.map(\.title) == (others.count <= 20 ? others : []))
        #expect(
            rest.parts.map(\.values) == (others.count <= 20 ? others : []).map { values($0).map { .count(Int64($0)) } }
        )
    }
}
