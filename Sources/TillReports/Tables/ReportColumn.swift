import TillCore
import TillLedger
import TillReportModel

/// A column of a table, declared once: its name, its title, and the cell that a row gives.
struct ReportColumn<Row>: Sendable {
    let heading: Column
    let cell: @Sendable (Row) -> Cell

    init(_ heading: Column, cell: @escaping @Sendable (Row) -> Cell) {
        self.heading = heading
        self.cell = cell
    }

    init(
        _ name: String,
        _ title: String,
        isKey: Bool = false,
        isMain: Bool = false,
        texts: Column.TextKind = .words,
        cell: @escaping @Sendable (Row) -> Cell
    ) {
        self.init(Column(name, title, isKey: isKey, isMain: isMain, texts: texts), cell: cell)
    }

    /// The same column with values that may be added.
    var additive: Self {
        var heading = heading
        heading.isAdditive = true
        return Self(heading, cell: cell)
    }

    /// The same column with values that may be added if all rows have one.
    var additiveIfKnown: Self {
        var heading = heading
        (heading.isAdditive, heading.isUnknownIfAbsent) = (true, true)
        return Self(heading, cell: cell)
    }

    /// The same column in a table of rows that contain a `Row`.
    func of<Other>(_ row: @escaping @Sendable (Other) -> Row) -> ReportColumn<Other> {
        ReportColumn<Other>(heading) { [cell] in cell(row($0)) }
    }
}

extension Column {
    /// The title of a column of amounts: `Net (EUR)` where all amounts have one currency, else `Net`.
    static func title(_ measure: String, in currency: CurrencyCode?) -> String {
        currency.map { "\(measure) (\($0))" } ?? measure
    }
}

extension Section {
    /// The section with a short heading.
    func called(_ shortTitle: String) -> Section {
        var section = self
        section.shortTitle = shortTitle
        return section
    }

    /// The section with totals of the rows of each currency, if it has a column of them, else of all rows.
    func totalled(rowCheck: RowCheck? = nil) -> Section {
        var section = self
        let currency = columns.firstIndex { $0.name == GroupKey.currency.rawValue }
        section.totals = currency.map { .perCurrency(column: $0) } ?? .all
        section.rowCheck = rowCheck
        return section
    }

    /// A table of typed rows. Charts of a single bar or of zeros are left out.
    init<Rows: Sequence>(
        name: String,
        title: String,
        columns: [ReportColumn<Rows.Element>],
        rows: Rows,
        role: Role = .figures,
        charts: @autoclosure @escaping @Sendable () -> [Chart] = []
    ) {
        var table = TableRows()
        // The functions alone: a whole column would be copied, with its heading, for each cell. By a span: an array
        // gives a copy of each function.
        let functions = columns.map(\.cell)
        let cells = functions.span
        for row in rows {
            for index in cells.indices { table.append(cells[index](row)) }
            table.endRow()
        }
        let headings = columns.map(\.heading)
        self.init(
            name: name,
            title: title,
            columns: headings,
            content: .table(table),
            role: role,
            charts: charts().filter(\.isWorthDrawing)
        )
    }

    /// A record with the cells of one row.
    init<Row>(name: String, title: String, columns: [ReportColumn<Row>], record: Row, role: Role = .figures) {
        self.init(
            name: name,
            title: title,
            columns: columns.map(\.heading),
            content: .record(columns.map { $0.cell(record) }),
            role: role
        )
    }
}

extension Cell {
    static func count(_ count: Int) -> Cell { .count(Int64(count)) }

    static func ratio(_ part: Int, of whole: Int) -> Cell { .ratio(Int64(part), of: Int64(whole)) }

    /// A share of two amounts. Amounts beyond 64 bits are compared in whole units, which is precise enough for six
    /// decimals.
    static func ratio(_ part: Int128, of whole: Int128) -> Cell {
        for unit in [1, Money.millionthsPerUnit, Money.millionthsPerUnit * 1_000_000] {
            if let part = Int64(exactly: part / unit), let whole = Int64(exactly: whole / unit) {
                return .ratio(part, of: whole)
            }
        }
        return .absent
    }

    /// The change of an amount as a share of the earlier one: a rise is positive also where the earlier amount is
    /// negative. It is absent where one of the two is not known, and has no value where the earlier one is 0.
    static func change(from earlier: Int128?, to amount: Int128?) -> Cell {
        guard let earlier, let amount else { return .absent }
        return .ratio(amount - earlier, of: earlier < 0 ? -earlier : earlier)
    }

    /// A text, or absent where it is not known.
    static func text(_ text: String?) -> Cell { text.map { .text($0) } ?? .absent }

    /// An instant, or absent where it is not known.
    static func instant(_ instant: Timestamp?) -> Cell { instant.map { .instant($0) } ?? .absent }

    /// An amount, or absent where the currency is not known.
    static func money(_ millionths: Int128, _ currency: CurrencyCode?) -> Cell {
        currency.map { .money(Money(millionths: millionths, currency: $0)) } ?? .absent
    }
}

extension Cell {
    static let unknownProduct = "unknown product"

    /// A product id; a word cell if it is unknown, so that it is not mistaken for an id.
    static func product(_ productID: String?) -> Cell {
        productID.map { .text($0) } ?? .word("unknown", unknownProduct)
    }
}
