import TillReportModel

/// The months of a chart in order, with those between them that have no row.
struct MonthAxis {
    /// A reader cannot distinguish more columns.
    static let limit = 60

    let categories: [Cell]
    /// How many earlier months with rows the axis leaves out.
    let cutCount: Int
    var isCut: Bool { cutCount > 0 }

    /// - Parameter months: texts such as `2026-03` in any order, or absent, which comes last.
    init(_ months: Set<Cell>) {
        let known = months.compactMap { cell -> String? in
            guard case .text(let text) = cell else { return nil }
            return text
        }
        .sorted()
        let numbers = known.compactMap(Self.number)
        let unknown: [Cell] = months.contains(.absent) ? [.absent] : []
        if numbers.count == known.count, let first = numbers.min(), let last = numbers.max(), last - first < Self.limit
        {
            categories = (first...last).map { .text(Self.text($0)) } + unknown
            cutCount = 0
        } else {
            categories = known.suffix(Self.limit).map(Cell.text) + unknown
            cutCount = max(0, known.count - Self.limit)
        }
    }

    /// Months since the year 0; `nil` for a text that names no month.
    private static func number(_ text: String) -> Int? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let year = Int(parts[0]), let month = Int(parts[1]) else { return nil }
        guard (0...9999).contains(year), (1...12).contains(month) else { return nil }
        let number = year * 12 + month - 1
        return Self.text(number) == text ? number : nil
    }

    private static func text(_ number: Int) -> String {
        func padded(_ value: Int, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return padded(number / 12, 4) + "-" + padded(number % 12 + 1, 2)
    }
}
