import TillCore
public import TillLedger
public import TillPricing
import TillReference
import TillReports

/// What a user chooses of prices, money, time and keys, as it was written; ``rules(for:)`` reads the files and settles it.
public struct FinanceChoices: Sendable {
    public var refundDating = LedgerRules.RefundDating.refund
    /// The path of a price list, or of a `.storekit` configuration whose prices are taken.
    public var prices: String?
    /// An ISO 3166-1 code.
    public var defaultTerritory: String?
    public var catalogues: [String] = []

    public var rates: [String] = []
    public var baseCurrency: String?
    public var dateRule = Conversion.DateRule.purchaseDate
    public var gapRule = Conversion.GapRule.previous
    public var longestGap = Conversion.usualLongestGap
    public var usesPegs = false
    public var rounding = Rounding.halfEven
    /// A decimal from 0 to 1.
    public var commission: String?

    /// `nil` for the one that goes with the period, else the Gregorian one.
    public var calendar: CalendarKind?
    public var timeZone = "UTC"
    public var month: String?
    public var fiscal: String?
    public var fiscalMonth: String?
    public var since: String?
    public var until: String?

    /// Names of keys.
    public var keys: [String] = []
    /// `month`, `year`, or the path of a report in JSON.
    public var comparison: String?

    /// Files that a partial brought with it, in place of those of the same path.
    public var files: [PartialHead.File] = []

    public init() {}

    /// The files that are read; what a partial brought with it is not.
    var sideFiles: [OutputPaths.SideFile] {
        let report = comparison.flatMap { ["month", "year"].contains($0) ? nil : $0 }
        let named =
            [("--prices", prices), ("--compare", report)] + catalogues.map { ("--catalogue", $0) }
            + rates.map { ("--fx", $0) }
        return named.compactMap { option, path in
            guard let path, !files.contains(where: { $0.path == path }) else { return nil }
            return OutputPaths.SideFile(option: option, path: path)
        }
    }

    /// The bytes of a file that an option names.
    func bytes(of path: String, option: String, limit: Int) throws -> [UInt8] {
        if let file = files.first(where: { $0.path == path }) { return file.bytes }
        return try ReferenceFile.bytes(of: path, option: option, limit: limit)
    }

    /// The rules that the choices come to, and what is doubtful about them, a line each.
    ///
    /// Everything that can be wrong is found here: choices that contradict each other are status 64, files with
    /// defects 65.
    func rules(for report: String) throws -> (rules: LedgerRules, warnings: [String]) {
        var rules = LedgerRules(refundDating: refundDating)
        let isFiscal = fiscal != nil || fiscalMonth != nil
        let kind = calendar ?? (isFiscal ? .appleFiscal : .gregorian)
        rules.calendar = BookingCalendar(kind, zone: try TimeZoneDatabase.rules(forOption: timeZone))
        rules.period = try period(in: rules.calendar)
        rules.keys = try groupKeys(for: report, in: rules.calendar)
        rules.rounding = rounding
        rules.commission = try commissionMillionths()
        let warnings = try readPrices(into: &rules)
        try readCatalogues(into: &rules)
        rules.conversion = try conversion()
        rules.comparison = try comparison(for: report, rules)
        return (rules, warnings)
    }

    private func period(in calendar: BookingCalendar) throws(RunError) -> Period? {
        let named = [month, fiscal, fiscalMonth].compactMap(\.self).count
        let isBounded = since != nil || until != nil
        guard named + (isBounded ? 1 : 0) <= 1 else {
            throw RunError(.usage, "--month, --fiscal, --fiscal-month and --since/--until name one period: choose one")
        }
        do throws(PeriodError) {
            if let month {
                guard calendar.kind != .appleFiscal else {
                    throw PeriodError(
                        "--month \(month) is a Gregorian month; with --calendar apple-fiscal say --fiscal FY26-06 or "
                            + "--fiscal-month 'March 2026'"
                    )
                }
                return try calendar.month(month)
            }
            if let fiscal { return try calendar.fiscalPeriod(fiscal) }
            if let fiscalMonth { return try calendar.fiscalMonth(named: fiscalMonth) }
            return isBounded ? try calendar.period(since: since, until: until) : nil
        } catch {
            throw RunError(.usage, error.description)
        }
    }

    private func groupKeys(for report: String, in calendar: BookingCalendar) throws(RunError) -> [GroupKey]? {
        guard !keys.isEmpty else { return nil }
        var found: [GroupKey] = []
        for name in keys {
            guard let key = GroupKey(name: name) else {
                let known = GroupKey.allCases.map(\.rawValue)
                let question = NearestWord.clause(about: name, among: known)
                throw RunError(.usage, "--by knows \(known.joined(separator: ", ")), not '\(name)'\(question)")
            }
            guard !found.contains(key) else { throw RunError(.usage, "--by names \(key.rawValue) twice") }
            guard key != .month || calendar.kind != .isoWeek else {
                throw RunError(.usage, "--calendar iso-week has no months; say --by week")
            }
            found.append(key)
        }
        let unknown = ReportRegistry.unknownKeys(among: found, of: report)
        guard unknown.isEmpty else {
            let names = unknown.map(\.rawValue).joined(separator: ", ")
            throw RunError(.usage, "the rows of report \(report) cannot be told apart by \(names)")
        }
        return found
    }

    private func commissionMillionths() throws(RunError) -> Int64? {
        guard let commission else { return nil }
        guard let millionths = ScaledDecimal.parse(commission.utf8.span.bytes, scale: 6),
            (0...1_000_000).contains(millionths)
        else { throw RunError(.usage, "--commission takes a share from 0 to 1, such as 0.30, not '\(commission)'") }
        return millionths
    }
}

// MARK: - Files

extension FinanceChoices {
    /// Reads the price list; gives what is doubtful in it.
    private func readPrices(into rules: inout LedgerRules) throws -> [String] {
        var territory: Territory?
        if let defaultTerritory {
            territory = Territory(defaultTerritory)
            guard territory != nil else {
                throw RunError(.usage, "--default-territory takes an ISO 3166-1 code, not '\(defaultTerritory)'")
            }
        }
        guard let prices else { return [] }
        var bytes = try self.bytes(of: prices, option: "--prices", limit: PriceList.maximumByteCount)
        do {
            if CatalogueFile.kind(of: bytes) == .storeKit {
                bytes = try StoreKitConfiguration(bytes, name: prices).priceList()
            }
            let list = try PriceList(
                csv: bytes,
                name: prices,
                defaultTerritory: territory,
                zone: rules.calendar.zone
            )
            rules.prices = list
            return list.warnings.map { "warning: " + $0.text(in: prices) }
        } catch let error as PriceListError {
            throw RunError(.dataError, lines: error.lines)
        } catch let error as ReferenceError {
            throw RunError(.dataError, lines: error.lines)
        }
    }

    private func readCatalogues(into rules: inout LedgerRules) throws {
        guard !catalogues.isEmpty else { return }
        var catalogue = Catalogue()
        for path in catalogues {
            let limit = CatalogueFile.maximumByteCount
            let bytes = try self.bytes(of: path, option: "--catalogue", limit: limit)
            do {
                try CatalogueFile.read(bytes, name: path, into: &catalogue)
            } catch {
                throw RunError(.dataError, lines: error.lines)
            }
        }
        let listed = rules.prices?.types ?? [:]
        for productID in catalogue.productIDs {
            guard let type = listed[productID], let other = catalogue[productID]?.type, type != other else { continue }
            throw RunError(
                .dataError,
                "\(productID) is \(type.rawValue) in the price list and \(other.rawValue) in a catalogue "
                    + "(catalogue.conflict)"
            )
        }
        rules.catalogue = catalogue
    }

    private func conversion() throws -> Conversion? {
        guard let baseCurrency else {
            guard rates.isEmpty else { throw RunError(.usage, "--fx needs --base-currency, such as EUR") }
            return nil
        }
        guard let base = CurrencyCode(baseCurrency) else {
            throw RunError(.usage, "--base-currency takes a code of three capital letters, not '\(baseCurrency)'")
        }
        guard !rates.isEmpty else { throw RunError(.usage, "--base-currency needs rates: --fx FILE") }
        var table = ExchangeRates()
        for path in rates {
            let limit = ExchangeRateFile.maximumByteCount
            let bytes = try self.bytes(of: path, option: "--fx", limit: limit)
            do {
                try ExchangeRateFile.read(bytes, name: path, into: &table)
            } catch {
                throw RunError(.dataError, lines: error.lines)
            }
        }
        var conversion = Conversion(to: base, rates: table, pegs: usesPegs)
        conversion.dateRule = dateRule
        conversion.gapRule = gapRule
        conversion.longestGap = longestGap
        guard conversion.knowsBase else {
            throw RunError(.dataError, "none of the files of --fx has a rate of \(base) (fx.no-base)")
        }
        return conversion
    }

    private func comparison(for report: String, _ rules: LedgerRules) throws -> Comparison? {
        guard let comparison else { return nil }
        guard report == "revenue" || report == ReportRegistry.everything else {
            throw RunError(.usage, "--compare is known to the report revenue, not to \(report)")
        }
        guard comparison == "month" || comparison == "year" else {
            let limit = EarlierReportFile.maximumByteCount
            let bytes = try self.bytes(of: comparison, option: "--compare", limit: limit)
            return .report(try EarlierReportFile.read(bytes, name: comparison, keys: RevenueReport.keys(rules)))
        }
        guard RevenueReport.keys(rules).contains(.month) else {
            throw RunError(.usage, "--compare \(comparison) needs the month among the keys of --by")
        }
        if let period = rules.period, !rules.calendar.isWholeMonths(period) {
            throw RunError(.usage, "--compare \(comparison) needs a period of whole months, such as --month 2026-03")
        }
        return comparison == "month" ? .month : .year
    }
}
