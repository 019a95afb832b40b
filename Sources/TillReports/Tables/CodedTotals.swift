import TillColumns
import TillCore

/// Totals by a code and a currency, in the order in which they were first changed.
///
/// Changing a total that is known allocates nothing: a report changes some for each of its rows.
struct CodedTotals<Total: Sendable>: Sendable {
    /// The place of each total in ``all``.
    private var places = IntegerMap<UInt128, Int>()
    private(set) var all: [Total] = []

    /// Changes a total, which begins as `empty`.
    mutating func update(
        _ code: Int64,
        in currency: CurrencyCode?,
        entering empty: @autoclosure () -> Total,
        _ change: (inout Total) -> Void
    ) {
        let place = places[Self.key(code, currency), entering: all.count]
        if place == all.count { all.append(empty()) }
        change(&all[place])
    }

    /// `nil` if it was never changed.
    subscript(_ code: Int64, in currency: CurrencyCode?) -> Total? { places[Self.key(code, currency)].map { all[$0] } }

    private static func key(_ code: Int64, _ currency: CurrencyCode?) -> UInt128 {
        UInt128(UInt64(bitPattern: code)) << 32 | UInt128(currency?.packed ?? 0)
    }
}
