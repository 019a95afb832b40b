import TillColumns
public import TillCore
public import TillPricing

/// The content of one of Apple's reports.
public enum AppleReportContents: Sendable {
    case sales(AppleReport)
    case subscriptions(AppleSubscriptionReport)
}

/// Reads one of Apple's reports of sales or subscriptions from chunks of its text.
///
///     file     = [BOM] *preamble header *row *trailer      lines end with LF or CR LF, cells with TAB
///     preamble = "Vendor Name" TAB … / "Start Date" TAB day / "End Date" TAB day
///     trailer  = a line of a financial report that has neither S nor R where the header has "Sales or Return"
///
/// The header determines the kind of report. Columns may be in any order, and there may be others. Rows are added up
/// while they are read, so memory grows with products, countries and currencies, not with rows.
public struct AppleReportReader: ~Copyable {
    /// The longest line that is read, 1 MiB.
    public static let longestLine = 1 << 20
    /// Lines that may stand above the header.
    static let mostPreambleLines = 20
    /// The largest number of reported problems of one file.
    static let mostProblems = 20

    /// After the header, exactly one of these is set.
    private var sales: AppleReportRows?
    private var subscriptions: AppleSubscriptionRows?
    private let name: String
    private var line = 0
    /// Lines above the header that were not empty.
    private var preambleCount = 0
    private var preamble: (first: Int?, last: Int?) = (nil, nil)
    private var problems: [Finding] = []
    private var isAtStart = true
    /// The cells of the current line.
    private var ends = AppleCellEnds()

    /// - Parameter name: the file as errors call it.
    public init(name: String) {
        self.name = name
    }

    /// Reads the whole lines of a chunk, and with `isLast` also a last line without a line end.
    ///
    /// - Returns: the number of bytes that were read; the rest must begin the next chunk.
    /// - Throws: ``FileFindings`` for too many problems, or for a line that is too long.
    public mutating func read(_ bytes: RawSpan, isLast: Bool = false) throws(FileFindings) -> Int {
        var position = 0
        if isAtStart {
            guard bytes.byteCount >= 3 || isLast else { return 0 }
            isAtStart = false
            if bytes.byteCount >= 3, (0..<3).allSatisfy({ byte(bytes, $0) == [0xEF, 0xBB, 0xBF][$0] }) { position = 3 }
        }
        while let end = ends.find(in: bytes, from: position) {
            try readLine(bytes, position..<end, isWhole: true)
            position = end + 1
        }
        guard bytes.byteCount - position <= Self.longestLine else { throw tooLong() }
        if isLast, position < bytes.byteCount {
            ends.append(bytes.byteCount - position)
            try readLine(bytes, position..<bytes.byteCount, isWhole: false)
            position = bytes.byteCount
        }
        return position
    }

    /// Returns the content of the report.
    ///
    /// - Throws: all defects of the file.
    public consuming func finish() throws(FileFindings) -> AppleReportContents {
        if let subscriptions {
            guard problems.isEmpty else { throw FileFindings(name, problems) }
            return .subscriptions(subscriptions.report(named: name))
        }
        guard let sales else { throw FileFindings(name, problems.isEmpty ? [noHeader] : problems) }
        if sales.kind == .financialDetail, problems.isEmpty, preamble.first == nil || preamble.last == nil {
            let message = "there are no lines 'Start Date' and 'End Date' above the header, as Apple writes them"
            problems.append(.init("apple.period", message))
        }
        guard problems.isEmpty else { throw FileFindings(name, problems) }
        return .sales(sales.report(named: name, preamble: preamble))
    }

    private var noHeader: Finding {
        .init(
            "apple.header",
            at: min(line, Self.mostPreambleLines),
            "there is no header of a Summary Sales, Financial, Financial Detail, Subscription, Subscription Event or "
                + "Subscriber report of Apple"
        )
    }

    private func tooLong() -> FileFindings {
        let problem = Finding("apple.line-length", at: line + 1, "a line has at most \(Self.longestLine) bytes")
        return FileFindings(name, problems + [problem])
    }

    @inline(__always)
    private func byte(_ bytes: RawSpan, _ index: Int) -> UInt8 {
        bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }

    private mutating func readLine(_ bytes: RawSpan, _ range: Range<Int>, isWhole: Bool) throws(FileFindings) {
        guard range.count <= Self.longestLine else { throw tooLong() }
        line += 1
        guard sales != nil || subscriptions != nil else { return try readAboveRows(bytes.extracting(range)) }
        // A copy, which only holds the storage while a row is read.
        let ends = ends
        let row = AppleRow(bytes: bytes, start: range.lowerBound, ends: ends.span)
        if row.isEmpty { return }
        do throws(Finding) {
            try sales?.read(row, isWhole: isWhole)
            try subscriptions?.read(row, isWhole: isWhole)
        } catch {
            try report(error.at(line))
        }
    }

    private mutating func report(_ problem: Finding) throws(FileFindings) {
        problems.append(problem)
        if problems.count == Self.mostProblems { throw FileFindings(name, problems) }
    }

    /// Reads a line of the preamble, or the header.
    private mutating func readAboveRows(_ bytes: RawSpan) throws(FileFindings) {
        let cells = cells(bytes)
        guard !cells.allSatisfy(\.isEmpty) else { return }
        if let layout = AppleSubscriptionLayout(header: cells) {
            for problem in layout.problems(line: line) { try report(problem) }
            guard problems.isEmpty else { throw FileFindings(name, problems) }
            subscriptions = AppleSubscriptionRows(layout, fileDay: Self.day(inName: name))
            return
        }
        guard let layout = AppleReportLayout(header: cells) else { return try readPreamble(cells) }
        for problem in layout.problems(cells, line: line) { try report(problem) }
        // Rows without a needed column cannot be read.
        guard problems.isEmpty else { throw FileFindings(name, problems) }
        sales = AppleReportRows(layout)
    }

    private mutating func readPreamble(_ cells: [String]) throws(FileFindings) {
        preambleCount += 1
        guard preambleCount <= Self.mostPreambleLines else { throw FileFindings(name, problems + [noHeader]) }
        let label = AppleReportColumn.normalized(cells[0])
        guard ["start date", "end date"].contains(label), cells.count >= 2 else { return }
        let text = Array(cells[1].utf8)
        guard let day = AppleCell.day(text.span.bytes, text.indices) else {
            return try report(
                .init("apple.date", at: line, "\(Finding.excerpt(cells[1])) is not a day such as 03/31/2026")
            )
        }
        if label == "start date" { preamble.first = day } else { preamble.last = day }
        if let first = preamble.first, let last = preamble.last, last < first {
            try report(.init("apple.date", at: line, "the report ends before it begins"))
        }
    }

    /// The day in the name that Apple gives a daily file: `Subscription_Event_80012345_20260331.txt`.
    ///
    /// A Subscription report has its day nowhere else. A vendor number can also have eight digits, so the last number
    /// counts.
    static func day(inName name: String) -> Int? {
        let file = name.split(separator: "/").last ?? ""
        let parts = file.utf8.split { byte in byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") }
        for part in parts.reversed() where part.count == 8 && part.allSatisfy({ (0x30...0x39).contains($0) }) {
            let number = part.reduce(0) { $0 * 10 + Int($1 &- 0x30) }
            let date = CivilDate(year: number / 10_000, month: number / 100 % 100, day: number % 100)
            if (2008...2199).contains(date.year), date.isValid { return date.daysSinceEpoch }
        }
        return nil
    }

    private func cells(_ bytes: RawSpan) -> [String] {
        let row = AppleRow(bytes: bytes, start: 0, ends: ends.span)
        return (0..<row.count).map { row.text(row.cell($0)) }
    }
}
