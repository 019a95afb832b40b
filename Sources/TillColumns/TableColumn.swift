/// The types of columns; every cell is one 64-bit word.
public enum ColumnType: Sendable {
    /// A code in the batch's ``TextDictionary``.
    case text
    /// Text that is nearly always a decimal number: see ``Identifier``.
    case identifier
    case int64
    case int32
    /// 0 or 1.
    case bool
    /// Milliseconds since 1970-01-01T00:00:00Z.
    case instant
}

/// The columns of one table, in their order; the raw value is the position.
///
/// At most 64, because the presence bits of a row are one word.
public protocol TableColumn: RawRepresentable<Int>, CaseIterable, Sendable {
    /// The name of the table, as `inspect` shows it.
    static var tableName: String { get }
    /// The column's name in every output.
    var name: String { get }
    /// The type of the cells, by which their words are read.
    var type: ColumnType { get }
}
