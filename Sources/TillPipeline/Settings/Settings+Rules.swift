import TillCore
import TillInput
import TillLedger
public import TillPricing
import TillReference
import TillReports

extension Settings {
    /// The rules that follow from the flags, and the warnings about their files, a line each.
    ///
    /// It throws for all errors: contradicting flags are exit status 64, files with defects 65.
    func rules(for report: String) throws -> (rules: LedgerRules, warnings: [String]) {
        var rules = LedgerRules(refundDating: choice(.refundsBy) ?? .refund)
        rules.calendar = try calendar()
        rules.period = try period(in: rules.calendar)
        rules.completeDay = try completeDay()
        rules.keys = try groupKeys(for: report, in: rules.calendar)
        rules.rounding = choice(.rounding) ?? .halfEven
        if let weeks = self[.mrrWeekly].flatMap(Self.weeksPerMonthMillionths) { rules.weeksPerMonthMillionths = weeks }
        let warnings = try readPrices(into: &rules)
        try readTax(into: &rules)
        try readCommission(into: &rules)
        try readCatalogues(into: &rules)
        rules.productNames = Self.productNames(rules)
        rules.conversion = try conversion()
        rules.comparison = try comparison(for: report, rules)
        try readAccounts(into: &rules)
        return (rules, warnings)
    }

    /// The period that the flags name; `nil` for all time.
    public func period() throws -> Period? { try period(in: calendar()) }

    func calendar() throws -> BookingCalendar {
        let isFiscal = self[.fiscal] != nil || self[.fiscalMonth] != nil
        let kind = choice(.calendar) ?? (isFiscal ? CalendarKind.appleFiscal : .gregorian)
        // Apple's fiscal months have Pacific days.
        let zone = self[.tz] ?? (isFiscal ? ReconcileRun.usualTimeZone : "UTC")
        return BookingCalendar(kind, zone: try TimeZoneDatabase.rules(forOption: zone))
    }

    /// The day of `--complete`, in days since 1970.
    private func completeDay() throws(RunError) -> Int? {
        guard let text = self[.complete] else { return nil }
        guard let day = BookingCalendar.usual.code(named: text, by: .day) else {
            throw RunError(.usage, "--complete takes a day such as 2026-03-31, not '\(text)'")
        }
        return Int(day)
    }

    private func period(in calendar: BookingCalendar) throws(RunError) -> Period? {
        let (fiscal, fiscalMonth) = (self[.fiscal], self[.fiscalMonth])
        let (since, until) = (self[.since], self[.until])
        let months = [self[.period], self[.month]].compactMap(\.self)
        let named = months.count + [fiscal, fiscalMonth].compactMap(\.self).count
        let isBounded = since != nil || until != nil
        guard named + (isBounded ? 1 : 0) <= 1 else {
            throw RunError(
                .usage,
                "--period, --month, --fiscal, --fiscal-month and --since/--until name one period: choose one"
            )
        }
        do throws(Finding) {
            if let months = months.first {
                guard calendar.kind != .appleFiscal else {
                    throw Finding(
                        argument:
                            "\(months) is of the Gregorian calendar; with --calendar apple-fiscal say --fiscal FY26-06 or "
                            + "--fiscal-month 'March 2026'"
                    )
                }
                return try calendar.months(named: months, yearBegins: self[.yearBegins].flatMap { Int($0) } ?? 1)
            }
            if let fiscal { return try calendar.fiscalPeriod(fiscal) }
            if let fiscalMonth { return try calendar.fiscalMonth(named: fiscalMonth) }
            return isBounded ? try calendar.period(since: since, until: until) : nil
        } catch {
            throw RunError(.usage, error.reason)
        }
    }

    private func groupKeys(for report: String, in calendar: BookingCalendar) throws(RunError) -> [GroupKey]? {
        guard let names = self[.by] else { return nil }
        var found: [GroupKey] = []
        for name in names.split(separator: ",", omittingEmptySubsequences: false).map({ $0.filter { $0 != " " } }) {
            guard let key = GroupKey(name: name) else {
                let supported = ReportRegistry.keys(of: report)
                let known = (supported.isEmpty ? GroupKey.allCases : supported).map(\.rawValue)
                throw RunError(.usage, NearestWord.unknown("key", name, for: "--by", among: known))
            }
            guard !found.contains(key) else { throw RunError(.usage, "--by names \(key.rawValue) twice") }
            guard key != .month || calendar.kind != .isoWeek else {
                throw RunError(.usage, "--calendar iso-week has no months; say --by week")
            }
            found.append(key)
        }
        if found.contains(.underlyingCode), let other = found.first(where: FailureDimension.isNamed(by:)) {
            throw RunError(
                .usage,
                "--by underlying_code cannot be joined with \(other.rawValue); it goes with bundle_id and units of time"
            )
        }
        let unknown = ReportRegistry.unknownKeys(among: found, of: report)
        guard unknown.isEmpty else {
            let names = unknown.map(\.rawValue).joined(separator: ", ")
            let known = ReportRegistry.keys(of: report).map(\.rawValue).joined(separator: ", ")
            let choice = known.isEmpty ? "its rows are fixed" : "choose \(known)"
            throw RunError(.usage, "report \(report) does not support --by \(names); \(choice)")
        }
        return found
    }

    /// A share from 0 to 1, with at most six decimals, in millionths.
    static func shareMillionths(_ text: String) -> Int64? {
        guard let millionths = ScaledDecimal.parse(text.utf8.span.bytes, scale: 6),
            (0...1_000_000).contains(millionths)
        else { return nil }
        return millionths
    }

    /// Whether a text is meant as a number, and not as the name of a file.
    static func looksNumeric(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || "+-.,%".utf8.contains(byte)
        }
    }

    /// A decimal number from 1 to 5, with at most six digits behind the point, in millionths.
    static func weeksPerMonthMillionths(_ text: String) -> Int64? {
        let fraction = text.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last ?? "0"
        let value = ScaledDecimal.parse(text.utf8.span.bytes, scale: 6)
        guard (1...6).contains(fraction.utf8.count), text.utf8.allSatisfy({ $0 | 0x20 != UInt8(ascii: "e") }),
            let value,
            (1_000_000...5_000_000).contains(value)
        else { return nil }
        return value
    }
}

// MARK: - Files

extension Settings {
    /// Reads the price list; returns its warnings.
    private func readPrices(into rules: inout LedgerRules) throws -> [String] {
        var territory: Territory?
        if let defaultTerritory = self[.defaultTerritory] {
            territory = Territory(defaultTerritory)
            guard territory != nil else {
                throw RunError(.usage, "--default-territory takes an ISO 3166-1 code, not '\(defaultTerritory)'")
            }
        }
        rules.defaultTerritory = territory
        guard let prices = self[.prices] else { return [] }
        var bytes = try bytes(of: prices, option: "--prices", limit: PriceList.maximumByteCount)
        if CatalogueFile.kind(of: bytes) == .storeKit {
            bytes = try StoreKitConfiguration(bytes, name: prices).priceList()
        }
        let list = try PriceList(csv: bytes, name: prices, defaultTerritory: territory, zone: rules.calendar.zone)
        rules.prices = list
        var warnings = list.warnings.map { "tillroll: warning: " + $0.text(inFile: prices) }
        if let territory, !list.covers(territory) {
            warnings.append(
                "tillroll: warning: \(prices) has no price for \(territory), which --default-territory names, and none for *; "
                    + "sales with neither a storefront nor a currency have a price only if all prices of their product agree"
            )
        }
        return warnings
    }

    /// Reads the tax in prices without one in the price list.
    private func readTax(into rules: inout LedgerRules) throws {
        guard let tax = self[.tax] else { return }
        if tax == Self.noTax {
            rules.hasNoTax = true
        } else {
            rules.taxes = try schedule(of: .tax, as: .tax, rules)
            rules.taxFile = tax
        }
    }

    /// The value of `--tax` for prices without tax.
    static let noTax = "none"

    private func schedule(of flag: Flag, as kind: RateScheduleFile.Kind, _ rules: LedgerRules) throws -> RateSchedule {
        let name = self[flag] ?? ""
        return try RateScheduleFile.read(
            bytes(of: name, option: "--\(flag.name)", limit: RateScheduleFile.maximumByteCount),
            of: kind,
            name: name,
            defaultTerritory: rules.defaultTerritory,
            zone: rules.calendar.zone
        )
    }

    /// Reads Apple's share of prices: one rate, or a file of them.
    private func readCommission(into rules: inout LedgerRules) throws {
        if let commission = self[.commission] {
            if let rate = Self.shareMillionths(commission) {
                rules.commission = rate
            } else if Self.looksNumeric(commission) {
                throw RunError(.usage, "--commission takes a share from 0 to 1, such as 0.30, not '\(commission)'")
            } else {
                rules.commissions = try schedule(of: .commission, as: .commission, rules)
                rules.commissionFile = commission
            }
        }
        guard let rate = self[.secondYearRate] else { return }
        guard rules.knowsCommission else {
            throw RunError(.usage, Flag.secondYearRate.needs(.commission, "or a price list with commissions"))
        }
        rules.secondYearRate = Self.shareMillionths(rate)
    }

    private func readAccounts(into rules: inout LedgerRules) throws {
        guard let path = self[.accounts] else { return }
        let bytes = try bytes(of: path, option: "--accounts", limit: AccountFile.maximumByteCount)
        rules.accounts = try AccountFile.read(bytes, name: path)
    }

    private func readCatalogues(into rules: inout LedgerRules) throws {
        guard self[.catalogue] != nil else { return }
        var catalogue = Catalogue()
        try readFiles(of: .catalogue, limit: CatalogueFile.maximumByteCount) { bytes, path throws(FileFindings) in
            try CatalogueFile.read(bytes, name: path, into: &catalogue)
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

    /// The names of products: those of the price list, then those of the catalogues, of which the first one that names
    /// a product counts.
    private static func productNames(_ rules: LedgerRules) -> ProductNames {
        let listed = (rules.prices?.names ?? [:]).map { ($0.key, $0.value) }
        let described = (rules.catalogue?.productIDs ?? []).compactMap { productID in
            (rules.catalogue?[productID]?.name).map { (productID, $0) }
        }
        return ProductNames(listed + described)
    }

    /// Gives the files of a repeatable flag to `body`, in the order of the command line.
    private func readFiles(
        of flag: Flag,
        limit: Int,
        _ body: (_ bytes: [UInt8], _ path: String) throws(FileFindings) -> Void
    ) throws {
        for path in all(flag) {
            try body(try bytes(of: path, option: "--\(flag.name)", limit: limit), path)
        }
    }

    private func conversion() throws -> Conversion? {
        guard let baseCurrency = self[.baseCurrency] else {
            guard self[.fx] == nil else { throw RunError(.usage, Flag.fx.needs(.baseCurrency, "such as EUR")) }
            return nil
        }
        guard let base = CurrencyCode(baseCurrency) else {
            throw RunError(.usage, "--base-currency takes a code of three capital letters, not '\(baseCurrency)'")
        }
        guard self[.fx] != nil else {
            throw RunError(.usage, Flag.baseCurrency.needs(.fx, "the file of exchange rates"))
        }
        var table = ExchangeRates()
        try readFiles(of: .fx, limit: ExchangeRateFile.maximumByteCount) { bytes, path throws(FileFindings) in
            try ExchangeRateFile.read(bytes, name: path, into: &table)
        }
        do {
            if self[.fxAny] == nil { try table.checkPlausible() }
        } catch {
            throw RunError(.dataError, error.message)
        }
        var conversion = Conversion(to: base, rates: table, pegs: self[.fxPeg] != nil)
        conversion.dateRule = choice(.fxDate) ?? .purchaseDate
        conversion.gapRule = choice(.fxGap) ?? .previous
        conversion.longestGap = self[.fxMaxGap].flatMap { Int($0) } ?? Conversion.usualLongestGap
        guard conversion.knowsBase else {
            throw RunError(.dataError, "none of the files of --fx has a rate of \(base) (fx.no-base)")
        }
        return conversion
    }

    private func comparison(for report: String, _ rules: LedgerRules) throws -> Comparison? {
        guard let comparison = self[.compare] else { return nil }
        guard ReportRegistry.comparesEarlierFigures(report) else {
            throw RunError(.usage, "--compare belongs to the report revenue, not to \(report)")
        }
        guard comparison == "month" || comparison == "year" else {
            let limit = EarlierReportFile.maximumByteCount
            let bytes: [UInt8]
            do {
                bytes = try self.bytes(of: comparison, option: "--compare", limit: limit)
            } catch let error as Finding where error.cause == .missing {
                throw RunError(
                    .noInput,
                    "--compare takes 'month', 'year' or the file of an earlier report in JSON, not '\(comparison)': "
                        + error.message
                )
            }
            return .report(try EarlierReportFile.read(bytes, name: comparison, keys: RevenueReport.keys(rules)))
        }
        let times = RevenueReport.keys(rules).filter { $0.unit != nil }
        guard times.contains(.month) else {
            throw RunError(.usage, "--compare \(comparison) needs the month among the keys of --by")
        }
        if let other = times.first(where: { $0 != .month }) {
            throw RunError(.usage, "--compare \(comparison) compares whole months: leave \(other.rawValue) out of --by")
        }
        if let period = rules.period, !rules.calendar.isWholeMonths(period) {
            throw RunError(.usage, "--compare \(comparison) needs a period of whole months, such as --month 2026-03")
        }
        return comparison == "month" ? .month : .year
    }
}
