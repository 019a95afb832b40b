/// Makes distinct names for the sheets of a workbook.
///
/// Excel demands 1 to 31 UTF-16 units, none of `[ ] : * ? / \`, no `'` at either end, not "History", and no two names
/// that differ only in case.
struct SheetNames {
    static let limit = 31

    private var taken: Set<String> = ["history"]

    /// The name closest to `wish` that the rules allow.
    mutating func next(_ wish: String) -> String {
        let shown = String(wish.madeVisible.map { Self.forbidden.contains($0) ? " " : $0 })
        let base = Self.trimmed(shown)
        var number = 1
        while true {
            let suffix = number == 1 ? "" : " (\(number))"
            let name = Self.cut(base.isEmpty ? "Sheet" : base, to: Self.limit - suffix.utf16.count) + suffix
            if taken.insert(name.lowercased()).inserted { return name }
            number += 1
        }
    }

    private static let forbidden = Set("[]:*?/\\")

    private static func trimmed(_ text: String) -> String {
        let ends = Set("' ")
        let start = text.drop { ends.contains($0) }
        return String(start.reversed().drop { ends.contains($0) }.reversed())
    }

    /// The beginning of a text, `…` standing for the rest.
    private static func cut(_ text: String, to limit: Int) -> String {
        guard text.utf16.count > limit else { return text }
        return text.prefix(utf16Count: limit - 1) + "…"
    }
}

extension String {
    /// The longest beginning with at most `limit` UTF-16 units.
    func prefix(utf16Count limit: Int) -> String {
        var remaining = limit
        var kept = ""
        for scalar in unicodeScalars {
            remaining -= UTF16.width(scalar)
            guard remaining >= 0 else { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept
    }
}
