import TillCore

/// The product names of a price list.
enum PriceListNames {
    /// The names by product; two names of one product are a warning, and the name of the row that begins last counts,
    /// else that of the later line.
    static func names(
        in rows: [PriceListRow],
        reporting problems: inout [Finding]
    ) -> [String: String] {
        var newest: [String: PriceListRow] = [:]
        let named = rows.filter { $0.name != nil }
        for row in named.sorted(by: { ($0.start, $0.line) < ($1.start, $1.line) }) {
            if let other = newest[row.productID], other.name != row.name {
                problems.append(
                    Finding(
                        "prices.two-names",
                        at: row.line,
                        cause: .warning,
                        "\(row.productID) has another name on line \(other.line); the one here is shown, as its price "
                            + "takes effect later or its line comes later"
                    )
                )
            }
            newest[row.productID] = row
        }
        return newest.compactMapValues(\.name)
    }
}
