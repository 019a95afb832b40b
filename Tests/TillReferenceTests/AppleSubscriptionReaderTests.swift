import Testing
import TillCore
import TillPricing
import TillTestSupport

@testable import TillReference

/// Lines of cells, those of the header first.
private func sheet(_ header: [String], _ rows: [[String: String]], end: String = "\n") -> String {
    let lines =
        [header.joined(separator: "\t")] + rows.map { row in header.map { row[$0] ?? " " }.joined(separator: "\t") }
    return lines.map { $0 + end }.joined()
}

private let eventHeader = [
    "Event Date", "Event", "App Name", "Subscription Name", "Subscription Apple ID", "Subscription Offer Type",
    "Consecutive Paid Periods", "Country", "Quantity",
]
private let subscriberHeader = [
    "Event Date", "Subscription Name", "Subscription Apple ID", "Subscription Offer Type", "Customer Price",
    "Customer Currency", "Subscriber ID", "Refund", "Units",
]
private let stateHeader = [
    "App Name", "Subscription Name", "Subscription Apple ID", "Country", "Active Standard Price Subscriptions",
    "Active Free Trial Introductory Offer Subscriptions", "Active Pay Up Front Introductory Offer Subscriptions",
    "Active Pay as You Go Introductory Offer Subscriptions", "Pay Up Front Offer Code Subscriptions", "Billing Retry",
    "Grace Period",
]

/// One `Subscribe` of Pro (111) on 2 March 2026, with some cells changed.
private func event(_ changes: [String: String] = [:]) -> [String: String] {
    [
        "Event Date": "2026-03-02", "Event": "Subscribe", "Subscription Name": "Pro", "Subscription Apple ID": "111",
        "Consecutive Paid Periods": "1", "Country": "US", "Quantity": "1",
    ].merging(changes) { $1 }
}

/// A payment of 9.99 for Pro on 2 March 2026, with some cells changed.
private func payment(_ changes: [String: String] = [:]) -> [String: String] {
    [
        "Event Date": "2026-03-02", "Subscription Name": "Pro", "Subscription Apple ID": "111",
        "Customer Price": "9.99",
        "Customer Currency": "USD", "Subscriber ID": "5", "Units": "1",
    ].merging(changes) { $1 }
}

/// A row of a Subscription report in which every count is 0, with some cells changed.
private func state(_ changes: [String: String] = [:]) -> [String: String] {
    let zeros = Dictionary(uniqueKeysWithValues: stateHeader.dropFirst(4).map { ($0, "0") })
    return ["App Name": "App", "Subscription Name": "Pro", "Subscription Apple ID": "111", "Country": "US"]
        .merging(zeros) { $1 }.merging(changes) { $1 }
}

private func events(_ rows: [String: String]...) -> String { sheet(eventHeader, rows) }
private func payments(_ rows: [String: String]...) -> String { sheet(subscriberHeader, rows) }
private func states(_ rows: [String: String]...) -> String { sheet(stateHeader, rows) }

private func read(_ text: String, name: String = "file.txt", chunk: Int = .max) throws -> AppleSubscriptionReport {
    try read(Array(text.utf8), name: name, chunk: chunk)
}

private func read(_ bytes: [UInt8], name: String = "file.txt", chunk: Int = .max) throws -> AppleSubscriptionReport {
    var reader = AppleReportReader(name: name)
    var (kept, position): ([UInt8], Int) = ([], 0)
    repeat {
        let end = chunk < bytes.count - position ? position + chunk : bytes.count
        kept += bytes[position..<end]
        position = end
        kept.removeFirst(try reader.read(kept.span.bytes, isLast: position == bytes.count))
    } while position < bytes.count
    switch try reader.finish() {
    case .sales(let report): throw NotSubscriptions(kind: report.kind)
    case .subscriptions(let report): return report
    }
}

private struct NotSubscriptions: Error {
    let kind: AppleReport.Kind
}

/// The entries as `2026-03-02 Pro new 3`, `?` for a count that is not told, in order.
private func lines(_ report: AppleSubscriptionReport) -> [String] {
    report.entries.map { entry in
        let product = report.products[entry.product]
        let day = entry.day.map {
            Timestamp(milliseconds: Int64($0) * Timestamp.millisecondsPerDay).description.prefix(10)
        }
        let units = entry.count.units.map { "\($0)" } ?? "?"
        return "\(day ?? "-") \(product.name ?? product.appleID ?? "-") \(entry.measure.rawValue) \(units)"
    }.sorted()
}

private func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
    CivilDate(year: year, month: month, day: day).daysSinceEpoch
}

@Suite("Apple's reports about subscriptions")
struct AppleSubscriptionReaderTests {
    @Test("Events are added up by day and subscription, as far as they begin or end paid service or a trial")
    func eventRows() throws {
        let free = ["Subscription Offer Type": "Free Trial"]
        let report = try read(
            events(
                event(["Quantity": "3"]),
                event(["Country": "DE", "Quantity": "2.00"]),
                event(["Event": "Start Introductory Offer", "Quantity": "4"].merging(free) { $1 }),
                event(["Event": "Paid Subscription from Introductory Offer", "Quantity": "2"].merging(free) { $1 }),
                event(["Event": "Cancel", "Consecutive Paid Periods": "7", "Quantity": "5"]),
                event(["Event": "Reactivate"]),
                event(["Event": "Renew", "Quantity": "90"]),
                event(["Event": "Cancel", "Event Date": "2026-03-03", "Subscription Apple ID": "222"])
            )
        )
        // New: 3 + 2 at the standard price, and 2 after a trial. Churned: 5 ended, 1 began again.
        #expect(
            lines(report) == [
                "2026-03-02 Pro churned 4", "2026-03-02 Pro conversions 2", "2026-03-02 Pro new 7",
                "2026-03-02 Pro trials 4", "2026-03-03 Pro churned 1",
            ]
        )
        #expect(report.kind == .subscriptionEvent)
        #expect(report.days == [day(2026, 3, 2), day(2026, 3, 3)])
        #expect(report.products.map(\.appleID) == ["111", "222"])
        #expect((report.rowCount, report.otherRowCount, report.unknownEvents.count) == (7, 1, 0))
    }

    /// An event, the type of its offer, its paid periods, and what each unit of it changes.
    static let meanings: [(String, String, String, String)] = [
        ("Subscribe", " ", "1", "new 1"),
        ("Start Free Trial", " ", "0", "trials 1"),
        ("Start Introductory Price", "Free Trial", "0", "trials 1"),
        ("Start Introductory Offer", "Pay Up Front", "1", "new 1"),
        ("start  introductory OFFER", "Pay as You Go", "1", "new 1"),
        ("Start Offer Code", "Free Trial", "0", "trials 1"),
        ("Start Introductory Offer", " ", "0", "new ?, trials ?"),
        ("Paid Subscription from Free Trial", " ", "1", "conversions 1, new 1"),
        ("Paid Subscription from Introductory Price", "Free Trial", "1", "conversions 1, new 1"),
        ("Paid Subscription from Introductory Offer", "Pay As You Go", "2", ""),
        ("Paid Subscription from Introductory Offer", " ", "1", "conversions ?, new ?"),
        ("Upgrade from Introductory Offer", "Free Trial", "1", "conversions 1, new 1"),
        ("Paid Subscription from Offer Code", "Pay Up Front", "2", ""),
        ("Cancel", " ", "3", "churned 1"),
        ("Cancel", "Free Trial", "0", ""),
        ("Cancel", " ", " ", "churned ?"),
        ("Canceled After Renewal Extension", " ", "1", "churned 1"),
        ("Canceled from Billing Grace Period", " ", "1", "churned 1"),
        ("Cancelled from Billing Retry", " ", "1", ""),
        ("Billing Retry from Paid Subscription", " ", "4", "churned 1"),
        ("Billing Retry from Introductory Offer", "Free Trial", "0", ""),
        ("Billing Retry from Introductory Offer", "Pay As You Go", "1", "churned 1"),
        ("Billing Retry from Introductory Offer", " ", " ", "churned ?"),
        ("Billing Grace Period from Paid Subscription", " ", "4", ""),
        ("Renewal from Billing Retry", " ", "1", "conversions 1, new 1"),
        ("Renewal from Billing Retry", " ", "2", "churned -1"),
        ("Crossgrade from Billing Retry", " ", " ", "churned ?, conversions ?, new ?"),
        ("Renewals from Grace Period", " ", "2", ""),
        ("Reactivate", " ", "1", "churned -1"),
        ("Reactivate with Upgrade", " ", "1", "churned -1"),
        ("Reactivate with Crossgrade to Introductory Offer", "Pay Up Front", "1", "churned -1"),
        ("Reactivate to Introductory Offer", "Free Trial", "0", ""),
        ("Renew", " ", "9", ""), ("Refund", " ", "9", ""), ("Crossgrade", " ", "9", ""),
    ]

    @Test("What an event means depends on the offer and on what was paid before", arguments: meanings)
    func meaning(_ name: String, _ offer: String, _ periods: String, _ changes: String) throws {
        let row = event(["Event": name, "Subscription Offer Type": offer, "Consecutive Paid Periods": periods])
        let report = try read(events(row))
        let found = lines(report).map { $0.split(separator: " ").dropFirst(2).joined(separator: " ") }
        #expect(found.joined(separator: ", ") == changes)
        #expect(report.unknownEvents.isEmpty)
        #expect(report.otherRowCount == (changes.isEmpty ? 1 : 0))
    }

    @Test("An event of a name that is not known is counted by its name")
    func unknownEvents() throws {
        let report = try read(
            events(event(["Event": "Ascend"]), event(["Event": "Ascend"]), event(["Event": "Start Win-back Offer"]))
        )
        #expect(report.unknownEvents == ["Ascend": 2, "Start Win-back Offer": 1])
        #expect(report.entries.isEmpty)
        #expect(report.otherRowCount == 3)
    }

    @Test("Active are those that are paid for: standard, paid offers, grace; the day is that in the name")
    func stateRows() throws {
        // 10 + 2 + 3 + 4 + 1 in the first country, 5 in the second; trials and billing retry are not paid for.
        let first = state([
            "Active Standard Price Subscriptions": "10", "Active Free Trial Introductory Offer Subscriptions": "70",
            "Active Pay Up Front Introductory Offer Subscriptions": "2",
            "Active Pay as You Go Introductory Offer Subscriptions": "3", "Pay Up Front Offer Code Subscriptions": "4",
            "Billing Retry": "80", "Grace Period": "1",
        ])
        let text = states(first, state(["Country": "DE", "Active Standard Price Subscriptions": "5"]))
        let report = try read(text, name: "a/Subscription_80012345_20260331.txt.gz")
        #expect(lines(report) == ["2026-03-31 Pro active 25"])
        #expect(report.days == [day(2026, 3, 31)])
        #expect(try read(text).days == [])
        #expect(lines(try read(text)) == ["- Pro active 25"])
    }

    @Test("A blank count is not told, and is no 0")
    func blanks() throws {
        let report = try read(states(state(["Grace Period": " "]), state(["Subscription Apple ID": "222"])))
        #expect(lines(report) == ["- Pro active 0", "- Pro active ?"])
        #expect(lines(try read(events(event(["Quantity": " "]), event()))) == ["2026-03-02 Pro new ?"])
    }

    @Test("Payments and free trials of subscribers are counted, refunds and gifts are other rows")
    func payments() throws {
        let report = try read(
            payments(
                payment(),
                payment(["Units": "2"]),
                payment(["Customer Price": "-9.99", "Refund": "Yes"]),
                payment(["Refund": "Yes"]),
                payment(["Customer Price": "0", "Subscription Offer Type": "Free Trial"]),
                payment(["Customer Price": "0.00"])
            )
        )
        #expect(lines(report) == ["2026-03-02 Pro charges 3", "2026-03-02 Pro trials 1"])
        #expect((report.kind, report.rowCount, report.otherRowCount) == (.subscriber, 3, 3))
    }

    private func payments(_ rows: [String: String]...) -> String { sheet(subscriberHeader, rows) }

    @Test(
        "The last date in a name is its day",
        arguments: [
            ("Subscription_Event_80012345_20260331.txt", "2026-03-31"), ("S_20260331_V1_3.txt.gz", "2026-03-31"),
            ("20260131/Subscription_20260228.txt", "2026-02-28"), ("Subscription_20260231.txt", ""),
            ("Subscription_80012345.txt", ""), ("Subscription_2026-03-31.txt", ""), ("", ""),
        ]
    )
    func dayOfName(_ name: String, _ expected: String) {
        let found = AppleReportReader.day(inName: name).map { day in
            String(Timestamp(milliseconds: Int64(day) * Timestamp.millisecondsPerDay).description.prefix(10))
        }
        #expect(found ?? "" == expected)
    }

    @Test("Columns may be in any order, case and chunks, and others are passed over")
    func anyOrder() throws {
        let rows = [event(["Quantity": "3"]), event(["Event": "Cancel"]), event(["Event Date": "2026-03-05"])]
        let expected = lines(try read(sheet(eventHeader, rows)))
        let text =
            "\u{FEFF}"
            + sheet(eventHeader.reversed() + ["Newest"], rows, end: "\r\n").replacing("Quantity", with: " quantity")
        for chunk in 1...64 { #expect(lines(try read(text, chunk: chunk)) == expected, "chunks of \(chunk)") }
    }

    @Test("A file with a header only tells the day of its name, and nothing happened on it")
    func headerOnly() throws {
        let report = try read(events(), name: "Subscription_Event_80012345_20260331.txt")
        #expect((report.days, report.entries.count) == ([day(2026, 3, 31)], 0))
    }

    static let rejected: [(String, String, Int)] = [
        (sheet(["Event Date", "Event", "Subscription Name"], []), "apple.missing-column", 1),
        (sheet(["Event Date", "Event", "Quantity"], []), "apple.missing-column", 1),
        (sheet(["Event Date", "Subscriber ID", "Units", "Subscription Name"], []), "apple.missing-column", 1),
        (sheet(["App Name", "Active Standard Price Subscriptions"], []), "apple.missing-column", 1),
        (sheet(eventHeader + ["quantity"], []), "apple.repeated-column", 1),
        (sheet(stateHeader + ["grace  period"], []), "apple.repeated-column", 1),
        (events(event(["Quantity": "1.5"])), "apple.units", 2),
        (events(event(), event(["Quantity": "-1"])), "apple.units", 3),
        (events(event(["Quantity": "many"])), "apple.units", 2),
        (events(event(["Quantity": "9999999999"])), "apple.units", 2),
        (events(event(["Consecutive Paid Periods": "x"])), "apple.units", 2),
        (states(state(["Grace Period": "1,000"])), "apple.units", 2),
        (events(event(["Event Date": " "])), "apple.date", 2),
        (events(event(["Event Date": "2026-02-30"])), "apple.date", 2),
        (events(event(["Event": " "])), "apple.event", 2),
        (events(event(["Subscription Offer Type": "Gift"])), "apple.offer", 2),
        (events(event(["Subscription Apple ID": "com.example"])), "apple.product", 2),
        (events(event(["Subscription Apple ID": "123456789012345678901"])), "apple.product", 2),
        (events(event(["Subscription Apple ID": " ", "Subscription Name": " "])), "apple.product", 2),
        (sheet(subscriberHeader, [payment(["Customer Price": " "])]), "apple.amount", 2),
        (events(event()).replacing("\t1\n", with: "\t1\textra\n"), "apple.cells", 2),
        (String(events(event()).dropLast(4)), "apple.cells", 2),
    ]

    @Test("A file with a defect is refused with its line", arguments: rejected)
    func rejects(_ text: String, _ code: String, _ line: Int) throws {
        let error = try #require(throws: FileFindings.self) { try read(text) }
        #expect(error.findings.first?.code == code, "\(error)")
        #expect(error.findings.first?.offset == line, "\(error)")
    }

    @Test("A defect that comes again is told again, with its line")
    func repeatedDefects() throws {
        for (text, code, line) in Self.rejected where text.hasSuffix("\n") && line > 1 {
            let lines = text.split(separator: "\n")
            let again = text + lines[line - 1] + "\n" + lines[line - 1] + "\n"
            let error = try #require(throws: FileFindings.self) { try read(again) }
            #expect(error.findings.map(\.code) == [code, code, code], "\(error)")
            #expect(error.findings.map(\.offset) == [line, lines.count + 1, lines.count + 2], "\(error)")
        }
    }

    @Test("Text that is not UTF-8 is told for each row", arguments: ["Event", "Subscription Name"])
    func encoding(_ column: String) throws {
        // The byte FF is in no UTF-8.
        let row = event(["Subscription Apple ID": " ", column: "?"])
        let bytes = Array(events(row, row, event()).utf8).map { $0 == UInt8(ascii: "?") ? 0xFF : $0 }
        let error = try #require(throws: FileFindings.self) { try read(bytes) }
        #expect(error.findings.map(\.code) == ["apple.encoding", "apple.encoding"])
        #expect(error.findings.map(\.offset) == [2, 3])
    }

    @Test("A subscription without an Apple ID is told by its name")
    func names() throws {
        let report = try read(
            events(
                event(["Subscription Apple ID": " "]),
                event(),
                event(["Subscription Apple ID": " ", "Quantity": "2"])
            )
        )
        #expect(report.products == [.init(appleID: nil, name: "Pro"), .init(appleID: "111", name: "Pro")])
        #expect(lines(report) == ["2026-03-02 Pro new 1", "2026-03-02 Pro new 3"])
    }
}
