import TillColumns
import TillCore
import TillPricing

/// Adds up the rows below the header of one of Apple's reports.
struct AppleReportRows {
    /// The largest number of units of a row. Sums of units times prices of 2⁶³ rows then fit 128 bits.
    static let mostUnits: Int64 = 1_000_000_000
    /// The largest price or share of one unit, in the currency's unit.
    static let largestAmount: Int64 = 1_000_000_000
    /// The largest share of a whole row.
    static let largestShare: Int64 = 1_000_000_000_000

    private let layout: AppleReportLayout
    private var products = TextDictionary()
    /// By the code of the product.
    private var appleIDs: [String?] = []
    private var countries: [String] = []
    /// By the letters of the code.
    private var countryIndices = IntegerMap<UInt64, Int32>()
    private var spans: [ClosedRange<Int>] = []
    private var spanIndices = IntegerMap<UInt64, Int32>()
    /// By ``key(_:_:_:_:_:)``.
    private var groups = IntegerMap<UInt128, Int32>()
    private var entries: [AppleReport.Entry] = []
    private var rowCount = 0
    private var otherRowCount = 0
    /// The texts of the last days that were read, since most rows repeat them.
    private var lastDays: [DayText] = [DayText(), DayText()]

    /// The ten bytes of a day as they stand in a cell.
    private struct DayText {
        var head: UInt64 = 0
        var tail: UInt16 = 0
        var day = 0
    }

    var kind: AppleReport.Kind { layout.kind }

    init(_ layout: AppleReportLayout) {
        self.layout = layout
    }

    /// Makes the report of all rows.
    consuming func report(named name: String, preamble: (first: Int?, last: Int?)) -> AppleReport {
        var report = AppleReport(name: name, kind: layout.kind)
        report.products = (0..<products.count).map { products.text(of: $0) }
        report.appleIDs = appleIDs
        report.countries = countries
        report.entries = entries
        report.rowCount = rowCount
        report.otherRowCount = otherRowCount
        if layout.kind == .financialDetail {
            if let first = preamble.first, let last = preamble.last, first <= last { report.spans = [first...last] }
        } else {
            report.spans = spans.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        }
        return report
    }

    /// Adds a row; a row with a defect adds nothing.
    ///
    /// - Parameter isWhole: whether the line has its line end. Then empty cells at its end may be missing.
    mutating func read(_ row: borrowing AppleRow, isWhole: Bool) throws(Finding) {
        if layout.kind != .salesSummary, try isTrailer(row) { return }
        try row.checkCells(layout.cellCount, isWhole: isWhole)
        try add(row)
    }

    /// Whether a line of a financial report has neither `S` nor `R`, which makes it one of the totals below the rows.
    ///
    /// - Throws: if the line begins like a row, because a row of a truncated file must not be lost.
    private func isTrailer(_ row: borrowing AppleRow) throws(Finding) -> Bool {
        let direction = row.cell(layout.place(of: .direction))
        if direction.count == 1, let letter = AppleCell.packed(row.bytes, direction) {
            if [0x53, 0x52, 0x73, 0x72].contains(letter) { return false }
        }
        let dayColumn: AppleReportColumn = layout.kind == .financial ? .firstDay : .transactionDay
        let beginsAsRow = AppleCell.day(row.bytes, row.cell(layout.place(of: dayColumn))) != nil
        if beginsAsRow {
            throw Finding("apple.direction", "\(row.excerpt(direction)) in Sales or Return is neither S nor R")
        }
        return true
    }

    private mutating func add(_ row: borrowing AppleRow) throws(Finding) {
        let days = try days(row)
        var span: Int32 = 0
        if layout.kind == .financialDetail {
            span = Int32(truncatingIfNeeded: days.lowerBound)
        } else {
            span = index(of: days)
        }
        guard AppleCell.isSoldPurchase(row.bytes, row.cell(layout.place(of: .productType))) else {
            otherRowCount += 1
            return
        }
        let units = try units(row)
        let price = try amount(row, .price, atMost: Self.largestAmount).magnitude
        let currency = try currency(row, price: price)
        let isOfUnit = layout.kind == .salesSummary
        let proceeds = try amount(row, .proceeds, atMost: isOfUnit ? Self.largestAmount : Self.largestShare)
        let proceedsCurrency = try proceedsCurrency(row, proceeds)
        let isRefund = units < 0 || !isOfUnit && isReturn(row)
        let product = try product(row)
        let country = try country(row)
        let key = Self.key(product, span, country, currency, proceedsCurrency)
        let group = Int(groups[key, entering: Int32(entries.count)])
        if group == entries.count {
            entries.append(
                AppleReport.Entry(
                    days: days,
                    product: product,
                    country: Int(country),
                    currency: currency,
                    proceedsCurrency: proceedsCurrency,
                    amounts: AppleReport.Amounts()
                )
            )
        }
        rowCount += 1
        let count = units.magnitude
        let paid = Int128(count) * Int128(price)
        let share = isOfUnit ? Int128(units) * Int128(proceeds) : Int128(proceeds)
        if isRefund {
            // Summary Sales has the share of a unit, above 0, and units below 0; financial reports have a share below
            // 0.
            entries[group].amounts.addRefund(Int64(count), paid, share > 0 && !isOfUnit ? share : -share)
        } else {
            entries[group].amounts.addSale(Int64(count), paid, share)
        }
    }

    private static func key(
        _ product: Int,
        _ span: Int32,
        _ country: Int32,
        _ currency: CurrencyCode,
        _ proceedsCurrency: CurrencyCode?
    ) -> UInt128 {
        var key = UInt128(UInt32(truncatingIfNeeded: product))
        key = key << 32 | UInt128(UInt32(bitPattern: span))
        key = key << 16 | UInt128(UInt16(truncatingIfNeeded: country))
        key = key << 24 | UInt128(currency.packed)
        return key << 24 | UInt128(proceedsCurrency?.packed ?? 0)
    }

    private mutating func index(of days: ClosedRange<Int>) -> Int32 {
        let key =
            UInt64(UInt32(truncatingIfNeeded: days.lowerBound)) << 32
            | UInt64(UInt32(truncatingIfNeeded: days.upperBound))
        let index = spanIndices[key, entering: Int32(spans.count)]
        if index == spans.count { spans.append(days) }
        return index
    }
}

// MARK: - Cells

extension AppleReportRows {
    @inline(__always)
    private func cell(_ row: borrowing AppleRow, _ column: AppleReportColumn) -> Range<Int> {
        row.cell(layout.place(of: column))
    }

    /// The name of a column as Apple writes it.
    private func name(of column: AppleReportColumn) -> String { column.title(in: layout.kind) }

    private func isReturn(_ row: borrowing AppleRow) -> Bool {
        let cell = cell(row, .direction)
        return cell.count == 1 && AppleCell.packed(row.bytes, cell).map { $0 | 0x20 == 0x72 } ?? false
    }

    private mutating func days(_ row: borrowing AppleRow) throws(Finding) -> ClosedRange<Int> {
        guard layout.kind != .financialDetail else {
            let day = try day(row, .transactionDay, slot: 0)
            return day...day
        }
        let (first, last) = (try day(row, .firstDay, slot: 0), try day(row, .lastDay, slot: 1))
        guard first <= last else { throw Finding("apple.date", "the row ends before it begins") }
        return first...last
    }

    private mutating func day(
        _ row: borrowing AppleRow,
        _ column: AppleReportColumn,
        slot: Int
    ) throws(Finding) -> Int {
        let cell = cell(row, column)
        var text = DayText()
        if cell.count == 10 {
            text.head = row.bytes.unsafeLoadUnaligned(fromByteOffset: cell.lowerBound, as: UInt64.self)
            text.tail = row.bytes.unsafeLoadUnaligned(fromByteOffset: cell.lowerBound + 8, as: UInt16.self)
            let last = lastDays[slot]
            if text.head == last.head, text.tail == last.tail { return last.day }
        }
        guard let day = AppleCell.day(row.bytes, cell) else {
            throw Finding("apple.date", "\(row.excerpt(cell)) in \(name(of: column)) is not a day such as 03/31/2026")
        }
        text.day = day
        lastDays[slot] = text
        return day
    }

    /// Whole units; Apple writes them with decimals in some reports, `1.00`.
    private func units(_ row: borrowing AppleRow) throws(Finding) -> Int64 {
        let cell = cell(row, .units)
        guard let millionths = AppleCell.millionths(row.bytes, cell), millionths % Money.unit == 0 else {
            throw Finding("apple.units", "\(row.excerpt(cell)) in \(name(of: .units)) is not a whole number")
        }
        let units = millionths / Money.unit
        guard units.magnitude <= Self.mostUnits else {
            throw Finding("apple.units", "a row has at most \(Self.mostUnits) units, not \(row.excerpt(cell))")
        }
        return units
    }

    /// An amount in millionths.
    private func amount(
        _ row: borrowing AppleRow,
        _ column: AppleReportColumn,
        atMost most: Int64
    ) throws(Finding) -> Int64 {
        let cell = cell(row, column)
        guard let millionths = AppleCell.millionths(row.bytes, cell) else {
            throw Finding("apple.amount", "\(row.excerpt(cell)) in \(name(of: column)) is not an amount such as 9.99")
        }
        guard millionths.magnitude <= UInt64(most) * UInt64(Money.unit) else {
            throw Finding("apple.amount", "\(row.excerpt(cell)) in \(name(of: column)) is above \(most)")
        }
        return millionths
    }

    /// The currency of customers. A row without a price may have none; then it is the currency of the country's store.
    private func currency(_ row: borrowing AppleRow, price: UInt64) throws(Finding) -> CurrencyCode {
        let cell = cell(row, .currency)
        if let currency = AppleCell.currency(row.bytes, cell) { return currency }
        if cell.isEmpty, price == 0, let usual = Territory(row.text(self.cell(row, .country)))?.currency {
            return usual
        }
        throw Finding("apple.currency", "\(row.excerpt(cell)) in \(name(of: .currency)) is not a currency code")
    }

    private func proceedsCurrency(_ row: borrowing AppleRow, _ proceeds: Int64) throws(Finding) -> CurrencyCode? {
        let cell = cell(row, .proceedsCurrency)
        if let currency = AppleCell.currency(row.bytes, cell) { return currency }
        if cell.isEmpty, proceeds == 0 { return nil }
        throw Finding("apple.currency", "\(row.excerpt(cell)) in \(name(of: .proceedsCurrency)) is not a currency code")
    }

    private mutating func product(_ row: borrowing AppleRow) throws(Finding) -> Int {
        let cell = cell(row, .product)
        guard !cell.isEmpty else { throw Finding("apple.product", "\(name(of: .product)) is empty") }
        let known = products.count
        let code = products.code(for: row.bytes.extracting(cell))
        guard code == known else { return code }
        guard row.validText(cell) != nil else {
            products.truncate(to: known)
            throw Finding("apple.encoding", "\(name(of: .product)) is not UTF-8")
        }
        appleIDs.append(appleID(row))
        return code
    }

    /// Apple's number of the product, which identifies it in subscription reports; `nil` if the row has none.
    private func appleID(_ row: borrowing AppleRow) -> String? {
        let cell = cell(row, .appleID)
        let isNumber = (1...AppleSubscriptionRows.longestID).contains(cell.count) && cell.allSatisfy { row.isDigit($0) }
        return isNumber ? row.text(cell) : nil
    }

    private mutating func country(_ row: borrowing AppleRow) throws(Finding) -> Int32 {
        let cell = cell(row, .country)
        let packed = AppleCell.packed(row.bytes, cell)
        if let packed, let known = countryIndices[packed] { return known }
        // Letters only, so that there cannot be more codes than 16 bits number.
        let isCode = (2...3).contains(cell.count) && cell.allSatisfy { row.isCapital($0) }
        guard isCode, let packed else {
            throw Finding("apple.country", "\(row.excerpt(cell)) in \(name(of: .country)) is not a country code")
        }
        let text = row.text(cell)
        countries.append(Territory(text)?.description ?? text)
        return countryIndices[packed, entering: Int32(countries.count - 1)]
    }
}

extension Money {
    /// Millionths of a unit of any currency.
    fileprivate static var unit: Int64 { 1_000_000 }
}

extension AppleReport.Amounts {
    fileprivate mutating func addSale(_ count: Int64, _ paid: Int128, _ share: Int128) {
        units += count
        gross += paid
        saleProceeds += share
    }

    /// - Parameter share: the proceeds that Apple takes back.
    fileprivate mutating func addRefund(_ count: Int64, _ paid: Int128, _ share: Int128) {
        refundedUnits += count
        refunds += paid
        refundProceeds += share
    }
}
