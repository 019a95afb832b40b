import TillCore
import TillJSON
import TillLedger
import TillReference

/// An earlier revenue report of tillroll in JSON, for a comparison or for closed months.
enum EarlierReportFile {
    /// The largest size of a report or of its manifest.
    static let maximumByteCount = 256 << 20
    /// The versions of the JSON contract that are understood: the figures that are compared are in both.
    private static let versions = ["1", "2"]

    /// - Parameter option: the flag that named the file, for errors.
    static func read(
        _ bytes: [UInt8],
        name: String,
        keys: [GroupKey],
        option: String = "--compare"
    ) throws(RunError) -> EarlierReport {
        func wrong(_ reason: String) -> RunError { RunError(.dataError, "\(option) \(name): \(reason)") }
        let tree: JSONTree
        do {
            tree = try JSONTree(bytes)
        } catch {
            throw wrong("\(error.reason), at byte \(error.offset) (\(error.code))")
        }
        let reports = [tree] + (tree["reports"]?.elements ?? [])
        guard let revenue = reports.first(where: { $0["report"]?.text == "revenue" }) else {
            throw wrong("it is not a revenue report of tillroll in JSON")
        }
        guard let version = revenue["version"]?.number, versions.contains(version) else {
            throw wrong(
                "its version is \(revenue["version"]?.number ?? "missing"); this one compares versions "
                    + versions.joined(separator: " and ")
            )
        }
        let names = keys.map(\.rawValue)
        var rows: [EarlierReport.Row] = []
        for (index, row) in (revenue["revenue"]?.elements ?? []).enumerated() {
            guard let members = row.members, names.allSatisfy({ row[$0] != nil }),
                members.prefix(names.count).map(\.key) == names, members.count > names.count,
                members[names.count].key == "transactions"
            else {
                throw wrong(
                    "its rows are not by \(names.joined(separator: ", ")); make both reports with the same --by"
                )
            }
            guard let printed = printed(row) else {
                throw wrong("row \(index + 1) lacks a figure, or has a value that is not one")
            }
            rows.append(EarlierReport.Row(keys: names.map { row[$0]?.text }, revenue: printed))
        }
        guard sumsFit(rows) else { throw wrong("its figures are too large to be added") }
        let file = name.split(separator: "/").last.map(String.init) ?? name
        let settings = (revenue["settings"]?.members ?? []).map { (name: $0.key, value: plain($0.value)) }
        return EarlierReport(name: file, keys: names, settings: settings, rows: rows)
    }

    /// Whether sums and differences of the counts fit 64 bits, as those of every report that was written do.
    private static func sumsFit(_ rows: [EarlierReport.Row]) -> Bool {
        var sum: UInt64 = 0
        for row in rows {
            let figures = row.figures
            for count in [
                figures.transactions, figures.units, figures.refundedTransactions, figures.unpricedUnits,
                row.revenue.unconverted,
            ] {
                let (larger, overflow) = sum.addingReportingOverflow(count.magnitude)
                guard !overflow, larger <= UInt64(Int64.max) else { return false }
                sum = larger
            }
        }
        return true
    }

    private static func plain(_ value: JSONTree) -> String {
        value.text ?? value.number ?? (value.elements ?? []).compactMap(\.text).joined(separator: ",")
    }

    private static func printed(_ row: JSONTree) -> PrintedRevenue? {
        func count(_ name: String) -> Int64? { row[name]?.number.flatMap { Int64($0) } }
        /// Amounts of unpriced rows are null, and none of the sums needs them.
        func amount(_ name: String) -> Int128? {
            if case .null? = row[name] { return 0 }
            return row[name]?.number.flatMap(millionths)
        }
        guard let transactions = count("transactions"), let units = count("units"), let gross = amount("gross"),
            let refunded = count("refunded_transactions"), let refunds = amount("refunds"),
            let unpriced = count("unpriced_units")
        else { return nil }
        let figures = RevenueFigures(
            transactions: transactions,
            units: units,
            gross: gross,
            refundedTransactions: refunded,
            refunds: refunds,
            unpricedUnits: unpriced
        )
        // A report without conversion has none of these.
        guard row["converted_gross"] != nil else { return PrintedRevenue(figures) }
        guard let gross = amount("converted_gross"), let refunds = amount("converted_refunds"),
            let unconverted = count("unconverted_transactions")
        else { return nil }
        var isKnown = true
        if case .null? = row["converted_gross"] { isKnown = unconverted == 0 }
        let converted = PrintedRevenue.Converted(gross: gross, refunds: refunds)
        return PrintedRevenue(figures, converted: isKnown ? converted : nil, unconverted: unconverted)
    }

    /// A plain decimal of at most six places; sums may be longer than 64 bits.
    private static func millionths(_ text: String) -> Int128? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = Int128(parts[0]), whole.magnitude < 1 << 86 else {
            return nil
        }
        let fraction = parts.count == 2 ? parts[1] : "0"
        guard (1...6).contains(fraction.utf8.count), fraction.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let digits = Int128(fraction + String(repeating: "0", count: 6 - fraction.utf8.count))
        else { return nil }
        let scaled = whole * Money.millionthsPerUnit
        return text.hasPrefix("-") ? scaled - digits : scaled + digits
    }
}
