public import TillCore
public import TillPricing

/// Apple's shares of prices, or the tax in them, as separated values: `--commission` and `--tax` read such files.
///
///     from,until,product,type,storefront,rate
///     2026-01-01,2026-06-30,,,,0.15                      the Small Business Program, up to the end of June
///     2026-07-01,,,,,0.30
///     2026-01-01,,,auto_renewable,DEU,0.27
///     2026-03-01,2026-03-31,com.example.pro,,USA,0.298431
///
/// Only `rate` is required. `from` and `until` are days of the report's time zone, both included, or RFC 3339 instants,
/// of which the last one is excluded. A row has a product or a type, or neither.
public enum RateScheduleFile {
    /// What the rates are; the first part of the codes of errors.
    public enum Kind: String, Sendable {
        case commission, tax
    }

    /// The largest file that is read, 64 MiB.
    public static let maximumByteCount = 64 << 20

    /// Reads a file, or throws all of its defects, line by line.
    ///
    /// - Parameters:
    ///   - kind: what the rates are.
    ///   - name: the file as errors call it.
    ///   - defaultTerritory: the territory of sales with an unknown storefront.
    ///   - zone: the time zone in which days begin.
    public static func read(
        _ bytes: [UInt8],
        of kind: Kind,
        name: String,
        defaultTerritory: Territory? = nil,
        zone: TimeZoneRules = .utc
    ) throws(FileFindings) -> RateSchedule {
        var records = SeparatedValues(bytes)
        guard let header = records.next(), header.defect == nil else {
            throw FileFindings(name, [.init("\(kind).header", at: 1, "it has no header that can be read")])
        }
        let allowsDecimalComma = records.separator != UInt8(ascii: ",")
        var reader = RateScheduleReader(header, of: kind, allowsDecimalComma: allowsDecimalComma, zone: zone)
        var rows: [RateSchedule.Row] = []
        // A defect of the header affects every line.
        let most = RateScheduleReader.mostProblems
        while reader.hasSoundHeader, reader.problems.count < most, let record = records.next() {
            if let row = reader.row(record) { rows.append(row) }
        }
        guard reader.problems.isEmpty else { throw FileFindings(name, reader.problems) }
        guard !rows.isEmpty else {
            throw FileFindings(name, [.init("\(kind).no-rates", "there is no rate in it")])
        }
        var contradictions: [RateSchedule.Contradiction] = []
        let schedule = RateSchedule(rows, defaultTerritory: defaultTerritory, reporting: &contradictions)
        guard contradictions.isEmpty else {
            throw FileFindings(name, contradictions.prefix(most).map { problem($0, of: kind) })
        }
        return schedule
    }

    private static func problem(_ contradiction: RateSchedule.Contradiction, of kind: Kind) -> Finding {
        let other = contradiction.earlier.line
        let message = "another rate than in line \(other) for the same sales at the same time"
        return .init("\(kind).contradiction", at: contradiction.later.line, message)
    }
}

/// Reads the records of one file.
private struct RateScheduleReader {
    /// The largest number of reported problems of one file. A file of another kind has a problem in every line.
    static let mostProblems = 100

    private enum Column: String, CaseIterable {
        case from, until, product, type, storefront, rate

        /// Reads a name of the header in either case, or as other files call the column.
        init?(header: String) {
            switch header.lowercased() {
            case "product_id", "sku": self = .product
            case "territory", "country": self = .storefront
            case "commission", "tax", "tax_rate": self = .rate
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
    private let kind: RateScheduleFile.Kind

    init(
        _ header: SeparatedValues.Record,
        of kind: RateScheduleFile.Kind,
        allowsDecimalComma: Bool,
        zone: TimeZoneRules
    ) {
        self.kind = kind
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
                problems.append(Finding("\(kind).column", at: header.line, unknown))
                continue
            }
            if places.updateValue(index, forKey: column) != nil {
                let message = "the column \(column.rawValue) is repeated"
                problems.append(.init("\(kind).column", at: header.line, message))
            }
        }
        if places[.rate] == nil {
            problems.append(.init("\(kind).column", at: header.line, "the column rate is missing"))
        }
        hasSoundHeader = problems.isEmpty
    }

    /// The row of a record; `nil` if it has a defect, which is added to ``problems``.
    mutating func row(_ record: SeparatedValues.Record) -> RateSchedule.Row? {
        guard record.defect == nil else {
            report(record, "\(kind).cells", "the line is not separated values in UTF-8")
            return nil
        }
        guard record.cells.count <= cellCount else {
            report(record, "\(kind).cells", "\(record.cells.count) cells, but the header has \(cellCount)")
            return nil
        }
        let before = problems.count
        let row = read(record)
        return problems.count == before ? row : nil
    }

    private mutating func read(_ record: SeparatedValues.Record) -> RateSchedule.Row? {
        let (productID, type, territory) = (text(.product, record), type(record), territory(record))
        if productID != nil, type != nil {
            report(record, "\(kind).scope", "a row has a product or a type, not both")
        }
        let from = instant(.from, record, isEnd: false)
        let until = instant(.until, record, isEnd: true)
        if let from, let until, until <= from { report(record, "\(kind).interval", "until is before from") }
        guard let rate = rate(record) else { return nil }
        return RateSchedule.Row(
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
            report(record, "\(kind).type", NearestWord.unknown("type", String(text.prefix(40)), among: known))
        }
        return type
    }

    private mutating func territory(_ record: SeparatedValues.Record) -> Territory? {
        guard let text = text(.storefront, record) else { return nil }
        let territory = Territory(text)
        if territory == nil {
            report(record, "\(kind).storefront", "\(Finding.excerpt(text)) is neither an ISO 3166-1 code nor *")
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
            report(record, "\(kind).date", message)
        }
        return instant
    }

    /// Millionths.
    private mutating func rate(_ record: SeparatedValues.Record) -> Int64? {
        guard let text = text(.rate, record) else {
            report(record, "\(kind).rate", "the rate is empty")
            return nil
        }
        var bytes = Array(text.utf8)
        if allowsDecimalComma, !bytes.contains(UInt8(ascii: ".")), let comma = bytes.firstIndex(of: UInt8(ascii: ",")) {
            bytes[comma] = UInt8(ascii: ".")
        }
        guard let rate = ScaledDecimal.parse(bytes.span.bytes, scale: 6), (0...1_000_000).contains(rate) else {
            let message =
                "\(Finding.excerpt(text)) is not a share from 0 to 1 with six decimals at most, such as 0.30"
            report(record, "\(kind).rate", message)
            return nil
        }
        return rate
    }
}
