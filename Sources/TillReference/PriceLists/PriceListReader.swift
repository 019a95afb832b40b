import TillCore
import TillPricing

/// Reads the rows of a price list and the defects of each row. Rows are compared with each other later.
struct PriceListReader {
    private(set) var rows: [PriceListRow] = []
    private(set) var problems: [Finding] = []

    private let zone: TimeZoneRules

    init(
        _ csv: [UInt8],
        zone: TimeZoneRules = .utc,
        maximumByteCount: Int = PriceList.maximumByteCount,
        maximumRowCount: Int = PriceList.maximumRowCount
    ) {
        self.zone = zone
        read(csv, maximumByteCount: maximumByteCount, maximumRowCount: maximumRowCount)
    }

    private mutating func read(_ csv: [UInt8], maximumByteCount: Int, maximumRowCount: Int) {
        guard csv.count <= maximumByteCount else {
            return report(1, "prices.too-large", "a price list has at most \(maximumByteCount) bytes")
        }
        guard !csv.starts(with: [0xFF, 0xFE]), !csv.starts(with: [0xFE, 0xFF]) else {
            return report(1, "prices.encoding", "the file is UTF-16; save it as UTF-8")
        }
        var records = SeparatedValues(csv)
        guard let header = records.next() else { return report(1, "prices.empty", "the file has no header") }
        let columns = readHeader(header)
        guard header.defect != .invalidUTF8 else { return }
        let allowsDecimalComma = records.separator != UInt8(ascii: ",")

        var count = 0
        while let record = records.next() {
            count += 1
            guard count <= maximumRowCount else {
                return report(record.line, "prices.too-many-rows", "a price list has at most \(maximumRowCount) rows")
            }
            guard isSound(record) else {
                // A file of another kind, or in another encoding, has this defect in every line.
                if record.defect == .invalidUTF8 { return }
                continue
            }
            guard record.cells.count <= header.cells.count else {
                report(
                    record.line,
                    "prices.cells",
                    "\(record.cells.count) cells, but the header has \(header.cells.count)"
                )
                continue
            }
            var reader = PriceListRecord(record, columns: columns, allowsDecimalComma: allowsDecimalComma, zone: zone)
            if let row = reader.row() { rows.append(row) }
            problems += reader.problems
        }
    }

    /// The place of each column among the cells.
    private mutating func readHeader(_ header: SeparatedValues.Record) -> PriceListLayout {
        var columns = PriceListLayout()
        guard isSound(header) else { return columns }
        for (index, name) in header.cells.enumerated() {
            guard let column = PriceListColumn(header: name) else {
                report(header.line, "prices.unknown-column", "a price list has no column \(Finding.excerpt(name))")
                continue
            }
            if columns[column] != nil {
                report(header.line, "prices.repeated-column", "the column \(column.name) is repeated")
            }
            columns[column] = index
        }
        for column in PriceListColumn.required where columns[column] == nil {
            report(header.line, "prices.missing-column", "the column \(column.name) is missing")
        }
        return columns
    }

    private mutating func isSound(_ record: SeparatedValues.Record) -> Bool {
        switch record.defect {
        case nil: return true
        case .strayQuote:
            report(record.line, "prices.quote", "a quote is inside a cell; double it and quote the cell")
        case .unclosedQuote: report(record.line, "prices.quote", "a quote is not closed before the end of the file")
        case .invalidUTF8: report(record.line, "prices.encoding", "the text is not UTF-8; save the file as UTF-8")
        }
        return false
    }

    private mutating func report(_ line: Int, _ code: String, _ message: String) {
        problems.append(Finding(code, at: line, message))
    }
}
