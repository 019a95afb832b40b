import TillReportModel

/// The widths of a table's columns, and the lines of the table.
///
/// Numbers are aligned to the right, other cells to the left. Where a table is wider than the terminal, its widest
/// columns shrink first: titles wrap between words, and text is cut in its middle down to twelve columns, but figures
/// are never cut. Text in the last column wraps instead if the column is wide enough. If that is not enough, the gap
/// between columns shrinks, and columns are left out; if the table is still too wide, ``fits`` is false. A column that
/// only repeats another one is omitted as soon as a cell would be cut. Other columns are omitted before a key is cut to
/// less than half of the terminal or a word of a title is cut, if that is enough.
struct TableLayout {
    private struct Slot {
        let title: String
        let isNumber: Bool
        var width: Int
        /// The least width of the column.
        var floor: Int
        /// The least width as long as other columns can be omitted instead.
        let comfort: Int
        /// The width at which no cell is cut.
        let natural: Int
    }

    private static let shortestText = 12
    private static let shortestTitle = 7
    /// Longer words of titles are cut before a column is left out.
    private static let longestTitleWord = 12
    private static let narrowestWords = 20

    private var slots: [Slot]
    /// The columns that are shown, by their numbers.
    private let places: [Int]
    private let gap: Int
    private let clock: ReportClock
    /// Whether the lines fit the terminal.
    private(set) var fits = true

    /// - Parameters:
    ///   - dropped: the numbers of the columns that may be omitted if the table is too wide, the first one first.
    ///   - secondary: the numbers of the columns that only repeat another one.
    ///   - keyCount: the number of key columns, which come first.
    init(
        titles: [String],
        rows: TableRows,
        width: Int?,
        clock: ReportClock = .utc,
        dropping dropped: [Int] = [],
        secondary: [Int] = [],
        keyCount: Int = 0
    ) {
        self.clock = clock
        let widestKey = width.map { $0 / 2 } ?? .max
        let all = Self.slots(titled: titles, holding: rows, clock, keyCount: keyCount, widestKey: widestKey)
        let (places, least) = Self.places(of: all, within: width, dropping: dropped, secondary: secondary)
        self.places = places
        slots = places.map { place in
            var slot = all[place]
            slot.floor = slot[keyPath: least]
            return slot
        }
        let gaps = max(0, slots.count - 1)
        guard let width else {
            gap = 2
            return
        }
        gap = slots.reduce(2 * gaps) { $0 + $1.floor } <= width ? 2 : 1
        narrow(to: width - gap * gaps)
        fits = slots.reduce(gap * gaps) { $0 + $1.width } <= width
    }

    /// The columns that fit a width with the narrowest gaps, and their least width. All columns if too few can be
    /// omitted.
    private static func places(
        of slots: [Slot],
        within width: Int?,
        dropping dropped: [Int],
        secondary: [Int]
    ) -> ([Int], KeyPath<Slot, Int>) {
        guard let width else { return (Array(slots.indices), \.floor) }
        let isWhole = slots.reduce(2 * (slots.count - 1)) { $0 + $1.natural } <= width
        let all = slots.indices.filter { isWhole || !secondary.contains($0) }
        for least in [\Slot.comfort, \Slot.floor] {
            for count in 0...dropped.count {
                let places = all.filter { !dropped.prefix(count).contains($0) }
                if places.reduce(places.count - 1, { $0 + slots[$1][keyPath: least] }) <= width {
                    return (places, least)
                }
            }
        }
        return (all, \.floor)
    }

    /// The numbers of the omitted columns.
    func hiddenColumns(of count: Int) -> [Int] { (0..<count).filter { !places.contains($0) } }

    private static func slots(
        titled titles: [String],
        holding rows: TableRows,
        _ clock: ReportClock,
        keyCount: Int,
        widestKey: Int
    ) -> [Slot] {
        var widths = Array(repeating: 0, count: titles.count)
        var floors = Array(repeating: 1, count: titles.count)
        var areNumbers: [Bool?] = Array(repeating: nil, count: titles.count)
        for row in rows {
            for (index, cell) in row.enumerated() where index < titles.count {
                let text = cell.displayText(by: clock)
                let width = text.displayWidth
                widths[index] = max(widths[index], width)
                let isWords = index == row.count - 1 && cell.mayBeCut && text.contains(" ")
                let shortest = isWords ? narrowestWords : shortestText
                floors[index] = max(floors[index], cell.mayBeCut ? min(width, shortest) : width)
                if areNumbers[index] != false { areNumbers[index] = cell.isNumber ?? areNumbers[index] }
            }
        }
        return titles.enumerated().map { index, title in
            let longestWord = title.split(separator: " ").map { String($0).displayWidth }.max() ?? 0
            let floor = max(floors[index], min(longestWord, shortestTitle))
            let text = index < keyCount ? min(widths[index], widestKey) : 0
            return Slot(
                title: title,
                isNumber: areNumbers[index] ?? false,
                width: max(widths[index], title.displayWidth),
                floor: floor,
                comfort: max(floor, text, min(longestWord, longestTitleWord)),
                natural: max(widths[index], min(longestWord, shortestTitle))
            )
        }
    }

    /// Shrinks the widest column until all fit into `total` columns, or each has its least width.
    private mutating func narrow(to total: Int) {
        for index in slots.indices {
            slots[index].width = max(slots[index].floor, min(slots[index].width, total))
        }
        var excess = slots.reduce(-total) { $0 + $1.width }
        while excess > 0 {
            let giving = slots.indices.filter { slots[$0].width > slots[$0].floor }
            guard let widest = giving.max(by: { slots[$0].width < slots[$1].width }) else { return }
            slots[widest].width -= 1
            excess -= 1
        }
    }

    /// The lines of the titles.
    var header: [String] {
        let titles = slots.map { Self.lines(of: $0.title, width: $0.width) }
        let height = titles.map(\.count).max() ?? 0
        return (0..<height).map { line in
            var bytes: [UInt8] = []
            // Titles are aligned at the bottom.
            append(titles.map { $0.count + line < height ? "" : $0[$0.count + line - height] }, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private static func lines(of title: String, width: Int) -> [String] {
        guard title.displayWidth > width else { return [title] }
        var lines: [String] = []
        for word in title.split(separator: " ") {
            if let last = lines.last, last.displayWidth + 1 + String(word).displayWidth <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word).truncated(toWidth: width))
            }
        }
        return lines
    }

    /// A rule under each title, as wide as its column.
    var rule: String {
        slots.map { String(repeating: "─", count: $0.width) }.joined(separator: String(repeating: " ", count: gap))
    }

    /// Appends the line of a row, and further lines if its last cell wraps.
    func appendLine(_ row: [Cell], to bytes: inout [UInt8]) {
        let row = places.count == row.count ? row : places.compactMap { row.indices.contains($0) ? row[$0] : nil }
        var texts = row.map { $0.displayText(by: clock) }
        for line in lastLines(of: row, texts) {
            if let line { texts[texts.count - 1] = line }
            append(texts, to: &bytes)
            bytes += "\n".utf8
            texts = texts.map { _ in "" }
        }
    }

    /// The lines of the last cell; a single `nil` if it does not wrap.
    private func lastLines(of row: [Cell], _ texts: [String]) -> [String?] {
        guard row.count == slots.count, let slot = slots.last, let text = texts.last, row.last?.mayBeCut == true,
            slot.width >= Self.narrowestWords, text.displayWidth > slot.width, text.contains(" ")
        else { return [nil] }
        return Paragraph(lead: "", words: text).lines(width: slot.width, indent: 0)
    }

    /// Appends the texts in their columns, without trailing blanks.
    private func append(_ texts: [String], to bytes: inout [UInt8]) {
        let blank = UInt8(ascii: " ")
        for (index, (slot, text)) in zip(slots, texts).enumerated() {
            let shown = text.shortened(toWidth: slot.width)
            let padding = repeatElement(blank, count: max(0, slot.width - shown.displayWidth))
            if index > 0 { bytes += repeatElement(blank, count: gap) }
            if slot.isNumber { bytes += padding }
            bytes += shown.utf8
            if !slot.isNumber { bytes += padding }
        }
        while bytes.last == blank { bytes.removeLast() }
    }
}
