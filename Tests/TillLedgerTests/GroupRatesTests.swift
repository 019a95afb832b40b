import Testing
import TillCore
import TillPricing
import TillRows
import TillTestSupport

@testable import TillLedger

@Suite("Rates by the keys of a report")
struct GroupRatesTests {
    private static let start = Timestamp("2026-03-02").milliseconds

    private static func event(_ random: inout SplitMix64) -> Row<EventColumn> {
        var row: Row<EventColumn> = [
            .at: .number(start + Int64.random(in: 0..<5 * 86_400_000, using: &random)),
            .event: .text(
                [
                    "purchased", "purchased", "failed", "restored", "restore_failed", "product_request_failed",
                    "purchasing",
                ]
                .randomElement(using: &random) ?? ""
            ),
        ]
        if Bool.random(using: &random) { row = row.with([.bundleID: ["a", "b"].randomElement(using: &random) ?? "a"]) }
        if Bool.random(using: &random) {
            row = row.with([.appVersion: ["1", "2"].randomElement(using: &random) ?? "1", .storefront: "DEU"])
        }
        if Int.random(in: 0..<20, using: &random) == 0 { row[.at] = nil }
        row = row.with([
            .errorDomain: "SKErrorDomain", .errorCode: .number(Int64.random(in: 0..<3, using: &random)),
            .errorClass: ["store", "network", "cancelled", "deferred"].randomElement(using: &random) ?? "store",
        ])
        if Bool.random(using: &random) { row = row.with([.underlyingDomain: "AMSErrorDomain", .underlyingCode: 301]) }
        return row
    }

    /// Attempts and failures by kind and values, one event after the other.
    private static func plain(
        _ events: [Row<EventColumn>],
        _ keys: [GroupKey],
        _ period: Period?
    ) -> [String: [Int]] {
        var sums: [String: [Int]] = [:]
        var allOfKind: [String: [Int]] = [:]
        for event in events {
            guard case .number(let at) = event[.at], period?.contains(Timestamp(milliseconds: at)) ?? true,
                case .text(let name) = event[.event]
            else { continue }
            let isFailure = name.hasSuffix("failed")
            let isHarmless = event[.errorClass] == "cancelled" || event[.errorClass] == "deferred"
            let family =
                switch name {
                case "purchased", "failed": "purchase"
                case "restored", "restore_failed": "restore"
                case "product_request_failed": "products"
                default: ""
                }
            if family.isEmpty || isFailure && isHarmless { continue }
            func text(_ column: EventColumn) -> String {
                if case .text(let text) = event[column] { text } else { "-" }
            }
            func values(withError: Bool) -> String {
                keys.map { key in
                    switch key {
                    case .day: String(Timestamp(milliseconds: at).description.prefix(10))
                    case .bundleID: text(.bundleID)
                    case .appVersion: text(.appVersion)
                    case .storefront: text(.storefront)
                    default: withError && event[.underlyingCode] != nil ? "AMSErrorDomain 301" : "-"
                    }
                }
                .joined(separator: " ")
            }
            allOfKind["\(family) \(values(withError: false))", default: [0]][0] += 1
            sums["\(family) \(values(withError: false))", default: [0, 0]][0] += 1
            if isFailure { sums["\(family) \(values(withError: true))", default: [0, 0]][1] += 1 }
        }
        for name in sums.keys {
            let own = name.replacing("AMSErrorDomain 301", with: "-")
            let purchases = name.hasPrefix("products") ? own.replacing("products", with: "purchase") : own
            let bought = purchases == own ? 0 : allOfKind[purchases]?[0] ?? 0
            sums[name]?[0] = (allOfKind[own]?[0] ?? 0) + bought
        }
        return sums
    }

    private static func text(_ value: FailureGroup.Value, _ key: GroupKey) -> String {
        switch value {
        case .unknown: "-"
        case .text(let text): text
        case .time(let code): BookingCalendar.usual.name(of: code, by: key.unit ?? .day)
        }
    }

    @Test(
        "They are the rates of a plain count, also in a period, and for two parts that are joined",
        arguments: Seeds.some(of: UInt64(1)...40, fixed: 24)
    )
    func plainCount(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let events = (0..<300).map { _ in Self.event(&random) }
        var rules = LedgerRules()
        if Bool.random(using: &random) {
            rules.period = try BookingCalendar.usual.period(since: "2026-03-03T05:17:00Z", until: "2026-03-05")
        }
        let keys = try #require(
            [
                [.appVersion], [.bundleID, .day], [.storefront, .appVersion], [.underlyingCode],
                [.underlyingCode, .bundleID],
            ]
            .randomElement(using: &random) as [GroupKey]?
        )
        let grouping = try #require(FailureGrouping(by: keys, in: rules.calendar))
        let cut = Int.random(in: 0...300, using: &random)
        let ledger = Rows.settled(
            [Rows(events: Array(events[..<cut])), Rows(events: Array(events[cut...]))],
            rules: rules,
            needs: [.failures, .incidents]
        )
        var found: [String: [Int]] = [:]
        for group in ledger.failureRates(by: grouping).groups {
            let values = zip(group.values, keys).map(Self.text).joined(separator: " ")
            found["\(group.family) \(values)"] = [group.attempts, group.failed]
        }
        #expect(found == Self.plain(events, keys, rules.period))
    }

    @Test("The time up to which nothing is kept is known")
    func lost() throws {
        var cells = IncidentCells()
        cells.forget(.values, through: Timestamp("2026-03-02T10:00:00Z").hour)
        let grouping = try #require(FailureGrouping(by: [.appVersion], in: .usual))
        let rates = GroupRates(cells, by: grouping, hasPeriod: false, Word.ledgerDictionary())
        #expect(rates.lostBefore == Timestamp("2026-03-02T11:00:00Z"))
        #expect(GroupRates(cells, by: grouping, hasPeriod: true, Word.ledgerDictionary()).lostBefore == nil)
    }
}
