import TillColumns
import TillCore
import TillLedger
import TillPricing

/// Our revenue beside Apple's figures, row by row.
struct Reconciliation: Sendable {
    /// Sorted by their keys.
    private(set) var rows: [ReconciliationRow] = []
    /// Rows whose proceeds are in several currencies, and so in none.
    var mixedProceeds: Int { rows.count { $0.measures.proceeds == .mixed } }

    /// The key of a row. Numbers stand for texts.
    private struct Key: Hashable {
        var period: Int
        /// -1 where it is not known.
        var product: Int
        /// -1 if it is unknown or not requested.
        var country: Int
        /// `nil` if there is no price.
        var currency: CurrencyCode?
    }

    /// Our figures that Apple has too.
    private struct Ours {
        var units: Int64 = 0
        var refundedUnits: Int64 = 0
        var gross: Int128 = 0
        var refunds: Int128 = 0

        init() {}

        init(of group: CubeGroup) {
            units = Int64(clamping: group[RevenueField.units.rawValue])
            refundedUnits = Int64(clamping: group[RevenueField.refundedUnits.rawValue])
            gross = group[RevenueField.gross.rawValue]
            refunds = group[RevenueField.refunds.rawValue]
        }

        static func += (left: inout Ours, right: Ours) {
            left.units += right.units
            left.refundedUnits += right.refundedUnits
            left.gross += right.gross
            left.refunds += right.refunds
        }
    }

    private struct Sides {
        var ours = Ours()
        var isUnpriced = false
        var apple = AppleReport.Amounts()
        var hasApple = false
        var proceedsCurrencies: Set<CurrencyCode> = []

        var proceeds: AppleProceeds {
            guard hasApple else { return .none }
            return proceedsCurrencies.count > 1 ? .mixed : .amount(apple.proceeds, proceedsCurrencies.first)
        }

        static func += (left: inout Sides, right: Sides) {
            left.ours += right.ours
            left.isUnpriced = left.isUnpriced || right.isUnpriced
            left.apple += right.apple
            left.hasApple = left.hasApple || right.hasApple
            left.proceedsCurrencies.formUnion(right.proceedsCurrencies)
        }
    }

    private let apple: AppleFigures
    private let byStorefront: Bool
    private var products: TextDictionary
    private var countries: [String]
    private var countryNumbers: [String: Int]
    private var sides: [Key: Sides] = [:]

    /// - Parameters:
    ///   - revenue: rows by ``keys(byStorefront:)``.
    ///   - apple: at least one report.
    init(_ revenue: Cube, _ apple: AppleFigures, byStorefront: Bool) {
        self.apple = apple
        self.byStorefront = byStorefront
        products = apple.products
        countries = apple.countries
        countryNumbers = Dictionary(uniqueKeysWithValues: apple.countries.enumerated().map { ($1, $0) })
        addApple()
        addOurs(revenue)
        if byStorefront { joinUnknownStorefronts() }
        makeRows()
    }

    /// The keys of our rows: the currency is the last one.
    static func keys(byStorefront: Bool) -> [GroupKey] {
        byStorefront ? [.day, .productID, .storefront, .currency] : [.day, .productID, .currency]
    }

    private mutating func addApple() {
        for group in apple.groups {
            let country = byStorefront ? group.country : -1
            let key = Key(period: group.period, product: group.product, country: country, currency: group.currency)
            sides[key, default: Sides()].apple += group.amounts
            sides[key, default: Sides()].hasApple = true
            if let currency = group.proceedsCurrency { sides[key]?.proceedsCurrencies.insert(currency) }
        }
    }

    private mutating func addOurs(_ revenue: Cube) {
        let known = AppleCurrencies(apple, byStorefront: byStorefront)
        for group in revenue.groups {
            let day = Int(revenue.code(of: group, at: 0))
            let product = revenue.name(of: group, at: 1).map { products.code(for: $0) } ?? -1
            let country = byStorefront ? revenue.name(of: group, at: 2).map { number(ofCountry: $0) } ?? -1 : -1
            let (figures, ownCurrency) = (Ours(of: revenue[group, 0]), revenue.currency(of: group))
            for covered in apple.coverage.values {
                guard let period = covered[day] else { continue }
                let currency = ownCurrency ?? known.only(product: product, country: country, period: period)
                let key = Key(period: period, product: product, country: country, currency: currency)
                sides[key, default: Sides()].ours += figures
                if ownCurrency == nil { sides[key]?.isUnpriced = true }
            }
        }
    }

    private mutating func number(ofCountry code: String) -> Int {
        let code = Territory(code)?.description ?? code
        if let known = countryNumbers[code] { return known }
        countries.append(code)
        countryNumbers[code] = countries.count - 1
        return countries.count - 1
    }

    /// If the storefront of a sale is unknown, the countries of the row are compared together.
    private mutating func joinUnknownStorefronts() {
        func whole(_ key: Key) -> Key {
            Key(period: key.period, product: key.product, country: -1, currency: key.currency)
        }
        let unknown = Set(sides.keys.filter { $0.country == -1 })
        for (key, side) in sides where key.country != -1 && unknown.contains(whole(key)) {
            sides[key] = nil
            sides[whole(key), default: Sides()] += side
        }
    }

    private mutating func makeRows() {
        var measures = sides.mapValues(Self.measures)
        // Sales and refunds of 0 units and no known money, which Apple does not have either, are not a row.
        measures = measures.filter {
            sides[$0.key]?.hasApple == true || $0.value.units != 0 || $0.value.refundedUnits != 0
                || $0.value.gross ?? 0 != 0 || $0.value.refunds ?? 0 != 0
        }
        let neighbours = PeriodNeighbours(apple.periods)
        let wholes = byStorefront ? wholeMeasures() : [:]
        let shown = measures.filter { apple.isShown(apple.periods[$0.key.period]) }
        rows = shown.map { key, row in
            let near = neighbours.periods(beside: key.period).compactMap { period in
                measures[Key(period: period, product: key.product, country: key.country, currency: key.currency)]
            }
            return ReconciliationRow(
                period: apple.periods[key.period],
                product: key.product < 0 ? nil : products.text(of: key.product),
                storefront: key.country < 0 ? nil : countries[key.country],
                currency: key.currency,
                measures: row,
                cause: ReconciliationCause(row, isCutOff: isCutOff(key, row, near, wholes, neighbours))
            )
        }
        rows.sort(by: ReconciliationRow.precedes)
    }

    /// The sums of all countries, by keys without one.
    private func wholeMeasures() -> [Key: ReconciliationMeasures] {
        var wholes: [Key: Sides] = [:]
        for (key, side) in sides {
            var key = key
            key.country = -1
            wholes[key, default: Sides()] += side
        }
        return wholes.mapValues(Self.measures)
    }

    /// Whether the differences of a row are undone in the period before or after.
    ///
    /// Where our storefronts are not known in one of the two periods, that period has all countries in one row, and all
    /// of the other are compared with it.
    private func isCutOff(
        _ key: Key,
        _ row: ReconciliationMeasures,
        _ near: [ReconciliationMeasures],
        _ wholes: [Key: ReconciliationMeasures],
        _ neighbours: PeriodNeighbours
    ) -> Bool {
        guard row.unitsDifference != 0 else { return false }
        if near.contains(where: row.isUndone) { return true }
        var whole = key
        whole.country = -1
        guard let sum = wholes[whole], sum.unitsDifference != 0 else { return false }
        return neighbours.periods(beside: key.period).contains { period in
            var other = whole
            other.period = period
            guard key.country == -1 || sides[other] != nil else { return false }
            return wholes[other].map(sum.isUndone) ?? false
        }
    }

    private static func measures(_ side: Sides) -> ReconciliationMeasures {
        ReconciliationMeasures(
            units: side.ours.units,
            appleUnits: side.apple.units,
            refundedUnits: side.ours.refundedUnits,
            appleRefundedUnits: side.apple.refundedUnits,
            gross: side.isUnpriced ? nil : side.ours.gross,
            appleGross: side.apple.gross,
            refunds: side.isUnpriced ? nil : side.ours.refunds,
            appleRefunds: side.apple.refunds,
            proceeds: side.proceeds
        )
    }
}

/// Apple's currencies of a product, which give our sales without a price their currency.
private struct AppleCurrencies {
    private struct Place: Hashable {
        var product: Int
        var country: Int
        /// -1 for all periods of a kind.
        var period: Int
        var kind: AppleReport.Kind
    }

    private let apple: AppleFigures
    private var currencies: [Place: Set<CurrencyCode>] = [:]

    init(_ apple: AppleFigures, byStorefront: Bool) {
        self.apple = apple
        for group in apple.groups {
            let kind = apple.periods[group.period].kind
            for period in [group.period, -1] {
                for country in Set([byStorefront ? group.country : -1, -1]) {
                    let place = Place(product: group.product, country: country, period: period, kind: kind)
                    currencies[place, default: []].insert(group.currency)
                }
            }
        }
    }

    /// The one currency that Apple has for a product in a period, else in all periods; `nil` if there are several or
    /// none.
    func only(product: Int, country: Int, period: Int) -> CurrencyCode? {
        let kind = apple.periods[period].kind
        for wanted in [period, -1] {
            let found = currencies[Place(product: product, country: country, period: wanted, kind: kind)] ?? []
            if !found.isEmpty { return found.count == 1 ? found.first : nil }
        }
        return nil
    }
}

/// Which periods of one kind follow one another without a gap.
private struct PeriodNeighbours {
    private var byFirstDay: [AppleReport.Kind: [Int: Int]] = [:]
    private var byLastDay: [AppleReport.Kind: [Int: Int]] = [:]
    private let periods: [ReportedPeriod]

    init(_ periods: [ReportedPeriod]) {
        self.periods = periods
        for (number, period) in periods.enumerated() {
            byFirstDay[period.kind, default: [:]][period.days.lowerBound] = number
            byLastDay[period.kind, default: [:]][period.days.upperBound] = number
        }
    }

    func periods(beside number: Int) -> [Int] {
        let period = periods[number]
        let before = byLastDay[period.kind]?[period.days.lowerBound - 1]
        let after = byFirstDay[period.kind]?[period.days.upperBound + 1]
        return [before, after].compactMap(\.self)
    }
}
