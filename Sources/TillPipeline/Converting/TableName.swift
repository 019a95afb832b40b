import TillColumns
import TillRows

/// The four tables, in the order of the contract.
public enum TableName: String, CaseIterable, Sendable {
    case transactions, documents, events, renewals

    /// Calls a closure with the columns of the table, whose type depends on the table.
    func withColumns<Result>(_ body: (any TableColumn.Type) throws -> Result) rethrows -> Result {
        switch self {
        case .transactions: try body(TransactionColumn.self)
        case .documents: try body(DocumentColumn.self)
        case .events: try body(EventColumn.self)
        case .renewals: try body(RenewalColumn.self)
        }
    }

    /// The names of the columns, in their order.
    public var columnNames: [String] {
        func open<Column: TableColumn>(_: Column.Type) -> [String] { Column.allCases.map { $0.name } }
        return withColumns { columns in open(columns) }
    }
}
