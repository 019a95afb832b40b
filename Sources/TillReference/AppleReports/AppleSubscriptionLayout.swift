import TillCore
import TillPricing

/// The columns of Apple's subscription reports that are read.
enum AppleSubscriptionColumn: Int, CaseIterable {
    case day, event
    case appleID, name
    case offerType, paidPeriods
    case price, refund
    case units

    /// Its names in a kind of report, as Apple writes them; empty if it is not read there.
    func titles(in kind: AppleSubscriptionReport.Kind) -> [String] {
        switch (self, kind) {
        case (.appleID, _): ["Subscription Apple ID"]
        case (.name, _): ["Subscription Name"]
        case (_, .subscription): []
        case (.day, _): ["Event Date"]
        case (.offerType, _): ["Subscription Offer Type", "Introductory Price Type"]
        case (.event, .subscriptionEvent): ["Event"]
        case (.paidPeriods, .subscriptionEvent): ["Consecutive Paid Periods"]
        case (.units, .subscriptionEvent): ["Quantity"]
        case (.units, .subscriber): ["Units"]
        case (.price, .subscriber): ["Customer Price"]
        case (.refund, .subscriber): ["Refund"]
        case (.event, .subscriber), (.paidPeriods, .subscriber), (.price, .subscriptionEvent),
            (.refund, .subscriptionEvent):
            []
        }
    }

    /// Whether the column may be missing.
    var isOptional: Bool {
        switch self {
        case .appleID, .name, .offerType, .paidPeriods, .refund: true
        case .day, .event, .price, .units: false
        }
    }
}

/// The kind of subscription report of a header, and the cell of each column.
struct AppleSubscriptionLayout {
    let kind: AppleSubscriptionReport.Kind
    /// The columns of a Subscription report that count paid subscriptions.
    let paidPlaces: [Int]
    /// The number of cells of the header.
    let cellCount: Int
    /// By the raw value of the column: the index of its cell, or -1.
    private var places = Array(repeating: -1, count: AppleSubscriptionColumn.allCases.count)
    private let names: [String]

    func place(of column: AppleSubscriptionColumn) -> Int { places[column.rawValue] }

    /// Recognises the header by a column that no other report has; `nil` for any other line.
    init?(header: [String]) {
        names = header.map(AppleReportColumn.normalized)
        if names.contains("subscriber id") {
            kind = .subscriber
        } else if names.contains("event"), names.contains("event date") {
            kind = .subscriptionEvent
        } else if names.contains("active standard price subscriptions") {
            kind = .subscription
        } else {
            return nil
        }
        cellCount = names.count
        paidPlaces = kind == .subscription ? names.indices.filter { [names] in Self.countsPaid(names[$0]) } : []
        for column in AppleSubscriptionColumn.allCases {
            let known = Self.names(of: column, in: kind)
            if let place = names.firstIndex(where: known.contains) { places[column.rawValue] = place }
        }
    }

    /// Whether a column counts paid subscriptions: at the standard price, by an offer that is not free, or in a grace
    /// period. Names vary with the age of the report: with `Active` in front or without, `As` and `as`.
    private static func countsPaid(_ name: String) -> Bool {
        let name = name.hasPrefix("active ") ? String(name.dropFirst("active ".count)) : name
        return ["standard price subscriptions", "grace period"].contains(name)
            || ["pay up front ", "pay as you go "].contains(where: name.hasPrefix)
    }

    private static func names(of column: AppleSubscriptionColumn, in kind: AppleSubscriptionReport.Kind) -> [String] {
        column.titles(in: kind).map(AppleReportColumn.normalized)
    }

    /// The defects of the header: missing or repeated columns.
    func problems(line: Int) -> [Finding] {
        var problems = AppleSubscriptionColumn.allCases.compactMap { column -> Finding? in
            guard let title = column.titles(in: kind).first else { return nil }
            let known = Self.names(of: column, in: kind)
            switch names.count(where: known.contains) {
            case 0: return column.isOptional ? nil : missing(title, line)
            case 1: return nil
            default: return repeated(title, line)
            }
        }
        if place(of: .appleID) < 0, place(of: .name) < 0 { problems.append(missing("Subscription Apple ID", line)) }
        for (number, place) in paidPlaces.enumerated()
        where paidPlaces[..<number].contains(where: { names[$0] == names[place] }) {
            problems.append(repeated(names[place], line))
        }
        return problems
    }

    private func missing(_ title: String, _ line: Int) -> Finding {
        .init(
            "apple.missing-column",
            at: line,
            "the column \(Finding.excerpt(title)) of a \(kind.title) report is missing"
        )
    }

    private func repeated(_ title: String, _ line: Int) -> Finding {
        .init("apple.repeated-column", at: line, "the column \(Finding.excerpt(title)) is repeated")
    }
}
