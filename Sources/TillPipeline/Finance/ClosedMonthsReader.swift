import TillCore
import TillInput
import TillLedger
import TillPricing
import TillReference
import TillReports
import TillStorage

/// Reads the file that `--closed` names.
///
/// | file | tells |
/// | --- | --- |
/// | report in JSON | printed rows and settings |
/// | partial | transactions, settings, contents of price lists, catalogues and rates |
/// | manifest | digests of the documents and of these files, and settings; the documents are read anew |
struct ClosedMonthsReader {
    /// As it was given.
    let path: String
    /// Today's settings.
    let settings: Settings
    let rules: LedgerRules
    let environments: EnvironmentFilter
    let allowance: MemoryAllowance?

    enum Kind {
        case report([UInt8])
        case partial(InputFile)
        case manifest(ClosedManifest)
    }

    /// The last part of the path.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    func wrong(_ status: ExitStatus, _ reason: String) -> RunError {
        RunError(status, "--closed \(path): \(reason)")
    }

    /// Opens the file, and reads it unless it is a partial.
    func open() throws -> Kind {
        guard !RevenueReport.keys(rules).contains(.hour) else {
            throw RunError(.usage, "--closed compares months, weeks or days; leave hour out of --by")
        }
        let files = try InputFile.expand([path])
        // The beginning is read twice.
        guard let file = files.first, files.count == 1, file != .standardInput, file.size != nil else {
            throw wrong(.usage, "it takes one file, not a folder, a pipe or standard input")
        }
        let start = try ReferenceFile.start(of: path, option: "--closed", atLeast: 64)
        if start.starts(with: PartialFile.magic) { return .partial(file) }
        guard !start.starts(with: PartialFile.closedMagic) else {
            throw wrong(
                .usage,
                "it is a closed partial, which has sums and no transactions; give the report, its manifest or an open partial"
            )
        }
        let bytes = try settings.bytes(of: path, option: "--closed", limit: EarlierReportFile.maximumByteCount)
        guard ClosedManifest.isManifest(start) else { return .report(bytes) }
        do throws(Finding) {
            return .manifest(try ClosedManifest(bytes))
        } catch {
            throw wrong(.dataError, error.reason)
        }
    }

    // MARK: A report

    /// The printed rows of a report in JSON.
    func months(ofReport bytes: [UInt8]) throws(RunError) -> ClosedMonths {
        let keys = RevenueReport.keys(rules)
        let report = try EarlierReportFile.read(bytes, name: path, keys: keys, option: "--closed")
        let then = Dictionary(report.settings.map { ($0.name, $0.value) }) { $1 }
        try check(calendar: then["calendar"], zone: then["tz"], trust: then["trust"], bundleIDs: then["bundle_id"])
        var books = ClosedBooks()
        for row in report.rows where books.rows.updateValue(row.revenue, forKey: row.keys) != nil {
            throw wrong(.dataError, "it has two rows of \(row.keys.map { $0 ?? "null" }.joined(separator: ", "))")
        }
        let scope: ClosedScope
        let period = try period(of: then)
        do throws(Finding) {
            scope = try ClosedScope(period, keys, rows: books.rows.keys, in: rules.calendar)
        } catch {
            throw wrong(.dataError, error.description)
        }
        var months = ClosedMonths(name: name, scope: scope, tellsTransactions: false)
        months.books = books.limited(to: scope, months.index)
        months.restatesConverted = then["base_currency"].map { $0 == rules.conversion?.base.description } ?? false
        months.notes = notes(on: then)
        return months
    }

    /// Settings that can change figures and differ from today's settings; a sentence each.
    private func notes(on then: [String: String]) -> [String] {
        var now = ["refunds_by": rules.refundDating.rawValue, "environment": environments.words.joined(separator: ",")]
        if let conversion = rules.conversion {
            now["fx_date"] = conversion.dateRule.rawValue
            now["fx_gap"] = conversion.gapRule.rawValue
            now["rounding"] = rules.rounding.rawValue
        }
        return now.sorted { $0.key < $1.key }.compactMap { name, value in
            guard let earlier = then[name], earlier != value else { return nil }
            return "\(self.name) was made with \(name) \(earlier), this report with \(value)."
        }
    }

    private func period(of settings: [String: String]) throws(RunError) -> Period? {
        func instant(_ name: String) throws(RunError) -> Timestamp? {
            guard let text = settings[name] else { return nil }
            guard let instant = Timestamp.parse(Array(text.utf8).span.bytes) else {
                throw wrong(.dataError, "its setting \(name) is '\(text)', which is not a time")
            }
            return instant
        }
        let (since, until) = (try instant("since"), try instant("until"))
        return since == nil && until == nil ? nil : Period(from: since, until: until)
    }

    // MARK: A ledger

    /// The options for booking and conversion; other options do not change restated figures.
    static let bookingFlags: [Flag] =
        [
            .period, .month, .yearBegins, .fiscal, .fiscalMonth, .since, .until, .calendar, .tz, .refundsBy, .by,
        ] + priceFlags + rateFlags
    private static let priceFlags: [Flag] = [.prices, .defaultTerritory, .catalogue]
    private static let rateFlags: [Flag] = [
        .fx, .baseCurrency, .fxDate, .fxGap, .fxMaxGap, .fxPeg, .fxAny, .rounding,
    ]

    /// The books of a ledger by its own rules, and by today's rules.
    func months(of ledger: ClosedLedger) throws -> ClosedMonths {
        do {
            return try books(of: ledger)
        } catch let error as Finding where error.cause == .defect {
            throw wrong(.dataError, error.description)
        }
    }

    private func books(of ledger: ClosedLedger) throws -> ClosedMonths {
        let head = ledger.head
        guard ReportRegistry.comparesEarlierFigures(head.report) else {
            throw wrong(.dataError, "it is of the report \(head.report); one of revenue is needed")
        }
        let names = Set(Self.bookingFlags.map(\.name))
        let carried = head.settling.filter { names.contains($0.name) }
        let earlier = try Settings().over(carried, bringing: head.files)
        let then = try earlier.rules(for: head.report).rules
        try check(
            calendar: then.calendar.kind.rawValue,
            zone: then.calendar.zone.name,
            trust: head.trust,
            bundleIDs: head.bundleIDs.joined(separator: ",")
        )
        let keys = RevenueReport.keys(then)
        guard keys == RevenueReport.keys(rules) else {
            throw wrong(.usage, "its rows are by \(keys.map(\.rawValue).joined(separator: ",")); give the same --by")
        }
        var differences: ClosedMonths.Differences = []
        if try contents(of: earlier, Self.priceFlags) != contents(of: settings, Self.priceFlags) {
            differences.insert(.prices)
        }
        if try contents(of: earlier, Self.rateFlags) != contents(of: settings, Self.rateFlags) {
            differences.insert(.rates)
        }
        return try ClosedMonths(
            name: name,
            then: ClosedMonths.Terms(then, head.environments),
            now: ClosedMonths.Terms(rules, environments),
            differences,
            settle: ledger.settled
        )
    }

    /// The values of some flags, with the contents of the files that they name.
    private func contents(of settings: Settings, _ flags: [Flag]) throws -> [[UInt8]] {
        var contents: [[UInt8]] = []
        for flag in flags {
            contents.append(Array(flag.name.utf8))
            for value in settings.all(flag) {
                let isFile = flag.namesSettlingFile(value)
                contents.append(
                    try isFile
                        ? settings.bytes(of: value, option: "--\(flag.name)", limit: PriceList.maximumByteCount)
                        : Array(value.utf8)
                )
            }
        }
        return contents
    }

    // MARK: Both

    /// Throws if the closed figures cannot be compared with today's figures.
    private func check(calendar: String?, zone: String?, trust: String?, bundleIDs: String?) throws(RunError) {
        let now = rules.calendar
        guard let calendar, let zone, let trust else {
            throw wrong(.dataError, "its settings lack calendar, tz or trust")
        }
        guard calendar == now.kind.rawValue else {
            throw wrong(.usage, "its months are those of --calendar \(calendar); give the same")
        }
        guard zone == now.zone.name else {
            throw wrong(.usage, "its days are those of --tz \(zone), not \(now.zone.name); give --tz \(zone)")
        }
        guard trust == rules.trust else {
            throw wrong(
                .usage,
                "its documents were read with --trust \(trust), not \(rules.trust); give --trust \(trust)"
            )
        }
        let apps = Set((bundleIDs ?? "").split(separator: ",").map(String.init))
        guard apps == Set(rules.bundleIDs) else {
            let shown = apps.isEmpty ? "of all apps" : "of --bundle-id \(apps.sorted().joined(separator: ","))"
            throw wrong(.usage, "its documents are those \(shown); choose the same")
        }
    }
}
