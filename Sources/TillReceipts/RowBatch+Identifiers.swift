import TillColumns
import TillCore
public import TillRows

/// The cells of ids. All formats and stored rows read their ids here.
///
///     2000004001  " 2000004001 "  2000004001.0  1e2     the number; the last only as a JSON number
///     02000004001  +100  100L  0x64  -100               kept as written, and counted as odd
///     "2.00000E+15"  2,00000E+15                        missing, and counted as odd: the digits are lost
///     [FILTERED]  0000                                  missing (``Placeholder``)
extension RowBatch {
    /// The cell of an id; `nil` where it is missing.
    ///
    /// - Parameters:
    ///   - written: the text, its escapes undone.
    ///   - isNumber: whether it is a number of JSON.
    mutating func identifier(_ written: RawSpan, isNumber: Bool = false) -> Int64? {
        // Nearly all ids are plain numbers.
        if let number = Identifier.number(written) { return number }
        var isOdd = false
        let cell = Self.identifier(written, isNumber: isNumber, in: &dictionary, &isOdd)
        if isOdd { reading.oddIDs += 1 }
        return cell
    }

    private static func identifier(
        _ written: RawSpan,
        isNumber: Bool = false,
        in dictionary: inout TextDictionary,
        _ isOdd: inout Bool
    ) -> Int64? {
        let text = written.withoutBlanks
        if text.isPlaceholder { return nil }
        let exponent = text.exponentStart
        // Doubles have exact values up to 2⁵³.
        if isNumber && (exponent == nil || text.hasDigits(before: exponent ?? 0)) || text.isWholeDecimal,
            let number = ScaledDecimal.parse(text, scale: 0), (0...1 << 53).contains(number)
        {
            return number
        }
        isOdd = exponent != nil || !text.isUsualIdentifier
        return exponent == nil ? Identifier(text, in: &dictionary).word : nil
    }

    /// Reads the ids of stored rows again: other programs write rows too, and earlier versions kept more texts.
    public mutating func readStoredIdentifiers() {
        // Moved out, because two parts of a batch cannot be changed at once.
        var texts = TextDictionary()
        swap(&texts, &dictionary)
        defer { swap(&texts, &dictionary) }
        let oddCount =
            Self.readIdentifiers(of: &transactions, in: &texts) + Self.readIdentifiers(of: &events, in: &texts)
            + Self.readIdentifiers(of: &renewals, in: &texts)
        reading.oddIDs += oddCount
    }

    /// Reads the ids of a table again; gives the number of odd ones.
    private static func readIdentifiers<Column: TableColumn>(
        of rows: inout RecordBatch<Column>,
        in texts: inout TextDictionary
    ) -> Int {
        var oddCount = 0
        for column in Column.allCases where column.type == .identifier {
            // As where the event itself is read.
            let isCounted =
                column.name != EventColumn.originalTransactionID.name || Column.tableName != EventColumn.tableName
            for row in 0..<rows.rowCount {
                guard let code = rows[column, row].flatMap({ Identifier(word: $0).code }) else { continue }
                let text = texts.withBytes(of: code) { $0.withUnsafeBytes(Array.init) }
                var isOdd = false
                rows.replace(column, identifier(text.span.bytes, in: &texts, &isOdd), row: row)
                if isOdd, isCounted { oddCount += 1 }
            }
        }
        return oddCount
    }
}

extension RawSpan {
    /// A decimal number without leading zeros, of any length.
    fileprivate var isUsualIdentifier: Bool {
        byteCount > 0 && byte(0) != 0x30 && (0..<byteCount).allSatisfy { byte($0).isDigit }
    }

    /// Where the exponent of a number begins; `nil` for any other text. The number has at most one point or comma.
    var exponentStart: Int? {
        var index = byteCount > 0 && (byte(0) == 0x2D || byte(0) == 0x2B) ? 1 : 0
        let start = index
        var hasPoint = false
        while index < byteCount, byte(index).isDigit || !hasPoint && (byte(index) == 0x2E || byte(index) == 0x2C) {
            if !byte(index).isDigit { hasPoint = true }
            index += 1
        }
        let end = index
        guard end > start, byte(start).isDigit, end + 1 < byteCount, byte(end) | 0x20 == 0x65 else { return nil }
        index = end + 1
        if byte(index) == 0x2D || byte(index) == 0x2B { index += 1 }
        // A longer run of digits is no exponent, but the rest of a name.
        let hasExponent = (1...3).contains(byteCount - index) && (index..<byteCount).allSatisfy { byte($0).isDigit }
        return hasExponent ? end : nil
    }

    /// Whether a number has all digits of its integer before its exponent: `2.000004001E9`. Programs round no number of
    /// six digits or fewer: `1e2`.
    fileprivate func hasDigits(before exponent: Int) -> Bool {
        guard let number = ScaledDecimal.parse(self, scale: 0), number >= 0 else { return false }
        return String(number).utf8.count <= max(6, (0..<exponent).count { byte($0).isDigit })
    }

    /// The text without the white space and the unseen characters around it.
    var withoutBlanks: RawSpan {
        @_lifetime(copy self)
        get { trimmedOfBlanks() }
    }

    @_lifetime(copy self)
    private borrowing func trimmedOfBlanks() -> RawSpan {
        var (start, end) = (0, byteCount)
        while start < end, let width = blankWidth(at: start, limit: end) { start += width }
        while end > start {
            guard let width = (1...3).first(where: { end - $0 >= start && blankWidth(at: end - $0, limit: end) == $0 })
            else { break }
            end -= width
        }
        return extracting(start..<end)
    }

    /// The bytes of the blank at an index: a control character, a space of any kind, or a mark that is not seen.
    private borrowing func blankWidth(at index: Int, limit: Int) -> Int? {
        let first = byte(index)
        if first <= 0x20 || first == 0x7F { return 1 }
        guard index + 1 < limit else { return nil }
        // U+0080 to U+00A0.
        if first == 0xC2, byte(index + 1) <= 0xA0 { return 2 }
        guard index + 2 < limit else { return nil }
        return switch (first, byte(index + 1), byte(index + 2)) {
        // U+2000 to U+200F, U+2028 to U+202F, U+205F to U+206F, U+3000, U+FEFF.
        case (0xE2, 0x80, 0x80...0x8F), (0xE2, 0x80, 0xA8...0xAF), (0xE2, 0x81, 0x9F...0xAF), (0xE3, 0x80, 0x80),
            (0xEF, 0xBB, 0xBF):
            3
        default: nil
        }
    }
}
