import Testing
import TillCore
import TillRender
import TillReportModel
import TillRows
import TillTestSupport

@testable import TillLedger
@testable import TillPricing
@testable import TillReports
@testable import TillStorage

@Suite("Failures by keys, and the failures behind a figure")
struct FailureModelTests {
    static let seeds: ClosedRange<UInt64> = 1...40

    /// Rows each with a document of its own.
    private static func rows(_ generator: inout SplitMix64) -> Rows {
        Rows(
            documents: RandomRows.documents(80, from: &generator).enumerated().map { number, row in
                row.with([.document: .number(Int64(number + 1))])
            },
            events: RandomRows.events(150, from: &generator).enumerated().map { number, row in
                row.with([.document: .number(Int64(number + 101))])
            }
        )
    }

    private static func period(_ generator: inout SplitMix64) -> Period? {
        generator.pick([nil, Period(from: Timestamp("2026-03-02"), until: nil)])
    }

    /// A ledger that has read the rows in some batches, and perhaps spills after each.
    private static func ledger(
        _ rows: Rows,
        _ period: Period?,
        needs: LedgerNeeds,
        choosing filter: FailureFilter? = nil,
        spills: Bool,
        _ generator: inout SplitMix64
    ) throws -> SpillingLedger {
        var allowance = spills ? MemoryAllowance(bytes: 0, store: MemoryStore()) : nil
        allowance?.fewestPartitions = 3
        allowance?.mostFailures = 0
        let empty = Ledger(period: period, needs: needs, choosing: filter)
        var ledger = SpillingLedger(empty, allowance: allowance)
        var (documents, events) = (rows.documents[...], rows.events[...])
        while !documents.isEmpty || !events.isEmpty {
            let (some, others) = (Int.random(in: 1...60, using: &generator), Int.random(in: 1...90, using: &generator))
            let part = Rows(documents: Array(documents.prefix(some)), events: Array(events.prefix(others)))
            // The number of a document is given by its row.
            ledger.ledger.update(with: part.batch(), source: "a.ndjson", firstDocument: 0)
            (documents, events) = (documents.dropFirst(some), events.dropFirst(others))
            if spills { try ledger.spill() }
        }
        return ledger
    }

    private static func rules(_ period: Period?) -> LedgerRules {
        var rules = LedgerRules()
        rules.period = period
        return rules
    }

    private static func groups(
        _ ledger: borrowing SettledLedger,
        by grouping: FailureGrouping
    ) throws -> [FailureModel.GroupKey: FailureModel.Group] {
        var groups: [FailureModel.GroupKey: FailureModel.Group] = [:]
        try ledger.forEachFailure(groupedBy: grouping) { counts in
            #expect(counts.groups.reduce(0) { $0 + $1.count } == counts.count)
            for group in counts.groups {
                let values = zip(grouping.keys, group.values).map { key, value -> String? in
                    switch value {
                    case .unknown: nil
                    case .text(let text): text
                    case .time(let code): key.unit.map { BookingCalendar.usual.name(of: code, by: $0) }
                    }
                }
                let key = FailureModel.GroupKey(domain: counts.key.domain, code: counts.key.code, values: values)
                #expect(groups[key] == nil)
                groups[key] = FailureModel.Group(
                    count: group.count,
                    first: group.hours?.lowerBound,
                    last: group.hours?.upperBound
                )
            }
        }
        return groups
    }

    private static let keys: [[GroupKey]] = [
        [.appVersion], [.productID, .storefront], [.day, .osVersion], [.hour, .appVersion, .osVersion, .storefront],
        [.month], [.storefront, .hour, .productID],
    ]

    @Test("Failures are grouped as they are row by row, spilled or not, and in parts", arguments: Seeds.some(of: seeds))
    func grouped(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let (rows, period) = (Self.rows(&generator), Self.period(&generator))
        let grouping = try #require(FailureGrouping(by: generator.pick(Self.keys), in: .usual))
        let expected = FailureModel(rows, in: period).groups(by: grouping.keys.map(\.rawValue))
        #expect(!expected.isEmpty)
        for spills in [false, true] {
            var ledger = try Self.ledger(rows, period, needs: FailuresReport.needs, spills: spills, &generator)
            var blocks: [(PartialBlock, [UInt8])] = []
            try ledger.encode { blocks.append(($0, $1)) }
            var joined = Ledger(needs: FailuresReport.needs)
            var decoder = PartialDecoder()
            for (block, bytes) in blocks {
                try decoder.decode(block, bytes.span.bytes, offset: 0, into: &joined)
            }
            #expect(try Self.groups(joined.settle(Self.rules(period)), by: grouping) == expected, "\(spills)")
            let again = try Self.ledger(rows, period, needs: FailuresReport.needs, spills: spills, &generator)
            #expect(try Self.groups(again.settle(Self.rules(period)), by: grouping) == expected, "\(spills)")
        }
    }

    /// A selection of some keys of a failure, and the failures that it selects.
    private static func selection(
        _ model: FailureModel,
        _ generator: inout SplitMix64
    ) throws -> (FailureSelection, [FailureModel.Failure]) {
        let pattern = try #require(model.failures.randomElement(using: &generator))
        var (texts, selected) = ([String](), model.failures)
        for name in ["domain", "code", "app_version", "os_version", "storefront", "product_id", "day", "hour", "month"]
        {
            guard Int.random(in: 0...2, using: &generator) == 0 || name == "domain" else { continue }
            func value(_ failure: FailureModel.Failure) -> String? {
                switch name {
                case "domain": failure.domain
                case "code": failure.code.map(String.init)
                default: failure.values[name]
                }
            }
            texts.append("\(name)=\(value(pattern) ?? "null")")
            selected = selected.filter { value($0) == value(pattern) }
        }
        return (try FailureSelection(texts.joined(separator: ",")), selected)
    }

    @Test("The failures behind a figure are those that it counts, spilled or not", arguments: Seeds.some(of: seeds))
    func explained(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let (rows, period) = (Self.rows(&generator), Self.period(&generator))
        let (selection, expected) = try Self.selection(FailureModel(rows, in: period), &generator)
        for spills in [false, true] {
            let filter = selection.filter(in: .usual)
            let ledger = try Self.ledger(
                rows,
                period,
                needs: [.failures, .examples],
                choosing: filter,
                spills: spills,
                &generator
            )
            let settled = try ledger.settle(Self.rules(period))
            let known = settled.chosen
            let chosen = try #require(known)
            let found = chosen.listed.map { failure in
                FailureModel.Failure(
                    domain: failure.key.domain,
                    code: failure.key.code,
                    values: [:],
                    at: failure.at?.milliseconds,
                    document: failure.place.document
                )
            }
            let wanted = expected.map { failure in
                var failure = failure
                failure.values = [:]
                return failure
            }
            #expect(found == wanted.sorted { $0.document < $1.document }, "\(spills)")
            #expect(chosen.count == expected.count)
            #expect(chosen.codes.reduce(0) { $0 + $1.count } == expected.count)
            for (failure, model) in zip(chosen.listed, expected.sorted(by: { $0.document < $1.document })) {
                let names = FailureDimension.allCases.map(\.name)
                #expect(failure.values == names.map { model.values[$0] })
            }
        }
    }

    @Test("Of more failures than are listed all are counted, and those with the smallest places are listed")
    func limit() {
        func batch(_ documents: some Sequence<Int>) -> RowBatch {
            Rows(
                events: documents.map { document in
                    [
                        .event: "failed", .errorDomain: "SKErrorDomain", .errorCode: .number(Int64(document % 2)),
                        .productID: "\(document)", .document: .number(Int64(document)),
                    ]
                }
            ).batch()
        }
        var ledger = Ledger(needs: [.failures, .examples])
        ledger.chosen = ChosenFailures(FailureFilter([.domain: .text("SKErrorDomain")], in: .usual), limit: 5)
        ledger.update(with: batch((1...30).reversed()), source: "b.ndjson", firstDocument: 0)
        ledger.update(with: batch([7, 3, 9]), source: "a.ndjson", firstDocument: 0)
        let chosen = ledger.settle(LedgerRules()).chosen
        #expect(chosen?.listed.map(\.place.source) == ["a.ndjson", "a.ndjson", "a.ndjson", "b.ndjson", "b.ndjson"])
        #expect(chosen?.listed.map(\.place.document) == [3, 7, 9, 1, 2])
        #expect(chosen?.listed.map { $0.values[3] } == ["3", "7", "9", "1", "2"])
        #expect(chosen?.count == 33)
        // Odd documents of 1 to 30 are 15, and those of the other source are all odd.
        #expect(chosen?.codes.map(\.count) == [15, 18])
    }

    @Test("A failure is of the day in which its UTC hour begins, where days begin within an hour", .needsTimeZones)
    func halfHours() throws {
        // 00:10 on the 3rd in Kolkata; 18:00 UTC is 23:30 on the 2nd.
        let rows = Rows(
            events: [[.event: "failed", .errorCode: 1, .at: "2026-03-02T18:40:00Z", .document: 1]]
        )
        let calendar = BookingCalendar(zone: try TimeZoneRules.ofDatabase("Asia/Kolkata"))
        var ledger = Ledger(
            needs: [.failures, .examples],
            choosing: try FailureSelection("day=2026-03-02").filter(in: calendar)
        )
        ledger.update(with: rows.batch())
        let settled = ledger.settle(LedgerRules())
        #expect(settled.chosen?.count == 1)
        let grouping = try #require(FailureGrouping(by: [.day], in: calendar))
        var names: [String?] = []
        try settled.forEachFailure(groupedBy: grouping) { counts in
            names += counts.groups.map { group -> String? in
                guard case .time(let code)? = group.values.first else { return nil }
                return calendar.name(of: code, by: .day)
            }
        }
        #expect(names == ["2026-03-02"])
    }

    @Test(
        "What is no selection of failures is refused",
        arguments: [
            "", "code", "code=", "code=x", "hour=14", "hour=2026-03-09", "class=store", "code=1,code=2", "code=1,",
            "currency=USD",
        ]
    )
    func refuses(_ text: String) {
        #expect(throws: Finding.self) { try FailureSelection(text) }
    }
}
