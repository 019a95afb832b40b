import TillRows
import TillTestSupport

/// Deals rows out so that whatever must be seen together is in one part: a plain second implementation of the rule that
/// inputs of closed partials keep.
///
/// Rows that have an id, a line item, an account, a request or an attempt in common are tied, and so are those that are
/// tied to a third.
struct ClosedPartition {
    /// The names of tied things lead to one that stands for all of them.
    private var parents: [String: String] = [:]

    private mutating func root(of name: String) -> String {
        var name = name
        while let parent = parents[name], parent != name { name = parent }
        return name
    }

    private mutating func tie(_ names: [String]) {
        guard let first = names.first else { return }
        for name in names.dropFirst() { parents[root(of: name)] = root(of: first) }
    }

    private static func name(_ kind: String, _ value: RowValue?) -> String? {
        guard let value, value != "0", value != 0 else { return nil }
        return "\(kind) \(value)"
    }

    private static func names(_ row: Row<TransactionColumn>) -> [String] {
        [
            name("id", row[.transactionID]), name("id", row[.originalTransactionID]),
            name("line item", row[.webOrderLineItemID]), name("account", row[.accountToken]),
        ].compactMap(\.self)
    }

    private static func names(_ row: Row<EventColumn>) -> [String] {
        [name("attempt", row[.attemptID]), name("bought", row[.transactionID])].compactMap(\.self)
    }

    private static func names(_ row: Row<DocumentColumn>) -> [String] {
        [name("request", row[.pairKey])].compactMap(\.self)
    }

    private static func names(_ row: Row<RenewalColumn>) -> [String] {
        [name("id", row[.originalTransactionID])].compactMap(\.self)
    }

    /// The rows of each of `count` parts; some parts may get none.
    static func parts(_ rows: Rows, count: Int, _ generator: inout SplitMix64) -> [Rows] {
        var partition = ClosedPartition()
        for row in rows.transactions { partition.tie(names(row)) }
        for row in rows.events { partition.tie(names(row)) }
        var parts = Array(repeating: Rows(), count: count)
        var places: [String: Int] = [:]
        func deal<Column>(
            _ rows: [Row<Column>],
            to table: WritableKeyPath<Rows, [Row<Column>]>,
            _ names: (Row<Column>) -> [String]
        ) {
            for row in rows.shuffled(using: &generator) {
                var place = Int.random(in: 0..<count, using: &generator)
                if let name = names(row).first {
                    let root = partition.root(of: name)
                    place = places[root] ?? place
                    places[root] = place
                }
                parts[place][keyPath: table].append(row)
            }
        }
        deal(rows.transactions, to: \.transactions, names)
        deal(rows.documents, to: \.documents, names)
        deal(rows.events, to: \.events, names)
        deal(rows.renewals, to: \.renewals, names)
        return parts
    }
}
