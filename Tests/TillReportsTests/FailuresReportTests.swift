import Testing
import TillCore
import TillLedger
import TillReportModel
import TillReports
import TillRows
import TillTestSupport

@Suite("Failures report")
struct FailuresReportTests {
    private static func event(_ name: String, _ code: Int64, _ failureClass: String, _ at: String) -> Row<EventColumn> {
        [
            .event: .text(name), .errorDomain: "SKErrorDomain", .errorCode: .number(code),
            .errorClass: .text(failureClass), .at: .text(at),
        ]
    }

    private static let log = Rows(
        documents: [
            [.kind: "verify", .status: 21_003, .loggedAt: "2026-03-02T10:15:00Z"],
            [.kind: "verify", .status: 21_003, .loggedAt: "2026-03-02T10:20:00.500Z"],
            [.kind: "verify", .status: 21_006], [.kind: "verify", .status: 0],
            [.kind: "verify", .status: 21_007, .pairKey: "a"], [.kind: "verify", .status: 0, .pairKey: "a"],
            [.kind: "verify", .status: 21_007, .pairKey: "b"],
        ],
        events: [
            [.event: "purchasing", .attemptID: "1"], [.event: "purchasing", .attemptID: "2"],
            [.event: "purchasing", .attemptID: "3"], [.event: "purchasing", .attemptID: "4"],
            event("failed", 2, "cancelled", "2026-03-02T10:00:00Z"),
            event("failed", 0, "store", "2026-03-02T09:59:59Z"),
            event("restore_failed", 0, "network", "2026-03-02T11:00:00Z"),
            [.event: "failed", .errorClass: "unknown"],
        ]
    )

    @Test("A log by hour and version of the app")
    func groups() throws {
        var event = Self.event("failed", 0, "store", "2026-03-02T09:59:59Z")
        event[.appVersion] = "5.2.0"
        var undated = event
        undated[.at] = nil
        let later = event.with([.at: "2026-03-02T11:00:00Z"])
        var rules = LedgerRules()
        rules.keys = [.hour, .appVersion]
        let rows = Rows(
            documents: [[.kind: "verify", .status: 21_003, .loggedAt: "2026-03-02T10:15:00Z"]],
            events: [event, event, later, undated, Self.event("failed", 0, "store", "2026-03-02T09:00:00Z")]
        )
        let lines = try json("failures", rows, rules: rules).split(separator: "\n")
        let start = try #require(lines.firstIndex { $0 == "\"groups\":[" })
        #expect(
            lines[start...].prefix(7).joined(separator: "\n") == """
                "groups":[
                {"domain":"SKErrorDomain","code":0,"hour":"2026-03-02T09:00:00Z","app_version":"5.2.0","count":2,"share":0.4,"first_hour":"2026-03-02T09:00:00Z","last_hour":"2026-03-02T09:00:00Z"},
                {"domain":"SKErrorDomain","code":0,"hour":"2026-03-02T09:00:00Z","app_version":null,"count":1,"share":0.2,"first_hour":"2026-03-02T09:00:00Z","last_hour":"2026-03-02T09:00:00Z"},
                {"domain":"SKErrorDomain","code":0,"hour":"2026-03-02T11:00:00Z","app_version":"5.2.0","count":1,"share":0.2,"first_hour":"2026-03-02T11:00:00Z","last_hour":"2026-03-02T11:00:00Z"},
                {"domain":"SKErrorDomain","code":0,"hour":null,"app_version":"5.2.0","count":1,"share":0.2,"first_hour":null,"last_hour":null},
                {"domain":"verifyReceipt","code":21003,"hour":"2026-03-02T10:00:00Z","app_version":null,"count":1,"share":1,"first_hour":"2026-03-02T10:00:00Z","last_hour":"2026-03-02T10:00:00Z"}
                ],
                """
        )
    }

    @Test("The JSON of a small log is exactly this text")
    func golden() throws {
        #expect(
            try jsonWithoutCoverage("failures", Self.log) == """
                {"report":"failures","version":2,
                "input":{"documents":5,"accepted":4,"rejected":1,"bytes":1000,"transactions":0,"unique_transactions":0},
                "settings":{"calendar":"gregorian","tz":"UTC","refunds_by":"refund","environment":["production","unknown"],"trust":"off"},
                "summary":{"period":"2 March 2026","since":"2026-03-02T09:59:59Z","until":"2026-03-02T11:00:00Z","attempts":4,"failed":2,"failure_rate":0.666667,"now":"2026-03-02T10:20:00.500Z","now_from":"data","verdict":"no_history","incidents":0,"ongoing":0,"exceptions":[{"name":"rejected","count":1},{"name":"undated","count":10}]},
                "failures":[
                {"domain":"SKErrorDomain","code":0,"class":"network","count":2,"first":"2026-03-02T09:59:59Z","last":"2026-03-02T11:00:00Z","rate":0.666667},
                {"domain":"SKErrorDomain","code":2,"class":"cancelled","count":1,"first":"2026-03-02T10:00:00Z","last":"2026-03-02T10:00:00Z","rate":0.25},
                {"domain":"verifyReceipt","code":21003,"class":"invalid","count":2,"first":"2026-03-02T10:15:00Z","last":"2026-03-02T10:20:00.500Z","rate":0.333333},
                {"domain":"verifyReceipt","code":21006,"class":"ok-expired","count":1,"first":null,"last":null,"rate":0.166667},
                {"domain":"verifyReceipt","code":21007,"class":"routing","count":1,"first":null,"last":null,"rate":0.166667},
                {"domain":null,"code":null,"class":"unknown","count":1,"first":null,"last":null,"rate":0.333333}
                ],
                "rates":{"attempts":4,"succeeded":0,"failed":2,"cancelled":1,"deferred":0,"unfinished":1,"failure_rate":0.666667,"cancel_rate":0.25,"verifications":6,"verification_failure_rate":0.5,"paired_21007":1,"last_success":null},
                "series":[
                {"hour":"2026-03-02T09:00:00Z","domain":"SKErrorDomain","code":0,"count":1},
                {"hour":"2026-03-02T10:00:00Z","domain":"SKErrorDomain","code":2,"count":1},
                {"hour":"2026-03-02T10:00:00Z","domain":"verifyReceipt","code":21003,"count":2},
                {"hour":"2026-03-02T11:00:00Z","domain":"SKErrorDomain","code":0,"count":1}
                ],
                "incidents":[],
                "notices":[],
                "advice":[
                {"domain":"SKErrorDomain","code":0,"name":"unknown","retry":"maybe","advice":"Look at the underlying error before counting it."},
                {"domain":"SKErrorDomain","code":2,"name":"paymentCancelled","retry":"never","advice":"Show no error; keep it in the funnel and out of the failure rate."},
                {"domain":"verifyReceipt","code":21003,"name":"receiptNotAuthentic","retry":"never","advice":"Refuse it: its signature does not match, so it was tampered with or is not this app's."},
                {"domain":"verifyReceipt","code":21006,"name":"subscriptionExpired","retry":"never","advice":"Read the decoded receipt in the response and count it as valid."},
                {"domain":"verifyReceipt","code":21007,"name":"sandboxReceipt","retry":"yes","advice":"Send it to the sandbox."}
                ]}

                """
        )
    }

    @Test("The charts of the whole time stand under a heading of their own, not under the hours that are folded")
    func course() throws {
        func failure(_ at: String) -> Row<EventColumn> {
            [.event: "failed", .at: .text(at), .errorDomain: "SKErrorDomain", .errorCode: 0]
        }
        func sections(_ events: [Row<EventColumn>]) throws -> [Section] {
            var ledger = Ledger(needs: ReportRegistry.needs(of: "failures"))
            ledger.update(with: Rows(events: events).batch(), source: "a")
            let input = InputSummary(documents: 2, accepted: 2, rejected: 0, bytes: 1)
            let settled = ledger.settle(LedgerRules())
            return try #require(try ReportRegistry.document(named: "failures", of: settled, input: input)).sections
        }
        let long = try sections([failure("2026-03-01"), failure("2026-03-09")])
        #expect(long.first { $0.name == "series" }?.charts.isEmpty == true)
        let course = try #require(long.first { $0.title == "Failures over time" })
        #expect(course.hasChartsAlone && course.charts.map(\.title) == ["Failures by day"])
        // The chart of the last hours has them all.
        #expect(try !sections([failure("2026-03-09")]).contains { $0.title == "Failures over time" })
    }

    @Test("A case of StoreKit 2 has no code, and advice all the same")
    func named() throws {
        let rows = Rows(events: [
            [.event: "failed", .errorDomain: "StoreKitError.userCancelled", .errorClass: "cancelled"],
            [.event: "failed", .errorDomain: "StoreKitError.brandNew", .errorClass: "unknown"],
        ])
        let text = try findings("failures", rows)
        #expect(text.contains("{\"domain\":\"StoreKitError.userCancelled\",\"code\":null,\"class\":\"cancelled\","))
        #expect(
            text.contains(
                """
                "advice":[
                {"domain":"StoreKitError.userCancelled","code":null,"name":"userCancelled","retry":"never",\
                "advice":"Show no error; keep it in the funnel and out of the failure rate."}
                ]
                """
            )
        )
    }

    @Test("Where every attempt was cancelled there is no failure rate")
    func onlyCancelled() throws {
        let rows = Rows(events: [Self.event("failed", 2, "cancelled", "2026-03-02T10:00:00Z")])
        let rates =
            "\"attempts\":1,\"succeeded\":0,\"failed\":0,\"cancelled\":1,\"deferred\":0,\"unfinished\":0,\"failure_rate\":null,\"cancel_rate\":1,"
        #expect(try findings("failures", rows).contains(rates))
    }

    @Test("Events with a time that cannot be count, and are in no hour")
    func borders() throws {
        let events: [Row<EventColumn>] = [
            [.event: "failed", .at: .number(.min)], [.event: "failed", .at: .number(.max)],
            [.event: "failed", .at: "2569-03-01"],
        ]
        let text = try findings("failures", Rows(events: events))
        #expect(text.contains(#"{"domain":null,"code":null,"class":"unknown","count":3,"first":null,"last":null,"#))
        #expect(text.contains("\"series\":[]"))
        #expect(try summary("failures", Rows(events: events)).contains(#"{"name":"impossible_time","count":3}"#))
    }

    @Test("Examples are listed on request, and as many as requested")
    func examples() throws {
        let rows = Rows(
            events: (0..<4).map { ordinal in
                Self.event("failed", 0, "store", "2026-03-02T10:00:00Z").with([.document: .number(ordinal)])
            }
        )
        var rules = LedgerRules()
        rules.exampleCount = 2
        let text = try findings("failures", rows, rules: rules)
        #expect(
            text.hasSuffix(
                """
                "examples":[
                {"domain":"SKErrorDomain","code":0,"source":"","line":null,"document":1},
                {"domain":"SKErrorDomain","code":0,"source":"","line":null,"document":2}
                ]}

                """
            )
        )
        #expect(try !findings("failures", rows).contains("examples"))
    }
}
