import TillColumns
import TillCore
public import TillPricing

/// The figures of all of Apple's reports, by period, product, country and currency; for subscriptions by day.
///
/// Reports are added one after the other. Two of one kind must not cover the same day, or the same sales would count
/// twice; regional financial reports of one month may, as long as no country and currency is in both.
public struct AppleFigures: Sendable {
    /// A report that was added.
    struct File: Sendable {
        let name: String
        let kind: AppleReport.Kind
        let spans: [ClosedRange<Int>]
        let rowCount: Int
        let otherRowCount: Int
        /// Country and currency of its rows, for financial reports, which may be of a region.
        let places: Set<UInt64>
        /// Whether it has the same bytes as another file, and does not count.
        var isRepeated = false
        /// Whether a part of it is in the selected period.
        var isShown = false
    }

    /// Amounts of one key.
    struct Group: Sendable {
        let period: Int
        let product: Int
        let country: Int
        let currency: CurrencyCode
        let proceedsCurrency: CurrencyCode?
        var amounts = AppleReport.Amounts()
    }

    /// Rows of Financial Detail whose date lies in no period that a report covers.
    struct Stray: Hashable, Sendable {
        let file: String
        let day: Int
        let currency: CurrencyCode
    }

    private let selection: DaySelection
    private(set) var files: [File] = []
    private(set) var periods: [ReportedPeriod] = []
    private(set) var groups: [Group] = []
    private(set) var strays: [Stray: AppleReport.Amounts] = [:]
    /// Names of files that the selection cuts, so that they cannot be compared.
    private(set) var cutFiles: [String] = []
    /// Files outside the selected days.
    private(set) var outsideCount = 0
    /// Names of files with the same bytes as another.
    private(set) var repeatedFiles: [String] = []
    private(set) var products = TextDictionary()
    private(set) var countries: [String] = []
    /// The figures of reports about subscriptions.
    public private(set) var subscriptions: AppleSubscriptionFigures
    private(set) var productIDs = AppleProductIDs()

    private var countryCodes: [String: Int] = [:]
    private var periodNumbers: [ReportedPeriod: Int] = [:]
    private var groupNumbers = IntegerMap<UInt128, Int32>()
    /// By kind and day: the files that cover it.
    private var claims: [AppleReport.Kind: [Int: [Int]]] = [:]
    /// The period, by kind and selected day.
    private(set) var coverage: [AppleReport.Kind: [Int: Int]] = [:]
    /// Entries of Financial Detail that are dated outside their own report.
    private var pending: [(file: String, product: Int, country: Int, entry: AppleReport.Entry)] = []

    /// Starts without reports. Figures outside `selection` are not compared.
    public init(_ selection: DaySelection = .all) {
        self.selection = selection
        subscriptions = AppleSubscriptionFigures(selection)
    }

    /// Adds a report about subscriptions.
    ///
    /// - Parameter isSameFile: whether the file at a position among those about subscriptions that were added has the
    ///   same bytes, decompressed.
    /// - Throws: ``Finding`` if another report of its kind covers one of its days.
    public mutating func add(_ report: AppleSubscriptionReport, isSameFile: (Int) throws -> Bool) throws {
        try subscriptions.add(report, isSameFile: isSameFile)
    }

    /// Adds a report of sales.
    ///
    /// - Parameter isSameFile: whether the file at a position among those of sales that were added has the same bytes,
    ///   decompressed.
    /// - Throws: ``Finding`` if it covers what another report covers, or days of two months.
    public mutating func add(_ report: AppleReport, isSameFile: (Int) throws -> Bool) throws {
        productIDs.add(report)
        let places = report.kind == .financial ? Self.places(of: report) : []
        var named: [(span: ClosedRange<Int>, period: ReportedPeriod)] = []
        for span in report.spans { named.append((span, try Self.period(of: span, in: report))) }
        if let other = try overlap(report, places) {
            guard try isSameFile(other.file) else {
                throw Finding(
                    "apple.overlap",
                    "\(report.name) and \(files[other.file].name) both cover \(DayName.text(other.day)); name one of them"
                )
            }
            repeatedFiles.append(report.name)
            append(report, places)
            files[files.count - 1].isRepeated = true
            return
        }
        for (span, _) in named {
            for day in span { claims[report.kind, default: [:]][day, default: []].append(files.count) }
        }
        append(report, places)
        var used: [ClosedRange<Int>] = []
        for (span, period) in named {
            guard let days = comparedDays(of: span, period, report) else { continue }
            let number = self.number(of: period)
            for day in days { coverage[report.kind, default: [:]][day] = number }
            used.append(span)
        }
        addEntries(of: report, used)
    }

    private mutating func append(_ report: AppleReport, _ places: Set<UInt64>) {
        files.append(
            File(
                name: report.name,
                kind: report.kind,
                spans: report.spans,
                rowCount: report.rowCount,
                otherRowCount: report.otherRowCount,
                places: places
            )
        )
    }

    /// The days of a span that are compared; `nil` if none are.
    ///
    /// A report is compared as a whole, but Financial Detail, which has days, in part too. The periods directly before
    /// and after the selected ones are used to find causes: a sale at the end of a month may be reported in the next
    /// month.
    private mutating func comparedDays(
        of span: ClosedRange<Int>,
        _ period: ReportedPeriod,
        _ report: AppleReport
    ) -> ClosedRange<Int>? {
        switch selection.part(of: span) {
        case .all:
            files[files.count - 1].isShown = true
            return span
        case .none:
            outsideCount += 1
            return selection.isBeside(period.days) ? span : nil
        case .some:
            guard report.kind == .financialDetail else {
                cutFiles.append(report.name)
                return nil
            }
            files[files.count - 1].isShown = true
            return selection.clamping(span)
        }
    }

    private mutating func number(of period: ReportedPeriod) -> Int {
        if let known = periodNumbers[period] { return known }
        periods.append(period)
        periodNumbers[period] = periods.count - 1
        return periods.count - 1
    }

    private static func period(
        of span: ClosedRange<Int>,
        in report: AppleReport
    ) throws(Finding) -> ReportedPeriod {
        if let period = ReportedPeriod(report.kind, covering: span) { return period }
        let days = "\(DayName.text(span.lowerBound)) to \(DayName.text(span.upperBound))"
        let remedy =
            report.kind == .salesSummary ? "name the daily or monthly reports" : "name reports of one fiscal month each"
        throw Finding("apple.period", "\(report.name): \(days) lies in two months; \(remedy)")
    }

    private static func places(of report: AppleReport) -> Set<UInt64> {
        Set(
            report.entries.map { entry in
                var packed: UInt64 = 0
                for byte in report.countries[entry.country].utf8 { packed = packed << 8 | UInt64(byte) }
                return packed << 24 | UInt64(entry.currency.packed)
            }
        )
    }

    /// An earlier file that covers a day of the report; of financial reports one that also has a country and currency
    /// of it.
    private func overlap(_ report: AppleReport, _ places: Set<UInt64>) throws -> (file: Int, day: Int)? {
        guard let claimed = claims[report.kind] else { return nil }
        for span in report.spans {
            for day in span {
                let file = claimed[day]?.first { number in
                    report.kind != .financial || !files[number].places.isDisjoint(with: places)
                }
                if let file { return (file, day) }
            }
        }
        return nil
    }

    private mutating func addEntries(of report: AppleReport, _ spans: [ClosedRange<Int>]) {
        let products = report.products.map { self.products.code(for: $0) }
        let countries = report.countries.map { number(ofCountry: $0) }
        for entry in report.entries {
            let (product, country) = (products[entry.product], countries[entry.country])
            if spans.contains(where: { $0.contains(entry.days.lowerBound) }) {
                add(entry, product, country, report.kind)
            } else if report.kind == .financialDetail {
                pending.append((report.name, product, country, entry))
            }
        }
    }

    private mutating func number(ofCountry code: String) -> Int {
        if let known = countryCodes[code] { return known }
        countries.append(code)
        countryCodes[code] = countries.count - 1
        return countries.count - 1
    }

    private mutating func add(_ entry: AppleReport.Entry, _ product: Int, _ country: Int, _ kind: AppleReport.Kind) {
        guard let period = coverage[kind]?[entry.days.lowerBound] else { return }
        var key = UInt128(period) << 32 | UInt128(product)
        key = key << 16 | UInt128(country)
        key = key << 24 | UInt128(entry.currency.packed)
        key = key << 24 | UInt128(entry.proceedsCurrency?.packed ?? 0)
        let group = Int(groupNumbers[key, entering: Int32(groups.count)])
        if group == groups.count {
            groups.append(
                Group(
                    period: period,
                    product: product,
                    country: country,
                    currency: entry.currency,
                    proceedsCurrency: entry.proceedsCurrency
                )
            )
        }
        groups[group].amounts += entry.amounts
    }

    /// Settles rows of Financial Detail that are dated outside their own report: in the period of another report, else
    /// in none. To be called after the last report.
    public mutating func finish() {
        for (file, product, country, entry) in pending {
            if coverage[.financialDetail]?[entry.days.lowerBound] != nil {
                add(entry, product, country, .financialDetail)
            } else if selection.contains(entry.days.lowerBound) {
                let stray = Stray(file: file, day: entry.days.lowerBound, currency: entry.currency)
                strays[stray, default: AppleReport.Amounts()] += entry.amounts
            }
        }
        pending = []
    }
}

extension AppleFigures {
    /// Whether there is no day to compare.
    public var isEmpty: Bool { !hasSales && subscriptions.isEmpty }

    /// Whether all files are reports of sales that have a header and no rows. They tell no day.
    public var isOfHeaders: Bool {
        !files.isEmpty && files.allSatisfy { $0.spans.isEmpty && $0.rowCount == 0 } && subscriptions.isEmpty
    }

    /// Whether reports of sales cover a selected day.
    public var hasSales: Bool { periods.contains(where: isShown) }

    /// Whether a period is selected; other periods are used to find causes.
    func isShown(_ period: ReportedPeriod) -> Bool { selection.part(of: period.days) != .none }

    /// The first and the last day that a report covers; `nil` if none does.
    public var days: ClosedRange<Int>? {
        let all = coverage.values.flatMap(\.keys)
        guard let first = all.min(), let last = all.max() else { return nil }
        return first...last
    }

    /// The period of UTC instants that has all covered days of a calendar.
    public func period(in calendar: BookingCalendar) -> Period? {
        days.map { days in
            Period(
                from: calendar.start(of: Int64(days.lowerBound), by: .day),
                until: calendar.start(of: Int64(days.upperBound + 1), by: .day)
            )
        }
    }

    /// Days of the periods that no report covers, by period and ascending.
    var uncoveredDays: [(period: ReportedPeriod, days: [Int])] {
        periods.filter(isShown).compactMap { period in
            let covered = coverage[period.kind] ?? [:]
            let missing = period.days.filter { covered[$0] == nil && selection.contains($0) }
            return missing.isEmpty ? nil : (period, missing)
        }
    }
}
