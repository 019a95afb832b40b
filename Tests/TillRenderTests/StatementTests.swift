import Foundation
import Testing
import TillCore
import TillReportModel

@testable import TillRender

@Suite("The answer of a report")
struct StatementTests {
    /// A report with an answer whose texts come from data that wants to be markup.
    private static func document(command: String = "tillroll inspect 'a`b' --document 3") -> ReportDocument {
        var summary = Section(
            name: "summary",
            title: "Summary",
            columns: [Column("failed", "Failed"), Column("causes", "Causes"), Column("ongoing", "Ongoing")],
            content: .record([
                .count(7),
                .records([
                    CellRecord(
                        [.init("app_version", .text("<b>5</b>")), .init("share", .ratio(1, of: 4))],
                        text: "app 5"
                    ),
                    CellRecord([.init("count", .absent)], text: "none"),
                ]),
                .flag(true),
            ]),
            role: .summary
        )
        summary.statements = [
            Statement("\(.count(1234)) failures of <b>5</b>", tone: .alarm),
            Statement("look here", weight: .detail, command: command),
        ]
        let input = Section(
            name: "input",
            title: "Input",
            columns: [Column("documents", "Documents")],
            content: .record([.count(9)]),
            role: .input
        )
        var codes = Section(
            name: "codes",
            title: "Codes",
            columns: [Column("code", "Code", isKey: true), Column("count", "Count")],
            content: .table([[.code(1), .count(5)], [.code(2), .count(20)], [.code(3), .count(5)]])
        )
        codes.rankingColumn = 1
        return ReportDocument(name: "failures", title: "Failures", sections: [input, summary, codes])
    }

    private static func text(
        _ renderer: some Renderer,
        width: Int? = nil,
        _ document: ReportDocument = document()
    ) throws -> String {
        String(decoding: try renderer.render(document, options: RenderOptions(width: width)), as: UTF8.self)
    }

    @Test("A terminal shows it first, codes by count, and what was read last")
    func table() throws {
        let lines = try Self.text(TableRenderer()).split(separator: "\n")
        #expect(lines[2] == "  ● 1,234 failures of <b>5</b>")
        #expect(lines[3] == "    look here   tillroll inspect 'a`b' --document 3")
        #expect(lines.filter { $0.hasPrefix("   2") || $0.hasPrefix("   1") || $0.hasPrefix("   3") }.count == 3)
        let rows = lines.drop { !$0.hasPrefix("─") }.dropFirst().prefix(3)
        #expect(rows.map { $0.split(separator: " ").map(String.init) } == [["2", "20"], ["1", "5"], ["3", "5"]])
        #expect(lines.last == "Input: Documents 9")
    }

    @Test("A command is never wrapped, so that it can be pasted")
    func command() throws {
        let command = "tillroll inspect " + String(repeating: "x", count: 90) + " --document 3"
        let lines = try Self.text(TableRenderer(), width: 80, Self.document(command: command)).split(separator: "\n")
        #expect(lines.contains("      " + command[...]))
    }

    @Test("A command that can be pasted has its flag before each input, and none of standard input")
    func namesInputs() {
        var statement = Statement("14 units have no price", command: "tillroll prices check")
        statement.operands = [.prices, .inputs(flag: "--against")]
        func command(_ inputs: [String]) -> String? {
            statement.command(naming: CommandFiles(inputs: inputs, prices: "prices.csv"))
        }
        #expect(command(["a", "b c"]) == "tillroll prices check prices.csv --against a --against 'b c'")
        #expect(command(["-"]) == "tillroll prices check prices.csv")
        statement.operands = [.inputs(flag: nil)]
        #expect(command(["a", "b"]) == "tillroll prices check a b")
    }

    @Test("Markdown and HTML show it as text, whatever it holds")
    func markup() throws {
        let markdown = try Self.text(MarkdownRenderer())
        #expect(markdown.contains("**● 1,234 failures of &lt;b&gt;5&lt;/b&gt;**"))
        #expect(markdown.contains("- look here `` tillroll inspect 'a`b' --document 3 ``"))
        let page = try Self.text(HTMLRenderer())
        #expect(page.contains("<p>● 1,234 failures of &lt;b&gt;5&lt;/b&gt;</p>"))
        #expect(page.contains("<code>tillroll inspect &#39;a`b&#39; --document 3</code>"))
        let (answer, codes) = (page.range(of: "answer alarm"), page.range(of: ">Codes<"))
        #expect(try #require(answer).lowerBound < #require(codes).lowerBound)
    }

    @Test("Programs get the record, with objects and booleans, and rows by their keys")
    func json() throws {
        let text = try Self.text(JSONRenderer())
        let record =
            "{\"failed\":7,\"causes\":[{\"app_version\":\"<b>5</b>\",\"share\":0.25},{\"count\":null}],\"ongoing\":true}"
        #expect(text.contains("\"summary\":" + record))
        #expect(text.contains("{\"code\":1,\"count\":5},\n{\"code\":2,\"count\":20}"))
        #expect(try !Self.text(CSVRenderer()).contains("summary"))
    }
}

@Suite("What says nothing to people")
struct FoldingTests {
    private static let document: ReportDocument = {
        func record(_ name: String, _ facts: [(String, Int64)], _ role: Section.Role) -> Section {
            Section(
                name: name,
                title: name.capitalized,
                columns: facts.map { Column($0.0, $0.0.capitalized) },
                content: .record(facts.map { .count($0.1) }),
                role: role
            )
        }
        var summary = record("summary", [("net", 5)], .summary)
        summary.statements = [Statement("Net 5"), Statement("one", tone: .warning), Statement("two", tone: .warning)]
        let empty = Section(name: "gaps", title: "Gaps", columns: [Column("a", "A")], content: .table([[Cell]]()))
        return ReportDocument(
            name: "revenue",
            title: "Revenue",
            sections: [
                record("input", [("documents", 9), ("rejected", 0)], .input), summary, empty,
                record("coverage", [("documents", 9), ("rows", 3), ("xcode", 0), ("sandbox", 0)], .coverage),
            ]
        )
    }()

    @Test("Counts of 0 of the coverage are one fact, facts of the input are not repeated, empty tables are a note")
    func folds() throws {
        let text = String(decoding: TableRenderer().render(Self.document, options: RenderOptions()), as: UTF8.self)
        #expect(
            text == """
                Revenue
                ═══════

                  Net 5

                  ! one
                  ! two

                Notes
                - Empty tables: Gaps.

                Input: Documents 9 · Rejected 0
                Coverage: Rows 3 · All others 0

                """
        )
    }

    @Test("JSON has every value of a statement, zeros and empty lists too")
    func programs() {
        let text = String(decoding: JSONRenderer().render(Self.document, options: RenderOptions()), as: UTF8.self)
        #expect(text.contains("\"gaps\":[]") && text.contains("\"rows\":3,\"xcode\":0,\"sandbox\":0"))
    }
}
