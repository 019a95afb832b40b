public import TillCore
public import TillPricing

/// Apple's shares of prices as separated values. `--commission` reads such a file instead of a single rate.
///
///     from,until,product,type,storefront,rate
///     2026-01-01,2026-06-30,,,,0.15                      the Small Business Program, up to the end of June
///     2026-07-01,,,,,0.30
///     2026-01-01,,,auto_renewable,DEU,0.27
///     2026-03-01,2026-03-31,com.example.pro,,USA,0.298431
///
/// Only `rate` is required. `from` and `until` are days of the report's time zone, both included, or RFC 3339 instants,
/// of which the last one is excluded. A row has a product or a type, or neither.
public enum CommissionFile {
    /// The largest file that is read, 64 MiB.
    public static let maximumByteCount = 64 << 20

    /// Reads a file, or throws all of its defects, line by line.
    ///
    /// - Parameters:
    ///   - name: the file as errors call it.
    ///   - defaultTerritory: the territory of sales with an unknown storefront.
    ///   - zone: the time zone in which days begin.
    public static func read(
        _ bytes: [UInt8],
        name: String,
        defaultTerritory: Territory? = nil,
        zone: TimeZoneRules = .utc
    ) throws(FileFindings) -> CommissionSchedule {
        var records = SeparatedValues(bytes)
        guard let header = records.next(), header.defect == nil else {
            throw FileFindings(name, [.init("commission.header", at: 1, "it has no header that can be read")])
        }
        var reader = CommissionReader(header, allowsDecimalComma: records.separator != UInt8(ascii: ","), zone: zone)
        var rows: [CommissionSchedule.Row] = []
        // A defect of the header affects every line.
        while reader.hasSoundHeader, reader.problems.count < CommissionReader.mostProblems, let record = records.next()
        {
            if let row = reader.row(record) { rows.append(row) }
        }
        guard reader.problems.isEmpty else { throw FileFindings(name, reader.problems) }
        guard !rows.isEmpty else {
            throw FileFindings(name, [.init("commission.no-rates", "there is no rate in it")])
        }
        var contradictions: [CommissionSchedule.Contradiction] = []
        let schedule = CommissionSchedule(rows, defaultTerritory: defaultTerritory, reporting: &contradictions)
        guard contradictions.isEmpty else {
            throw FileFindings(name, contradictions.prefix(CommissionReader.mostProblems).map(problem))
        }
        return schedule
    }

    private static func problem(_ contradiction: CommissionSchedule.Contradiction) -> Finding {
        let other = contradiction.earlier.line
        let message = "another rate than in line \(other) for the same sales at the same time"
        return .init("commission.contradiction", at: contradiction.later.line, message)
    }
}

/// Reads the records of one file.
private struct CommissionReader {
    /// The largest number of reported problems of one file. A file of another kind has a problem in every line.
    static let mostProblems = 100

    private enum Column: String, CaseIterable {
        case from, until, product, type, storefront, rate

        /// Reads a name of the header in either case, or as other files call the column.
        init?(header: String) {
            switch header.lowercased() {
            case "product_id", "sku": self = .product
            case "territory", "country": self = .storefront
            case "commission": self = .rate
            case let name: self.init(rawValue: name)
            }
        }
    }

    private(set) var problems: [Finding] = []
    let hasSoundHeader: Bool
    private var places: [Column: Int] = [:]
    private let cellCount: Int
    private let allowsDecimalComma: Bool
    private let zone: TimeZoneRules

    init(_ header: SeparatedValues.Record, allowsDecimalComma: Bool, zone: TimeZoneRules) {
        self.allowsDecimalComma = allowsDecimalComma
        self.zone = zone
        cellCount = header.cells.count
        for (index, name) in header.cells.enumerated() {
            guard let column = Column(header: name) else {
                let unknown = NearestWord.unknown(
                    "column",
                    String(name.prefix(40)),
                    among: Column.allCases.map(\.rawValue)
                )
                problems.append(Finding("commission.column", at: header.line, unknown))
                continue
            }
            if places.updateValue(index, forKey: column) != nil {
                let message = "the column \(column.rawValue) is repeated"
                problems.append(.init("commission.column", at: header.line, message))
            }
        }
        if places[.rate] == nil {
            problems.append(.init("commission.column", at: header.line, "the column rate is missing"))
        }
        hasSoundHeader = problems.isEmpty
    }

    /// The row of a record; `nil` if it has a defect, which is added to ``problems``.
    mutating func row(_ record: SeparatedValues.Record) -> CommissionSchedule.Row? {
        guard record.defect == nil else {
            report(record, "commission.cells", "the line is not separated values in UTF-8")
            return nil
        }
        guard record.cells.count <= cellCount else {
            report(record, "commission.cells", "\(record.cells.count) cells, but the header has \(cellCount)")
            return nil
        }
        let before = problems.count
        let row = read(record)
        return problems.count == before ? row : nil
    }

    private mutating func read(_ record: SeparatedValues.Record) -> CommissionSchedule.Row? {
        let (productID, type, territory) = (text(.product, record), type(record), territory(record))
        if productID != nil, type != nil {
            report(record, "commission.scope", "a row has a product or a type, not both")
        }
        let from = instant(.from, record, isEnd: false)
        let until = instant(.until, record, isEnd: true)
        if let from, let until, until <= from { report(record, "commission.interval", "until is before from") }
        guard let rate = rate(record) else { return nil }
        return CommissionSchedule.Row(
            line: record.line,
            from: from,
            until: until,
            productID: productID,
            type: type,
            territory: territory,
            rate: rate
        )
    }

    private mutating func report(_ record: SeparatedValues.Record, _ code: String, _ message: String) {
        problems.append(.init(code, at: record.line, message))
    }

    // MARK: Cells

    private func text(_ column: Column, _ record: SeparatedValues.Record) -> String? {
        guard let place = places[column], place < record.cells.count else { return nil }
        let text = record.cells[place]
        return text.isEmpty || text == "*" ? nil : text
    }

    private mutating func type(_ record: SeparatedValues.Record) -> ProductType? {
        guard let text = text(.type, record) else { return nil }
        let type = ProductType(rawValue: text)
        if type == nil {
            let known = ProductType.allCases.map(\.rawValue)
            report(record, "commission.type", NearestWord.unknown("type", String(text.prefix(40)), among: known))
        }
        return type
    }

    private mutating func territory(_ record: SeparatedValues.Record) -> Territory? {
        guard let text = text(.storefront, record) else { return nil }
        let territory = Territory(text)
        if territory == nil {
            report(record, "commission.storefront", "\(Finding.excerpt(text)) is neither an ISO 3166-1 code nor *")
        }
        return territory
    }

    /// A day begins at midnight; as an end it is the first instant of the next day.
    private mutating func instant(_ column: Column, _ record: SeparatedValues.Record, isEnd: Bool) -> Timestamp? {
        guard let text = text(column, record) else { return nil }
        let bytes = text.utf8.span.bytes
        if let day = Timestamp.parseDay(bytes) {
            return zone.startOfDay(Int(day.milliseconds / Timestamp.millisecondsPerDay) + (isEnd ? 1 : 0))
        }
        let instant = Timestamp.parse(bytes)
        if instant == nil {
            let message =
                "\(Finding.excerpt(text)) in \(column.rawValue) is neither YYYY-MM-DD nor an RFC 3339 instant"
            report(record, "commission.date", message)
        }
        return instant
    }

    /// Millionths.
    private mutating func rate(_ record: SeparatedValues.Record) -> Int64? {
        guard let text = text(.rate, record) else {
            report(record, "commission.rate", "the rate is empty")
            return nil
        }
        var bytes = Array(text.utf8)
        if allowsDecimalComma, !bytes.contains(UInt8(ascii: ".")), let comma = bytes.firstIndex(of: UInt8(ascii: ",")) {
            bytes[comma] = UInt8(ascii: ".")
        }
        guard let rate = ScaledDecimal.parse(bytes.span.bytes, scale: 6), (0...1_000_000).contains(rate) else {
            let message =
                "\(Finding.excerpt(text)) is not a share from 0 to 1 with six decimals at most, such as 0.30"
            report(record, "commission.rate", message)
            return nil
        }
        return rate
    }
}
