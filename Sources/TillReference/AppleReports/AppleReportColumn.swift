import TillCore
import TillPricing

/// The columns of Apple's sales reports that are read. Each kind of report has its own names for them.
enum AppleReportColumn: Int, CaseIterable {
    case firstDay, lastDay, transactionDay
    case product, productType, country
    /// Apple's number of the product, an optional column.
    case appleID
    case units, price, currency
    /// Of one unit in Summary Sales, of all units in financial reports.
    case proceeds
    case proceedsCurrency
    /// `S` or `R`.
    case direction

    /// Its names in the header of a kind of report, in lower case; none if the kind has no such column.
    func names(in kind: AppleReport.Kind) -> [String] {
        switch (self, kind) {
        case (.firstDay, .salesSummary): ["begin date"]
        case (.firstDay, .financial): ["start date"]
        case (.lastDay, .salesSummary), (.lastDay, .financial): ["end date"]
        case (.firstDay, .financialDetail), (.lastDay, .financialDetail): []
        case (.transactionDay, .financialDetail): ["transaction date"]
        case (.transactionDay, _): []
        case (.product, .financial): ["vendor identifier"]
        case (.product, _): ["sku"]
        case (.productType, _): ["product type identifier"]
        case (.appleID, _): ["apple identifier"]
        case (.country, .salesSummary): ["country code"]
        case (.country, _): ["country of sale"]
        case (.units, .salesSummary): ["units"]
        case (.units, _): ["quantity"]
        case (.price, _): ["customer price"]
        case (.currency, _): ["customer currency"]
        case (.proceeds, .salesSummary): ["developer proceeds"]
        case (.proceeds, _): ["extended partner share"]
        case (.proceedsCurrency, .salesSummary): ["currency of proceeds"]
        case (.proceedsCurrency, _): ["partner share currency"]
        case (.direction, .salesSummary): []
        case (.direction, _): ["sales or return", "sale or return", "sale or returns", "sales or returns"]
        }
    }

    /// Its name as Apple writes it: `Customer Price`, `Sales or Return`, `SKU`.
    func title(in kind: AppleReport.Kind) -> String {
        guard let name = names(in: kind).first, name != "sku" else { return "SKU" }
        return name.split(separator: " ").map { word in
            ["of", "or"].contains(word) ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
        }.joined(separator: " ")
    }

    /// The columns of a kind of report that are needed.
    static func needed(in kind: AppleReport.Kind) -> [AppleReportColumn] {
        allCases.filter { $0 != .appleID && !$0.names(in: kind).isEmpty }
    }

    /// A name of a header in lower case, with single spaces.
    static func normalized(_ name: String) -> String {
        name.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

/// The kind of report of a header, and the cell of each column.
struct AppleReportLayout {
    let kind: AppleReport.Kind
    /// By the raw value of the column: the index of its cell, or -1.
    private var places = Array(repeating: -1, count: AppleReportColumn.allCases.count)
    /// The number of cells of the header.
    let cellCount: Int

    func place(of column: AppleReportColumn) -> Int { places[column.rawValue] }

    /// The least number of columns of a header.
    private static let leastCount = 4

    /// Recognises the header of a report by its names; `nil` for any other line.
    ///
    /// The kind is the one with the largest share of its columns in the header, at least half of them.
    init?(header: [String]) {
        let names = header.map(AppleReportColumn.normalized)
        var best: (kind: AppleReport.Kind, count: Int, of: Int)?
        for kind in AppleReport.Kind.allCases {
            let columns = AppleReportColumn.needed(in: kind)
            let count = columns.count { column in names.contains { column.names(in: kind).contains($0) } }
            guard count >= Self.leastCount, count * 2 >= columns.count else { continue }
            if let known = best, count * known.of <= known.count * columns.count { continue }
            best = (kind, count, columns.count)
        }
        guard let best else { return nil }
        kind = best.kind
        cellCount = names.count
        for column in AppleReportColumn.allCases {
            let known = column.names(in: kind)
            if let place = names.firstIndex(where: known.contains) { places[column.rawValue] = place }
        }
    }

    /// The defects of the header: missing or repeated columns.
    func problems(_ header: [String], line: Int) -> [Finding] {
        let names = header.map(AppleReportColumn.normalized)
        return AppleReportColumn.needed(in: kind).compactMap { column in
            let known = column.names(in: kind)
            let shown = Finding.excerpt(column.title(in: kind))
            switch names.count(where: known.contains) {
            case 0:
                let message = "the column \(shown) of a \(kind.title) report is missing"
                return .init("apple.missing-column", at: line, message)
            case 1: return nil
            default: return .init("apple.repeated-column", at: line, "the column \(shown) is repeated")
            }
        }
    }
}
