import TillCore
import TillLedger
import TillPricing

/// Our subscriptions beside Apple's, by month, product and measure.
///
/// Days without a report, and days with incomplete data of ours, are not compared. Active subscriptions are compared at
/// the end of the last remaining day of a month.
struct SubscriptionReconciliation {
    typealias Kind = AppleSubscriptionReport.Kind
    typealias Measure = AppleSubscriptionReport.Measure

    private struct Key: Hashable {
        let kind: Kind
        let month: SubscriptionMonth
        /// `nil` for all products that cannot be distinguished.
        var product: String?
        let measure: Measure
    }

    private struct Sides {
        var ours: Int64 = 0
        /// `nil` if Apple has no row.
        var apple: AppleSubscriptionReport.Count?

        var row: SubscriptionRow.Counts {
            SubscriptionRow.Counts(units: ours, appleUnits: (apple ?? .init()).units)
        }
    }

    /// Sorted by their keys.
    private(set) var rows: [SubscriptionRow] = []
    /// The days that are compared.
    private let days: AppleSubscriptionFigures.Days
    /// Days of Apple's reports after the end of our data, ascending.
    private let unknownDays: [Int]
    /// Apple's subscriptions without a product id.
    private var unnamed: Set<AppleSubscriptionReport.Product> = []

    private let apple: AppleSubscriptionFigures
    private let ours: OurSubscriptions
    private let productIDs: AppleProductIDs
    private var sides: [Key: Sides] = [:]

    init(_ ours: OurSubscriptions, _ apple: AppleSubscriptionFigures, _ productIDs: AppleProductIDs) {
        (self.ours, self.apple, self.productIDs) = (ours, apple, productIDs)
        let last = ours.lastWholeDay ?? .min
        days = apple.days(until: last)
        unknownDays = Set(apple.days.values.joined()).filter { $0 > last && apple.isShown($0) }.sorted()
        addApple()
        addOurs()
        makeRows()
    }

    private mutating func addApple() {
        for (key, count) in apple.sums(over: days) {
            let product = apple.products[key.product]
            let id = productIDs.productID(of: product)
            if id == nil, isShown(key.kind, key.month) { unnamed.insert(product) }
            let place = Key(kind: key.kind, month: key.month, product: id, measure: key.measure)
            var sum = sides[place]?.apple ?? .init()
            sum += count
            sides[place, default: Sides()].apple = sum
        }
    }

    private func isShown(_ kind: Kind, _ month: SubscriptionMonth) -> Bool {
        days[kind]?[month]?.contains(where: apple.isShown) == true
    }

    private mutating func addOurs() {
        let flows = ours.flows.sorted { $0.key.day < $1.key.day }
        let named = productIDs.products
        for (kind, months) in days {
            // Where Apple's product is not known, it may be any of ours that Apple does not name.
            let joined = Set(sides.keys.filter { $0.kind == kind && $0.product == nil }.map(\.month))
            func add(_ value: Int64, _ measure: Measure, _ product: String?, _ month: SubscriptionMonth) {
                let isKnown = product.map(named.contains) ?? false
                let product = joined.contains(month) && !isKnown ? nil : product
                let key = Key(kind: kind, month: month, product: product, measure: measure)
                if value != 0 { sides[key, default: Sides()].ours += value }
            }
            if kind == .subscription {
                addActive(flows, months, add)
            } else {
                let monthsByDay = Dictionary(
                    months.flatMap { month, days in days.map { ($0, month) } },
                    uniquingKeysWith: { first, _ in first }
                )
                for (key, flow) in flows {
                    guard let month = monthsByDay[key.day] else { continue }
                    for measure in kind.measures { add(flow.value(of: measure), measure, key.product, month) }
                }
            }
        }
    }

    /// Adds up the changes of all days to the end of the day that is compared.
    private func addActive(
        _ flows: [(key: OurSubscriptions.Key, value: SubscriptionHistory.ProductFlow)],
        _ months: [SubscriptionMonth: [Int]],
        _ add: (Int64, Measure, String?, SubscriptionMonth) -> Void
    ) {
        var active: [String?: Int64] = [:]
        var rest = flows[...]
        for (month, days) in months.sorted(by: { ($0.value.last ?? 0) < ($1.value.last ?? 0) }) {
            guard let day = days.last else { continue }
            while let (key, flow) = rest.first, key.day <= day {
                active[key.product, default: 0] += flow.value(of: .active)
                rest.removeFirst()
            }
            for (product, count) in active { add(count, .active, product, month) }
        }
    }

    private mutating func makeRows() {
        let counts = sides.mapValues(\.row)
        let shown = sides.filter { key, side in
            (side.apple != nil || side.ours != 0) && isShown(key.kind, key.month)
        }
        rows = shown.map { key, side in
            let near = key.month.neighbours.compactMap { month in
                counts[Key(kind: key.kind, month: month, product: key.product, measure: key.measure)]
            }
            let days = days[key.kind]?[key.month] ?? []
            return SubscriptionRow(
                kind: key.kind,
                month: key.month,
                product: key.product,
                measure: key.measure,
                days: (days.first ?? 0)...(days.last ?? 0),
                counts: side.row,
                cause: SubscriptionCause(side.row, neighbours: key.measure == .active ? [] : near)
            )
        }
        rows.sort(by: SubscriptionRow.precedes)
    }
}

extension SubscriptionReconciliation {
    /// Whether there is a day that both sides know.
    var comparesNothing: Bool { !days.contains { kind, months in months.keys.contains { isShown(kind, $0) } } }

    /// Notes about the comparison, a sentence each.
    var notes: [String] {
        var notes: [String] = [
            "Subscriptions: ours are those of 'report subscriptions', on days of the time zone. Active: paid, at the "
                + "end of the last day. Churned: expired less resubscribed. Conversions: first payments after a trial, "
                + "on their day. Rows are not grouped by storefront."
        ]
        let told = Set(apple.kinds.flatMap(\.measures))
        for kind in Kind.allCases where !apple.kinds.contains(kind) {
            let missing = kind.measures.filter { !told.contains($0) }.map(\.rawValue)
            guard !missing.isEmpty else { continue }
            notes.append(
                "No \(kind.title) report: \(missing.joined(separator: ", ")) of subscriptions are not compared."
            )
        }
        if !unknownDays.isEmpty {
            let end = ours.asOf.map { "after \($0)" } ?? "in the input"
            notes.append(
                "Our subscriptions are not known \(end). These days are not compared: \(DayName.list(unknownDays))."
            )
        }
        if !unnamed.isEmpty {
            let names = unnamed.map { ($0.name ?? "") + ($0.appleID.map { " (Apple ID \($0))" } ?? " (no Apple ID)") }
            notes.append(
                "No sales report among the files has the product ids of these subscriptions of Apple. They are "
                    + "compared with all our products whose Apple ID is not known, in one row: "
                    + "\(AppleSubscriptionFigures.list(names))."
            )
        }
        let untold = rows.count { $0.cause == .untold }
        if untold > 0 {
            notes.append(
                "Counts that Apple leaves partly blank, or without a word on whether an offer is free: \(untold). They "
                    + "are null and not compared."
            )
        }
        return notes
    }
}

/// Which product id belongs to which of Apple's numbers, by its reports of sales.
struct AppleProductIDs: Sendable {
    /// `nil` if several products have the number.
    private var productsByID: [String: String?] = [:]

    /// Notes the product ids in a report of sales.
    mutating func add(_ report: AppleReport) {
        for (product, id) in zip(report.products, report.appleIDs) {
            guard let id else { continue }
            if let known = productsByID[id] {
                if known != product { productsByID[id] = .some(nil) }
            } else {
                productsByID[id] = product
            }
        }
    }

    /// The products whose number is known.
    var products: Set<String> { Set(productsByID.values.compactMap(\.self)) }

    /// `nil` if it is in no report of sales.
    func productID(of product: AppleSubscriptionReport.Product) -> String? {
        product.appleID.flatMap { productsByID[$0] ?? nil }
    }
}
