import TillCore
import TillReportModel

/// Totals and facts of a workbook, and the cells that have them.
struct WorkbookFigures {
    struct Name: Hashable {
        let report: String
        let section: String
        let column: String
        /// `nil` for the total of all rows.
        let currency: CurrencyCode?
    }

    /// A figure and its address. The address is `nil` if the cell is a text, because the figure has more digits than a
    /// spreadsheet keeps.
    struct Place {
        let sum: CellSum
        let address: String?
    }

    /// Two sides of a tie-out, in one unit.
    struct Pair {
        let left: [Place]
        let right: [Place]
    }

    /// A tie-out: a pair, or a pair for each of several currencies.
    struct Comparison {
        let title: String
        let pairs: [Pair]
    }

    private var places: [Name: Place] = [:]
    /// The currencies of the totals of a section, in their order.
    private var currencies: [String: [CurrencyCode]] = [:]

    mutating func add(_ sum: CellSum, _ name: Name, at address: String?) {
        places[name] = Place(sum: sum, address: address)
        guard let currency = name.currency else { return }
        let section = name.report + "." + name.section
        if currencies[section]?.contains(currency) != true { currencies[section, default: []].append(currency) }
    }

    /// The figures that a tie-out compares; `nil` if one is not in the workbook.
    func comparison(of tieOut: TieOut, in report: String) -> Comparison? {
        guard tieOut.isPerCurrency else {
            // The fact of a summary has one currency, and the total of all rows only where there is no other.
            let currency = places(of: tieOut.left, nil, report).flatMap { Self.currency(of: $0) }
            let sides = [tieOut.left, tieOut.right].map { figures in
                places(of: figures, nil, report) ?? places(of: figures, currency, report)
            }
            return pair(sides[0], sides[1]).map { Comparison(title: tieOut.title, pairs: [$0]) }
        }
        let pairs = sharedCurrencies(of: tieOut, in: report).compactMap { currency in
            pair(of: currency, tieOut, in: report)
        }
        return pairs.isEmpty ? nil : Comparison(title: tieOut.title, pairs: pairs)
    }

    /// The currencies of either side, in the order of the left one; empty if a section of a side is not shown.
    private func sharedCurrencies(of tieOut: TieOut, in report: String) -> [CurrencyCode] {
        var all: [CurrencyCode] = []
        for figure in tieOut.left + tieOut.right {
            guard let shown = currencies[Self.section(of: figure, report)] else { return [] }
            all += shown.filter { !all.contains($0) }
        }
        return all
    }

    /// Both sides in one currency. A table without rows of the currency has an amount of 0; a table that has such rows
    /// and no total of them has an unknown amount, which is not compared.
    private func pair(of currency: CurrencyCode, _ tieOut: TieOut, in report: String) -> Pair? {
        func places(of figures: [TieOut.Figure]) -> [Place]? {
            let shown = figures.filter { currencies[Self.section(of: $0, report)]?.contains(currency) == true }
            return self.places(of: shown, currency, report)
        }
        guard let left = places(of: tieOut.left), let right = places(of: tieOut.right),
            let zero = (left + right).first.map({ Place(sum: CellSum(zeroOf: $0.sum.unit), address: nil) })
        else { return nil }
        return pair(left.isEmpty ? [zero] : left, right.isEmpty ? [zero] : right)
    }

    private static func section(of figure: TieOut.Figure, _ report: String) -> String {
        (figure.report ?? report) + "." + figure.section
    }

    private func pair(_ left: [Place]?, _ right: [Place]?) -> Pair? {
        guard let left, let right, let unit = left.first?.sum.unit,
            (left + right).allSatisfy({ $0.sum.unit == unit })
        else { return nil }
        return Pair(left: left, right: right)
    }

    private func places(of figures: [TieOut.Figure], _ currency: CurrencyCode?, _ report: String) -> [Place]? {
        let found = figures.compactMap { figure in
            places[
                Name(
                    report: figure.report ?? report,
                    section: figure.section,
                    column: figure.column,
                    currency: currency
                )
            ]
        }
        return found.count == figures.count ? found : nil
    }

    private static func currency(of places: [Place]) -> CurrencyCode? {
        if case .money(let currency)? = places.first?.sum.unit { currency } else { nil }
    }
}

extension [WorkbookFigures.Place] {
    /// The exact sum.
    var sum: CellSum? {
        guard var sum = first?.sum else { return nil }
        for place in dropFirst() { sum.add(place.sum) }
        return sum
    }

    /// The addresses of all; `nil` where one has none.
    var addresses: [String]? {
        let addresses = compactMap(\.address)
        return addresses.count == count ? addresses : nil
    }
}
