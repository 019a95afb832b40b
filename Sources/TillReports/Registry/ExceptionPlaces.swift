import TillCore
import TillPricing
import TillReportModel

/// Where an exception was found: the currencies without a rate, the products without a price, and the like.
struct ExceptionPlaces {
    struct Place {
        /// `USD`; `nil` if it is not known.
        let name: String?
        let count: Int64
        /// The first day on which it was found, in days since 1970.
        let since: Int?
        /// The customer sales concerned.
        var amount: Money?
    }

    /// The name of the list for programs, and the name of a place in it: `currencies`, `currency`.
    let list: String
    let key: String
    /// The largest first.
    let places: [Place]

    /// The groups of a cube by their first key: the largest count first, then in the order of the keys.
    ///
    /// - Parameters:
    ///   - cube: `nil` if there is no place.
    ///   - most: the most places that programs get by name.
    ///   - amount: the measure of the customer sales concerned; `nil` if places have none.
    init(
        list: String,
        key: String,
        _ cube: Cube?,
        most: Int = .max,
        amount: Measure? = nil,
        _ calendar: BookingCalendar,
        count: (CubeGroup) -> Int128
    ) {
        (self.list, self.key) = (list, key)
        let sorted = cube.map { cube in cube.sorted(by: cube.keys.map { .key($0) }) }
        let places = (sorted?.groups ?? []).compactMap { group in
            sorted.map { cube in
                let values = cube[group, 0]
                return Place(
                    name: cube.name(of: group, at: 0),
                    count: Int64(clamping: count(values)),
                    since: cube.firstTime(of: group).map(calendar.day),
                    amount: amount.flatMap { measure in
                        values.currency.map {
                            Money(millionths: measure.sum.value(of: values), currency: $0).roundedToMinorUnit
                        }
                    }
                )
            }
        }
        let ranked = places.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
        self.places = ranked.prefix(most).map(\.element)
    }

    /// The list for programs, and the first day of all places.
    var members: [CellRecord.Member] {
        let records = places.map { place in
            var members: [CellRecord.Member] = [.init(key, .text(place.name)), .init("count", .count(place.count))]
            if let amount = place.amount {
                members += [.init("currency", .text(amount.currency.description)), .init("net", .money(amount))]
            }
            members.append(.init("since", .text(place.since.map(DayName.text))))
            return CellRecord(members, text: place.name ?? "unknown")
        }
        let since = places.compactMap(\.since).min()
        return [.init(list, .records(records)), .init("since", .text(since.map(DayName.text)))]
    }

    /// Places that people read by name.
    private static let mostNamed = 3

    /// `USD (61) since 8 March 2026, GBP (18) since 9 March 2026 and 2 others`; `nil` without places.
    var words: Statement.Sentence? {
        guard let first = places.first else { return nil }
        var words = Self.words(of: first)
        for place in places.prefix(Self.mostNamed).dropFirst() { words = "\(words), \(Self.words(of: place))" }
        let others = places.count - Self.mostNamed
        return others > 0 ? "\(words) and \(others == 1 ? "1 other" : "\(others) others")" : words
    }

    private static func words(of place: Place) -> Statement.Sentence {
        var words: Statement.Sentence = "\(place.name ?? "unknown") (\(.count(place.count))"
        if let amount = place.amount { words = "\(words), \(.money(amount)) \(amount.currency.description)" }
        return "\(words))\(place.since.map { " since \(PeriodWords.name(ofDay: $0))" } ?? "")"
    }
}
