import TillColumns
import TillCore
import TillPricing

/// Adds up the rows below the header of one of Apple's reports about subscriptions.
struct AppleSubscriptionRows {
    /// Units of a row at most.
    static let mostUnits: Int64 = 1_000_000_000
    /// Digits of an Apple ID at most.
    static let longestID = 20

    private struct Key: Hashable {
        let day: Int?
        let product: Int
        let measure: AppleSubscriptionReport.Measure
    }

    private let layout: AppleSubscriptionLayout
    /// The day in the name of the file.
    private let fileDay: Int?
    private var days: Set<Int>
    private var products: [AppleSubscriptionReport.Product] = []
    private var ids = TextDictionary()
    private var names = TextDictionary()
    /// By the code of the id, and by that of the name where there is no id.
    private var productsByID: [Int] = []
    private var productsByName: [Int] = []
    private var events = TextDictionary()
    private var eventKinds: [AppleSubscriptionEvent] = []
    private var counts: [Key: AppleSubscriptionReport.Count] = [:]
    private var rowCount = 0
    private var otherRowCount = 0
    /// By the code of the event.
    private var unknownEvents: [Int: Int] = [:]

    init(_ layout: AppleSubscriptionLayout, fileDay: Int?) {
        self.layout = layout
        self.fileDay = fileDay
        days = fileDay.map { [$0] } ?? []
    }

    /// Makes the report of all rows.
    consuming func report(named name: String) -> AppleSubscriptionReport {
        var report = AppleSubscriptionReport(name: name, kind: layout.kind)
        report.days = days.sorted()
        report.products = products
        report.entries = counts.map { key, count in
            .init(day: key.day, product: key.product, measure: key.measure, count: count)
        }
        report.rowCount = rowCount
        report.otherRowCount = otherRowCount
        for (code, count) in unknownEvents { report.unknownEvents[events.text(of: code), default: 0] += count }
        return report
    }

    /// Adds a row; a row with a defect changes no count.
    ///
    /// - Parameter isWhole: whether the line has its line end. Then empty cells at its end may be missing.
    mutating func read(_ row: borrowing AppleRow, isWhole: Bool) throws(Finding) {
        try row.checkCells(layout.cellCount, isWhole: isWhole)
        let product = try product(row)
        switch layout.kind {
        case .subscription: try addState(row, product)
        case .subscriptionEvent: try addEvent(row, product)
        case .subscriber: try addPayment(row, product)
        }
    }

    private mutating func addState(_ row: borrowing AppleRow, _ product: Int) throws(Finding) {
        var count = AppleSubscriptionReport.Count()
        for place in layout.paidPlaces { count.add(try Self.units(row, row.cell(place), "a column of subscriptions")) }
        rowCount += 1
        counts[Key(day: fileDay, product: product, measure: .active), default: .init()] += count
    }

    private mutating func addEvent(_ row: borrowing AppleRow, _ product: Int) throws(Finding) {
        let day = try day(row)
        let event = try event(row)
        let units = try Self.units(row, row.cell(layout.place(of: .units)), "Quantity")
        let periods = try Self.units(
            row,
            row.cell(layout.place(of: .paidPeriods)),
            "Consecutive Paid Periods"
        )
        let changes = event.changes(try offer(row), paidPeriods: periods)
        if changes.isEmpty { otherRowCount += 1 } else { rowCount += 1 }
        for change in changes {
            let amount = change.perUnit.flatMap { perUnit in units.map { $0 * perUnit } }
            counts[Key(day: day, product: product, measure: change.measure), default: .init()].add(amount)
        }
    }

    private mutating func addPayment(_ row: borrowing AppleRow, _ product: Int) throws(Finding) {
        let day = try day(row)
        let cell = row.cell(layout.place(of: .price))
        guard let price = AppleCell.millionths(row.bytes, cell) else {
            throw Finding("apple.amount", "\(row.excerpt(cell)) in Customer Price is not an amount such as 9.99")
        }
        let isFree = try offer(row) == .free
        let isRefund = price < 0 || !row.cell(layout.place(of: .refund)).isEmpty
        // A free period that is not a trial is a gift: a bonus period, or an offer code.
        guard !isRefund, price > 0 || isFree else {
            otherRowCount += 1
            return
        }
        let units = try Self.units(row, row.cell(layout.place(of: .units)), "Units")
        rowCount += 1
        let measure: AppleSubscriptionReport.Measure = price > 0 ? .charges : .trials
        counts[Key(day: day, product: product, measure: measure), default: .init()].add(units)
    }
}

// MARK: - Cells

extension AppleSubscriptionRows {
    private mutating func day(_ row: borrowing AppleRow) throws(Finding) -> Int {
        let cell = row.cell(layout.place(of: .day))
        guard let day = AppleCell.day(row.bytes, cell) else {
            throw Finding("apple.date", "\(row.excerpt(cell)) in Event Date is not a day such as 2026-03-31")
        }
        days.insert(day)
        return day
    }

    /// Whole units of 0 or more; `nil` for a blank cell, which Apple writes instead of a number that it does not
    /// report.
    private static func units(
        _ row: borrowing AppleRow,
        _ cell: Range<Int>,
        _ title: String
    ) throws(Finding) -> Int64? {
        guard !cell.isEmpty else { return nil }
        guard let millionths = AppleCell.millionths(row.bytes, cell),
            case let (units, rest) = millionths.quotientAndRemainder(dividingBy: 1_000_000), rest == 0, units >= 0
        else {
            throw Finding("apple.units", "\(row.excerpt(cell)) in \(title) is not a whole number")
        }
        guard units <= mostUnits else {
            throw Finding("apple.units", "a row has at most \(mostUnits) units, not \(row.excerpt(cell))")
        }
        return units
    }

    private func offer(_ row: borrowing AppleRow) throws(Finding) -> AppleSubscriptionEvent.Offer {
        let cell = row.cell(layout.place(of: .offerType))
        guard !cell.isEmpty else { return .untold }
        switch AppleReportColumn.normalized(row.text(cell)) {
        case "free trial": return .free
        case "pay up front", "pay as you go": return .paid
        default:
            let (given, known) = (row.text(cell).prefix(40), ["Free Trial", "Pay Up Front", "Pay As You Go"])
            throw Finding("apple.offer", NearestWord.unknown("Subscription Offer Type", String(given), among: known))
        }
    }

    private mutating func event(_ row: borrowing AppleRow) throws(Finding) -> AppleSubscriptionEvent {
        let cell = row.cell(layout.place(of: .event))
        guard !cell.isEmpty else { throw Finding("apple.event", "Event is empty") }
        let known = events.count
        let code = events.code(for: row.bytes.extracting(cell))
        if code == known {
            guard let text = row.validText(cell) else {
                events.truncate(to: known)
                throw Finding("apple.encoding", "Event is not UTF-8")
            }
            eventKinds.append(AppleSubscriptionEvent(text))
        }
        if eventKinds[code] == .unknown { unknownEvents[code, default: 0] += 1 }
        return eventKinds[code]
    }

    private mutating func product(_ row: borrowing AppleRow) throws(Finding) -> Int {
        let (id, name) = (row.cell(layout.place(of: .appleID)), row.cell(layout.place(of: .name)))
        guard !id.isEmpty else {
            guard !name.isEmpty else {
                throw Finding("apple.product", "Subscription Apple ID and Subscription Name are empty")
            }
            let code = names.code(for: row.bytes.extracting(name))
            if code == productsByName.count {
                do throws(Finding) {
                    productsByName.append(try newProduct(row, id: nil, name))
                } catch {
                    names.truncate(to: code)
                    throw error
                }
            }
            return productsByName[code]
        }
        let code = ids.code(for: row.bytes.extracting(id))
        if code == productsByID.count {
            do throws(Finding) {
                productsByID.append(try newProduct(row, id: try number(row, id), name))
            } catch {
                // The same id may appear again, in a row without a defect.
                ids.truncate(to: code)
                throw error
            }
        }
        return productsByID[code]
    }

    private func number(_ row: borrowing AppleRow, _ id: Range<Int>) throws(Finding) -> String {
        guard id.count <= Self.longestID, id.allSatisfy({ row.isDigit($0) }) else {
            throw Finding("apple.product", "\(row.excerpt(id)) in Subscription Apple ID is not a number of digits")
        }
        return row.text(id)
    }

    private mutating func newProduct(
        _ row: borrowing AppleRow,
        id: String?,
        _ name: Range<Int>
    ) throws(Finding) -> Int {
        guard let text = row.validText(name) else {
            throw Finding("apple.encoding", "Subscription Name is not UTF-8")
        }
        products.append(.init(appleID: id, name: text.isEmpty ? nil : text))
        return products.count - 1
    }
}
