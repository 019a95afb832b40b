import Testing
import TillLedger
import TillReportModel
import TillReports
import TillRows
import TillTestSupport

@Suite("Report registry")
struct ReportRegistryTests {
    private static let nothing = InputSummary(documents: 0, accepted: 0, rejected: 0, bytes: 0)

    /// What each report says of an empty ledger, below its settings.
    static let empty = [
        "revenue": """
        "revenue":[],
        "totals":[],
        "adjustments":[]}
        """,
        "restores": """
        "restores":{"restored":0,"eligible":0,"rate":null,"subscription_restores":0},
        "by_product":[],
        "events":{"restored":0,"purchased":0,"rate":null,"restore_completed":0,"restore_failed":0}}
        """,
        "failures": """
        "failures":[],
        "rates":{"attempts":0,"failed":0,"cancelled":0,"failure_rate":null,"cancel_rate":null,"verifications":0,"verification_failure_rate":null},
        "series":[],
        "spikes":[]}
        """,
    ]

    private static func preamble(_ name: String) -> String {
        """
        {"report":"\(name)","version":1,
        "input":{"documents":0,"accepted":0,"rejected":0,"bytes":0,"transactions":0,"unique_transactions":0},
        "settings":{"calendar":"gregorian","tz":"UTC","refunds_by":"refund","environment":["production","unknown"],"trust":"off"},

        """
    }

    @Test("Every report answers an empty ledger", arguments: ReportRegistry.all.map { $0.name })
    func answersNothing(_ name: String) throws {
        let expected = try #require(Self.empty[name], "Say here what \(name) answers.")
        #expect(try json(name, Rows().settled(), input: Self.nothing) == Self.preamble(name) + expected + "\n")
    }

    @Test("All of them make one report, in the order of the registry")
    func everything() throws {
        let children = try ReportRegistry.all.map { type in
            Self.preamble(type.name) + (try #require(Self.empty[type.name]))
        }
        let expected = Self.preamble("all") + "\"reports\":[\n" + children.joined(separator: ",\n") + "\n]}\n"
        #expect(try json("all", Rows().settled(), input: Self.nothing) == expected)
    }

    @Test("A report says the same alone and among all")
    func aloneAndTogether() throws {
        let rows = Rows(
            transactions: [
                [.transactionID: "1", .productID: "pro"], [.transactionID: "2", .originalTransactionID: "1"],
            ],
            documents: [[.kind: "verify", .status: 21_003]],
            events: [[.event: "purchased"], [.event: "failed"]]
        )
        let all = try json("all", rows)
        for type in ReportRegistry.all {
            #expect(try all.contains(json(type.name, rows).dropLast()))
        }
    }

    @Test("Names are told apart, and one that nobody has gives nothing")
    func names() throws {
        #expect(Set(ReportRegistry.names).count == ReportRegistry.names.count)
        #expect(ReportRegistry.names == ["revenue", "restores", "failures", "all"])
        #expect(try json("nonsense", Rows()) == "")
        #expect(ReportRegistry.all.allSatisfy { !$0.title.isEmpty && !$0.summary.isEmpty })
    }

    @Test("The settings tell what was asked for, and the input counts rows of every environment")
    func settings() throws {
        let rows = Rows(transactions: [
            [.transactionID: "1"], [.transactionID: "1"], [.transactionID: "2", .environment: "sandbox"],
            [.transactionID: "0", .environment: "xcode"], [.transactionID: "0", .environment: "xcode"],
        ])
        let filter = EnvironmentFilter(["sandbox", "xcode"])
        let text = try json("revenue", rows, environments: filter, rules: LedgerRules(refundDating: .purchase))
        #expect(text.contains("\"bytes\":1000,\"transactions\":5,\"unique_transactions\":4}"))
        #expect(text.contains("\"refunds_by\":\"purchase\",\"environment\":[\"sandbox\",\"xcode\"],"))
        #expect(text.contains("\"transactions\":3,\"units\":3,"))
    }

    @Test("Every row has a cell for every column")
    func shape() throws {
        let rows = Rows(transactions: [[.transactionID: "1"]], events: [[.event: "failed", .at: "2026-03-01"]])
        let input = InputSummary(documents: 1, accepted: 1, rejected: 0, bytes: 1)
        let document = try #require(try ReportRegistry.document(named: "all", of: rows.settled(), input: input))
        #expect(document.children.map(\.name) == ReportRegistry.all.map { $0.name })
        for section in document.sections + document.children.flatMap(\.sections) {
            switch section.content {
            case .record(let cells): #expect(cells.count == section.columns.count)
            case .table(let rows): #expect(rows.allSatisfy { $0.count == section.columns.count })
            }
            #expect(Set(section.columns.map(\.name)).count == section.columns.count)
        }
    }
}
