public import TillColumns
import TillCore

/// A row as tests write it: a column that is not named is absent.
///
///     let row: Row<TransactionColumn> = [.transactionID: "1000", .quantity: 3, .purchaseDate: "2026-03-01"]
///
/// Ids are text; instants are RFC 3339, a day, or milliseconds.
public struct Row<Column: TableColumn>: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    private var cells: [Int: RowValue] = [:]

    public init(dictionaryLiteral elements: (Column, RowValue)...) {
        for (column, value) in elements { self[column] = value }
    }

    public subscript(_ column: Column) -> RowValue? {
        get { cells[column.rawValue] }
        set { cells[column.rawValue] = column.type == .instant ? newValue?.instant : newValue }
    }

    /// The row with the cells of another in place of its own.
    public func with(_ other: Row) -> Row {
        var row = self
        row.cells.merge(other.cells) { $1 }
        return row
    }

    /// The row without a cell.
    public func without(_ column: Column) -> Row {
        var row = self
        row[column] = nil
        return row
    }

    /// The cell as batches hold it.
    public func word(_ column: Column, in dictionary: inout TextDictionary) -> Int64? {
        switch (self[column], column.type) {
        case (nil, _): nil
        case (.number(let number), _): number
        case (.text(let text), .identifier): Identifier(Array(text.utf8).span.bytes, in: &dictionary).word
        case (.text(let text), .text): Int64(dictionary.code(for: text))
        case (.text(let text), _): preconditionFailure("\(text) is no \(column.type)")
        }
    }
}

/// A cell as tests write it.
public enum RowValue: Hashable, Sendable {
    case text(String)
    case number(Int64)

    public var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The milliseconds that the text says.
    fileprivate var instant: RowValue { text.map { .number(Timestamp($0).milliseconds) } ?? self }

    public var number: Int64? {
        if case .number(let number) = self { number } else { nil }
    }
}

extension RowValue: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self = .text(value) }
}

extension RowValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self = .number(value) }
}

extension RowValue: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) { self = .number(value ? 1 : 0) }
}
