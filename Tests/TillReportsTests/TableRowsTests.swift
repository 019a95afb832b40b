import Testing
import TillCore
import TillRender
import TillReportModel
import TillTestSupport

@Suite("Rows of a table")
struct TableRowsTests {
    private static let numbers: [Int64] = [
        0, 1, -1, 63, 64, -64, -65, 1 << 31, (1 << 62) - 1, 1 << 62, -(1 << 62), -(1 << 62) - 1, .max, .min,
    ]
    private static let euro = CurrencyCode("EUR") ?? CurrencyCode(packed: 0)

    private static let cells: [Cell] =
        [.absent, .text(""), .text("grüße\n\u{0}"), .list([]), .list(["a", "", "ü"]), .ratio(.min, of: .max)]
        + [Int128.max, .min, 0, -1, 1 << 70].map { .money(Money(millionths: $0, currency: euro)) }
        + numbers.flatMap { number in
            [
                .code(number), .count(number), .decimal(millionths: number),
                .instant(Timestamp(milliseconds: number)), .ratio(number, of: 0),
            ]
        }

    @Test("Come out as they went in, whatever is in them", arguments: [1, 2, 3] as [UInt64])
    func keepsCells(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let rows = (0..<300).map { _ in (0..<random.below(9)).map { _ in random.pick(Self.cells) } }
        let packed = TableRows(rows)
        #expect(Array(packed) == rows, "seed \(seed)")
        for (index, row) in rows.enumerated().reversed() {
            #expect(packed[index] == row, "seed \(seed)")
            for column in 0..<row.count + 2 {
                #expect(packed.cell(at: column, of: index) == (column < row.count ? row[column] : nil), "seed \(seed)")
            }
        }
    }

    @Test("Make up blocks, and all rows before any of them", arguments: [0, 1, 1023, 1024, 1025, 2048, 2500])
    func blocks(_ count: Int) {
        let rows = (0..<count).map { [Cell.count(Int64($0)), .text("row \($0)")] }
        let packed = TableRows(rows)
        #expect(packed.count == count)
        #expect((0..<packed.blockCount).flatMap { Array(packed.block($0)) } == rows)
        #expect(packed.blockCount == 0 || !packed.block(packed.blockCount - 1).isEmpty)
        for first in [0, 1, 1023, 1024, 1025, 2047, 2048, count, count + 1] {
            var begun = packed.first(first)
            #expect(Array(begun) == Array(rows.prefix(first)))
            begun.append(.flag(true))
            begun.endRow()
            #expect(Array(begun) == rows.prefix(first) + [[.flag(true)]])
        }
    }

    @Test(
        "Are written in pieces that are together what is rendered at once",
        // The format ledger shows entries only, and this document has none.
        arguments: RendererRegistry.all.filter { !$0.isForPeople && $0.name != LedgerRenderer.name }.map { $0.name }
    )
    func streams(_ name: String) throws {
        let renderer = try #require(RendererRegistry.renderer(named: name)).init()
        let rows = TableRows((0..<60_000).lazy.map { [.text("row"), .count(Int64($0))] })
        let section = Section(
            name: "long",
            title: "Long",
            columns: [Column("name", "Name", isKey: true), Column("count", "Count")],
            content: .table(rows)
        )
        let document = ReportDocument(name: "long", title: "Long", sections: [section])
        let atOnce = try renderer.render(document, options: RenderOptions())
        for jobs in [1, 2, 7] {
            var pieces: [[UInt8]] = []
            try renderer.write(document, options: RenderOptions(jobs: jobs)) { pieces.append($0) }
            #expect(Array(pieces.joined()) == atOnce, "\(jobs) jobs")
            #expect(pieces.count > 1)
            #expect(pieces.allSatisfy { $0.count < 512 << 10 })
        }
        let lines = String(decoding: atOnce, as: UTF8.self).split(separator: "\n").filter { $0.contains("row") }
        #expect(lines.count == 60_000)
        for (number, line) in lines.enumerated() { #expect(line.contains("\(number)")) }
    }
}
