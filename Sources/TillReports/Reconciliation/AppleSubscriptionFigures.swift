import TillCore
import TillPricing

/// The figures of all of Apple's reports about subscriptions, by day and product.
///
/// Two reports of one kind must not cover the same day.
public struct AppleSubscriptionFigures: Sendable {
    typealias Kind = AppleSubscriptionReport.Kind
    typealias Measure = AppleSubscriptionReport.Measure

    /// A report that was added.
    struct File: Sendable {
        let name: String
        let kind: Kind
        let days: [Int]
        let rowCount: Int
        let otherRowCount: Int
        /// Whether a day of it is selected.
        let isShown: Bool
    }

    struct Key: Hashable, Sendable {
        let kind: Kind
        let day: Int
        /// An index into ``products``.
        let product: Int
        let measure: Measure
    }

    private let selection: DaySelection
    /// Without those with the same bytes as another.
    private(set) var files: [File] = []
    private(set) var products: [AppleSubscriptionReport.Product] = []
    private(set) var counts: [Key: AppleSubscriptionReport.Count] = [:]
    /// The selected days, and the adjacent days, that a report of a kind covers.
    private(set) var days: [Kind: Set<Int>] = [:]
    /// Rows of unknown events, by the name of the event.
    private(set) var unknownEvents: [String: Int] = [:]
    /// Names of files without a day.
    private(set) var undatedFiles: [String] = []
    /// Names of files with the same bytes as another.
    private(set) var repeatedFiles: [String] = []
    private(set) var outsideCount = 0

    private var productNumbers: [AppleSubscriptionReport.Product: Int] = [:]
    /// By kind and day: the index of the file for that day.
    private var claims: [Kind: [Int: Int]] = [:]
    private var addedNames: [String] = []

    init(_ selection: DaySelection) {
        self.selection = selection
    }

    /// Whether there is no day to compare.
    public var isEmpty: Bool { !files.contains { $0.isShown } }

    /// Adds a report.
    ///
    /// - Parameter isSameFile: whether the file at a position among those added has the same bytes, decompressed.
    /// - Throws: ``Finding`` if another report covers one of its days.
    mutating func add(_ report: AppleSubscriptionReport, isSameFile: (Int) throws -> Bool) throws {
        addedNames.append(report.name)
        if let day = report.days.first(where: { claims[report.kind]?[$0] != nil }),
            let other = claims[report.kind]?[day]
        {
            guard try isSameFile(other) else {
                throw Finding(
                    "apple.overlap",
                    "\(report.name) and \(addedNames[other]) both cover \(DayName.text(day)); name one of them"
                )
            }
            repeatedFiles.append(report.name)
            return
        }
        for day in report.days { claims[report.kind, default: [:]][day] = addedNames.count - 1 }
        let used = Set(report.days.filter(isUsed))
        days[report.kind, default: []].formUnion(used)
        let isShown = report.days.contains(where: selection.contains)
        files.append(
            File(
                name: report.name,
                kind: report.kind,
                days: report.days,
                rowCount: report.rowCount,
                otherRowCount: report.otherRowCount,
                isShown: isShown
            )
        )
        if report.days.isEmpty {
            undatedFiles.append(report.name)
        } else if !isShown {
            outsideCount += 1
        } else {
            unknownEvents.merge(report.unknownEvents, uniquingKeysWith: +)
        }
        addEntries(of: report, used)
    }

    /// Whether a day counts: adjacent months are used to find causes.
    private func isUsed(_ day: Int) -> Bool {
        selection.contains(day) || selection.isBeside(SubscriptionMonth(of: day).days)
    }

    func isShown(_ day: Int) -> Bool { selection.contains(day) }

    private mutating func addEntries(of report: AppleSubscriptionReport, _ used: Set<Int>) {
        let numbers = report.products.map { number(of: $0) }
        for entry in report.entries {
            guard let day = entry.day, used.contains(day) else { continue }
            let key = Key(kind: report.kind, day: day, product: numbers[entry.product], measure: entry.measure)
            counts[key, default: .init()] += entry.count
        }
    }

    /// A subscription keeps its Apple ID when its name is changed.
    private mutating func number(of product: AppleSubscriptionReport.Product) -> Int {
        let key = AppleSubscriptionReport.Product(
            appleID: product.appleID,
            name: product.appleID == nil ? product.name : nil
        )
        if let known = productNumbers[key] {
            // Whichever file comes first, the name is the same.
            if let name = product.name, name.utf8.lexicographicallyPrecedes((products[known].name ?? name).utf8) {
                products[known].name = name
            }
            products[known].name = products[known].name ?? product.name
            return known
        }
        products.append(product)
        productNumbers[key] = products.count - 1
        return products.count - 1
    }
}

extension AppleSubscriptionFigures {
    /// Days by kind of report and month, ascending.
    typealias Days = [Kind: [SubscriptionMonth: [Int]]]

    /// A measure of a product in a month.
    struct MonthKey: Hashable {
        let kind: Kind
        let month: SubscriptionMonth
        /// An index into ``AppleSubscriptionFigures/products``.
        let product: Int
        let measure: Measure
    }

    /// The days of a month up to a last day; for states only the last of them.
    ///
    /// If only a part of a month is selected, only that part counts.
    func days(until last: Int = .max) -> Days {
        days.mapValues { told in
            Dictionary(grouping: told.filter { $0 <= last }) { SubscriptionMonth(of: $0) }.mapValues { days in
                let asked = days.filter(selection.contains)
                return (asked.isEmpty ? days : asked).sorted()
            }
        }.reduce(into: [:]) { days, entry in
            let (kind, months) = entry
            days[kind] = kind == .subscription ? months.mapValues { Array($0.suffix(1)) } : months
        }
    }

    /// The sums of each month.
    func sums(over days: Days) -> [MonthKey: AppleSubscriptionReport.Count] {
        let used = days.mapValues { Set($0.values.joined()) }
        var sums: [MonthKey: AppleSubscriptionReport.Count] = [:]
        for (key, count) in counts where used[key.kind]?.contains(key.day) == true {
            let month = SubscriptionMonth(of: key.day)
            sums[
                MonthKey(kind: key.kind, month: month, product: key.product, measure: key.measure),
                default: .init()
            ] +=
                count
        }
        return sums
    }

    /// The kinds of the reports that cover a selected day, sorted by name.
    var kinds: [Kind] { Set(files.filter(\.isShown).map(\.kind)).sorted { $0.rawValue < $1.rawValue } }

    /// Notes about the reports, a sentence each.
    var notes: [String] {
        var notes: [String] = []
        for kind in kinds where kind != .subscription {
            for (month, told) in days()[kind, default: [:]].sorted(by: { $0.key.name < $1.key.name }) {
                let missing = month.days.filter { selection.contains($0) && !told.contains($0) }
                guard !missing.isEmpty, told.contains(where: selection.contains) else { continue }
                notes.append(
                    "No \(kind.title) report covers \(DayName.list(missing)) of \(month.name); nothing of these days is "
                        + "compared."
                )
            }
        }
        for (month, days) in days()[.subscription, default: [:]].sorted(by: { $0.key.name < $1.key.name }) {
            guard let day = days.last, selection.contains(day), day != month.days.upperBound else { continue }
            notes.append(
                "No Subscription report covers \(DayName.text(month.days.upperBound)); active subscriptions of \(month.name) "
                    + "are those at the end of \(DayName.text(day))."
            )
        }
        if !undatedFiles.isEmpty {
            notes.append(
                "Not compared, because neither a row nor the name of the file contains a day, as "
                    + "Subscription_80012345_20260331.txt does: \(Self.list(undatedFiles.map(AppleFigures.shortName)))."
            )
        }
        if outsideCount > 0 {
            notes.append("Reports about subscriptions outside the period asked for: \(outsideCount).")
        }
        if !repeatedFiles.isEmpty {
            notes.append(
                "Files with the same bytes as another, counted once: \(Self.list(repeatedFiles.map(AppleFigures.shortName)))."
            )
        }
        if !unknownEvents.isEmpty {
            let names = unknownEvents.map { "\($0.key) (\($0.value))" }
            notes.append("Rows of events whose meaning is not known, which are not counted: \(Self.list(names)).")
        }
        return notes
    }

    /// Texts in order; of many the first ones.
    static func list(_ texts: [String]) -> String {
        let most = 5
        let sorted = Set(texts).sorted()
        return sorted.prefix(most).joined(separator: ", ")
            + (sorted.count > most ? " and \(sorted.count - most) more" : "")
    }
}
