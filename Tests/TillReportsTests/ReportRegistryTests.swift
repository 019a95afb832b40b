import Testing
import TillCore
import TillLedger
import TillPricing
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
        "summary":{"period":null,"since":null,"until":null,"complete":null,"as_of":null,"currency":null,"net":null,"known_net":null,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"previous_net":null,"year_before_net":null,"change":null,"year_change":null,"refund_rate":null,"top_products":[],"deferred":null,"exceptions":[]},
        "revenue":[],
        "totals":[],
        "adjustments":[]}
        """,
        "deferred": """
        "summary":{"period":null,"since":null,"until":null,"complete":null,"as_of":null,"currency":null,"opening":null,"billed":null,"refunds":null,"earned":null,"closing":null,"exceptions":[]},
        "deferred":[],
        "totals":[],
        "schedule":[]}
        """,
        "restores": """
        "summary":{"period":null,"since":null,"until":null,"complete":null,"as_of":null,"restored":0,"eligible":0,"rate":null,"subscription_restores":0,"exceptions":[]},
        "restores":{"restored":0,"eligible":0,"rate":null,"subscription_restores":0},
        "by_product":[],
        "events":{"restored":0,"purchased":0,"rate":null,"restore_completed":0,"restore_failed":0}}
        """,
        "failures": """
        "summary":{"period":null,"since":null,"until":null,"attempts":0,"failed":0,"failure_rate":null,"now":null,"now_from":"data","verdict":"no_data","incidents":0,"ongoing":0,"exceptions":[]},
        "failures":[],
        "rates":{"attempts":0,"succeeded":0,"failed":0,"cancelled":0,"deferred":0,"unfinished":0,"failure_rate":null,"cancel_rate":null,"verifications":0,"verification_failure_rate":null,"paired_21007":0,"last_success":null},
        "series":[],
        "incidents":[],
        "notices":[],
        "advice":[]}
        """,
        "subscriptions": """
        "summary":{"period":null,"since":null,"until":null,"complete":null,"as_of":null,"active":0,"in_trial":0,"month":null,"new":null,"churned":null,"unobserved":null,"churn_rate":null,"currency":null,"mrr":null,"exceptions":[]},
        "subscriptions":{"as_of":null,"chains":0,"active":0,"in_grace":0,"in_trial":0,"without_expiry":0,"undated":0},
        "by_month":[],
        "mrr":[],
        "trials":[],
        "refund_rate":[],
        "retention":[],
        "periods":[]}
        """,
        "anomalies": """
        "summary":{"period":null,"since":null,"until":null,"kinds":0,"accounts":0,"exceptions":[]},
        "anomalies":[
        {"anomaly":"same_line_item","transactions":0,"examples":[]},
        {"anomaly":"same_charge","transactions":0,"examples":[]},
        {"anomaly":"conflicting_copies","transactions":0,"examples":[]},
        {"anomaly":"quantity_above_10","transactions":0,"examples":[]},
        {"anomaly":"refund_before_purchase","transactions":0,"examples":[]},
        {"anomaly":"expires_before_purchase","transactions":0,"examples":[]},
        {"anomaly":"original_after_purchase","transactions":0,"examples":[]},
        {"anomaly":"observed_before_purchase","transactions":0,"examples":[]},
        {"anomaly":"consumable_with_original","transactions":0,"examples":[]}
        ],
        "conflicts":[],
        "accounts":[]}
        """,
        "journal": """
        "summary":{"period":null,"since":null,"until":null,"complete":null,"as_of":null,"entries":0,"estimated_entries":0,"exceptions":[]},
        "journal":[],
        "balances":[],
        "undated":[]}
        """,
    ]

    /// What every report says last.
    private static let coverage = """
        "coverage":{"documents":0,"accepted":0,"rejected":0,"rows":0,"unique_transactions":0,"production":0,"sandbox":0,\
        "xcode":0,"local_testing":0,"unknown_environment":0,"other_environment":0,"not_counted":0,"family_shared":0,\
        "unpriced":0,"undated":0,"assumed_quantity":0,"upgrades_unquantified":0,\
        "other_period":0,"without_expiry":0,"refund_before_purchase":0,\
        "conflicts":0,"changed_by_unsigned":0,"untrusted":0,"foreign":0,"withheld":0,"unread":0}}
        """

    private static func whole(_ name: String) throws -> String {
        let findings = try #require(empty[name], "Say here what \(name) answers.")
        return preamble(name) + findings.dropLast() + ",\n" + coverage
    }

    private static func preamble(_ name: String) -> String {
        """
        {"report":"\(name)","version":\(["revenue", "failures"].contains(name) ? 2 : 1),
        "input":{"documents":0,"accepted":0,"rejected":0,"bytes":0,"transactions":0,"unique_transactions":0},
        "settings":{"calendar":"gregorian","tz":"UTC","refunds_by":"refund","environment":["production","unknown"],"trust":"off"},

        """
    }

    @Test("Every report answers an empty ledger", arguments: ReportRegistry.all.map { $0.name })
    func answersNothing(_ name: String) throws {
        #expect(try json(name, Rows().settled(), input: Self.nothing) == Self.whole(name) + "\n")
    }

    @Test("All of them make one report, in the order of the registry")
    func everything() throws {
        let children = try ReportRegistry.all.filter { $0.isPartOfAll }.map { try Self.whole($0.name) }
        let reports = "\"reports\":[\n" + children.joined(separator: ",\n") + "\n],\n"
        let expected = Self.preamble("all") + reports + Self.coverage + "\n"
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
        for type in ReportRegistry.all where type.isPartOfAll {
            #expect(try all.contains(json(type.name, rows).dropLast()))
        }
    }

    @Test("Each name gives its report, and an unknown name gives none")
    func names() throws {
        #expect(Set(ReportRegistry.names).count == ReportRegistry.names.count)
        #expect(
            ReportRegistry.names == [
                "revenue", "deferred", "restores", "failures", "subscriptions", "anomalies", "journal", "all",
            ]
        )
        let input = InputSummary(documents: 0, accepted: 0, rejected: 0, bytes: 0)
        #expect(try ReportRegistry.document(named: "nonsense", of: Rows().settled(), input: input) == nil)
        #expect(ReportRegistry.all.allSatisfy { !$0.title.isEmpty && !$0.summary.isEmpty })
    }

    @Test("Only failures count no transactions, revenue compares earlier figures, and three reports are explained")
    func traits() {
        let names = ReportRegistry.names
        #expect(names.filter { !ReportRegistry.countsTransactions($0) } == ["failures"])
        #expect(names.filter(ReportRegistry.comparesEarlierFigures) == ["revenue", "all"])
        #expect(ReportRegistry.explainedNames == ["revenue", "deferred", "failures"])
    }

    @Test("The settings list the options of the run, and the input counts rows of every environment")
    func settings() throws {
        let rows = Rows(transactions: [
            [.transactionID: "1"], [.transactionID: "1"], [.transactionID: "2", .environment: "sandbox"],
            [.transactionID: "0", .environment: "xcode"], [.transactionID: "0", .environment: "xcode"],
        ])
        let filter = EnvironmentFilter(["sandbox", "xcode"])
        let text = try json("revenue", rows, environments: filter, rules: LedgerRules(refundDating: .purchase))
        #expect(text.contains("\"bytes\":1000,\"transactions\":5,\"unique_transactions\":4}"))
        #expect(text.contains("\"refunds_by\":\"purchase\",\"environment\":[\"sandbox\",\"xcode\"],"))
        #expect(text.contains("\"transactions\":3,\"paid\":0,\"trials\":0,\"units\":3,"))
    }

    @Test("The coverage counts what is in no figure: other environments, families, unpriced, conflicts, withheld")
    func coverage() throws {
        let rows = Rows(
            transactions: [
                [.transactionID: "1", .quantity: 1], [.transactionID: "1", .quantity: 2],
                [.transactionID: "2", .environment: "sandbox"], [.transactionID: "0", .environment: "xcode"],
                [.transactionID: "3", .environment: "local_testing"], [.transactionID: "4", .environment: "moon"],
                [.transactionID: "5", .environment: "production", .ownershipType: "family_shared"],
                [.transactionID: "6", .environment: "sandbox", .ownershipType: "family_shared"],
                [.transactionID: "7", .price: 990, .currency: "USD"],
            ],
            documents: [[.kind: "verify", .status: 21_003, .withheld: 3], [.kind: "verify", .withheld: 2]]
        )
        let line = try json("revenue", rows).split(separator: "\n").first { $0.hasPrefix("\"coverage\"") }
        #expect(
            line == """
                "coverage":{"documents":5,"accepted":4,"rejected":1,"rows":9,"unique_transactions":8,"production":1,\
                "sandbox":2,"xcode":1,"local_testing":1,"unknown_environment":3,"other_environment":4,"not_counted":4,\
                "family_shared":1,"unpriced":2,"undated":3,"assumed_quantity":2,"upgrades_unquantified":0,\
                "other_period":0,"without_expiry":0,"refund_before_purchase":0,\
                "conflicts":1,"changed_by_unsigned":0,"untrusted":0,\
                "foreign":0,"withheld":5,"unread":0}}
                """
        )
    }

    /// A report, the records of the sandbox that it leaves out, and those that have no time.
    static let omissions: [(name: String, other: Int, undated: Int?)] = [
        ("revenue", 1, 2), ("deferred", 1, 2), ("restores", 3, 2), ("failures", 4, 4), ("subscriptions", 1, 2),
        ("anomalies", 1, nil), ("journal", 1, 2),
    ]

    @Test("Every report names how many records of other environments it leaves out", arguments: omissions)
    func otherEnvironments(_ report: (name: String, other: Int, undated: Int?)) throws {
        let sale: Row<TransactionColumn> = [.quantity: 1, .price: 990, .currency: "USD"]
        let refusal: Row<DocumentColumn> = [.kind: "verify", .status: 21_005]
        let rows = Rows(
            transactions: [
                sale.with([.transactionID: "1"]), sale.with([.transactionID: "2", .environment: "release"]),
                sale.with([.transactionID: "3", .environment: "sandbox"]),
            ],
            documents: [
                refusal, refusal.with([.environment: "release"]), refusal.with([.environment: "sandbox"]),
                [.kind: "verify", .status: 0, .environment: "xcode"],
            ],
            events: [
                [.event: "failed"], [.event: "failed", .environment: "release"],
                [.event: "failed", .environment: "sandbox"], [.event: "purchased", .environment: "sandbox"],
            ]
        )
        var exceptions = report.undated.map { [#"{"name":"undated","count":\#($0)}"#] } ?? []
        exceptions.append(#"{"name":"other_environment","count":\#(report.other)}"#)
        for needs in [ReportRegistry.needs(of: report.name), ReportRegistry.needs(of: "all")] {
            let text = try json(report.name, rows.settled(needs: needs))
            #expect(text.contains(#","count":1},\#(exceptions.joined(separator: ","))]"#), "\(text)")
        }
    }

    @Test("The coverage counts booked sales without a date or a quantity, in whatever period")
    func saleCounts() throws {
        let dated: Row<TransactionColumn> = [.productID: "pro", .purchaseDate: "2026-03-01", .quantity: 1]
        let rows = Rows(transactions: [
            dated.with([.transactionID: "1"]), dated.with([.transactionID: "2", .quantity: 0]),
            dated.with([.transactionID: "3", .quantity: -2, .purchaseDate: "2020-03-01"]),
            [.transactionID: "4", .productID: "pro", .quantity: 3], [.transactionID: "5", .productID: "pro"],
            // None of these is a booked sale: a restore, a family member's, one of the sandbox.
            [.transactionID: "6", .originalTransactionID: "1", .productID: "pro"],
            [.transactionID: "7", .productID: "pro", .ownershipType: "family_shared"],
            [.transactionID: "8", .productID: "pro", .environment: "sandbox", .isUpgraded: true],
            // An upgrade without a percentage, and one with it.
            dated.with([.transactionID: "9", .cancellationDate: "2026-03-09", .isUpgraded: true]),
            dated.with([.transactionID: "10", .cancellationDate: "2026-03-09", .isUpgraded: true, .refundPercentage: 5]
            ),
        ])
        var rules = LedgerRules()
        for period in [nil, Period(from: Timestamp("2026-03-01"), until: Timestamp("2026-04-01"))] {
            rules.period = period
            for name in ReportRegistry.names {
                let text = try json(name, rows, rules: rules)
                #expect(
                    text.contains(
                        #""unpriced":7,"undated":2,"assumed_quantity":3,"upgrades_unquantified":1,"#
                            + #""other_period":0,"without_expiry":0,"refund_before_purchase":0,"conflicts":"#
                    )
                )
            }
        }
    }

    @Test("Every row has a cell for every column")
    func shape() throws {
        let rows = Rows(transactions: [[.transactionID: "1"]], events: [[.event: "failed", .at: "2026-03-01"]])
        let input = InputSummary(documents: 1, accepted: 1, rejected: 0, bytes: 1)
        let document = try #require(try ReportRegistry.document(named: "all", of: rows.settled(), input: input))
        #expect(document.children.map(\.name) == ReportRegistry.all.filter { $0.isPartOfAll }.map { $0.name })
        var rowCount = 0
        for section in document.sections + document.children.flatMap(\.sections) {
            switch section.content {
            case .record(let cells): #expect(cells.count == section.columns.count)
            case .table(let rows):
                #expect(rows.allSatisfy { $0.count == section.columns.count })
                rowCount += rows.count
            }
            #expect(Set(section.columns.map(\.name)).count == section.columns.count)
        }
        #expect(rowCount > 0)
    }
}
