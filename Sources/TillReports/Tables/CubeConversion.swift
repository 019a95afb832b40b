import TillCore
import TillLedger
import TillPricing

/// The conversion of amounts to the base currency.
///
/// A *charge* has the amounts of a group on one day, or in one month, whose rate applies to all of them. A sum of charges
/// is exact, and is rounded once.
struct CubeConversion<Field: CubeField> {
    /// By the currency and any other keys; the second time is the day or month of the rate. Sorted, so that every run
    /// reports the same error first.
    let charges: Cube
    /// Counts the bookings of a charge, and in the result those without a rate.
    let counted: (bookings: Field, unconverted: Field)
    let rounding: Rounding
    private(set) var rates: KnownRates

    init(
        _ charges: Cube,
        counting bookings: Field,
        asUnconverted unconverted: Field,
        by conversion: Conversion,
        _ rules: LedgerRules
    ) {
        (self.charges, counted, rounding) = (charges, (bookings, unconverted), rules.rounding)
        rates = KnownRates(conversion, in: rules.calendar)
    }

    /// A cube in the base currency: it has the counts of `own`, and the sums of the charges.
    ///
    /// An amount without a rate is in no sum, and the amounts of its group are unknown.
    ///
    /// - Parameter own: by some of the keys of the charges, or none. Each charge is a part of one of its groups.
    /// - Throws: where a sum does not fit, or a rate is missing that must be there.
    mutating func converted(_ own: Cube) throws(Finding) -> Cube {
        let base = rates.conversion.base
        let amounts = Array(own.amounts.numbers)
        var groups = own
        var sums: [[FractionSum]] = Array(repeating: [], count: own.count)
        var unconverted: [Int128] = Array(repeating: 0, count: own.count)
        let places = own.keys.compactMap(charges.keys.firstIndex(of:))
        for charge in charges.groups {
            guard let currency = charges.currency(of: charge) else { continue }
            let group = groups.group(code: { charges.code(of: charge, at: places[$0]) }, name: { _ in nil })
            let values = charges[charge, 0]
            switch try rates.rate(of: currency, at: charges.secondCode(of: charge)) {
            case .success(let rate):
                if sums[group].isEmpty { sums[group] = amounts.map { _ in FractionSum() } }
                for (place, field) in amounts.enumerated() {
                    let isAdded = sums[group][place].add(values[field], times: rate)
                    guard isAdded else { throw Self.overflow(in: own, group) }
                }
            case .failure(.overflow): throw Self.overflow(in: own, group)
            case .failure: unconverted[group] += values[counted.bookings.rawValue]
            }
        }
        var cube = own.empty(in: .one(base))
        var remaining = FractionSum.limit.magnitude
        for group in own.groups {
            let rounded = sums[group].map { $0.rounded(to: base.quantum, rounding) }
            // Totals and charts add up some of the groups. If the sum of all magnitudes fits, each such sum fits.
            let extent = rounded.reduce(0) { $0 + $1.magnitude }
            guard extent <= remaining else { throw Self.overflow(in: own, nil) }
            remaining -= extent
            let values = ConvertedValues(
                own: own[group, 0],
                amounts: rounded,
                unconverted: (counted.unconverted.rawValue, unconverted[group])
            )
            let number = cube.group(code: { own.code(of: group, at: $0) }, name: { own.name(of: group, at: $0) })
            cube.add(values, to: number)
        }
        return cube
    }

    /// The exact sum of a measure over all charges with a rate, rounded once; `nil` if it does not fit.
    mutating func total(of measure: Measure) throws(Finding) -> Int128? {
        var sum = FractionSum()
        for charge in charges.groups {
            guard let currency = charges.currency(of: charge),
                case .success(let rate) = try rates.rate(of: currency, at: charges.secondCode(of: charge))
            else { continue }
            guard sum.add(measure.sum.value(of: charges[charge, 0]), times: rate) else { return nil }
        }
        return sum.rounded(to: rates.conversion.base.quantum, rounding)
    }

    /// The charges that have no rate: for each reason, a cube by currency.
    mutating func gaps() throws(Finding) -> [RateGap: Cube] {
        var gaps: [RateGap: [Int]] = [:]
        for charge in charges.groups {
            guard let currency = charges.currency(of: charge),
                case .failure(let gap) = try rates.rate(of: currency, at: charges.secondCode(of: charge))
            else { continue }
            gaps[gap, default: []].append(charge)
        }
        return gaps.mapValues { charges.selecting($0).rollup(to: [.currency]) }
    }

    /// - Parameter group: `nil` for the sum of all.
    private static func overflow(in cube: Cube, _ group: Int?) -> Finding {
        let name = group.map(cube.description) ?? "all rows"
        return Finding("ledger.overflow", "the converted amounts of \(name) do not fit 128 bits")
    }
}

/// The fields of a group in the base currency.
private struct ConvertedValues: FieldValues {
    let own: CubeGroup
    /// In the order of the fields that are amounts; empty if nothing has a rate.
    let amounts: [Int128]
    let unconverted: (field: Int, count: Int128)

    var fields: FieldSet { own.fields.union(FieldSet(rawValue: 1 << UInt64(unconverted.field))) }

    subscript(_ field: Int) -> Int128 {
        if field == unconverted.field { return unconverted.count }
        guard let place = own.amounts.place(of: field) else { return own[field] }
        return amounts.isEmpty ? 0 : amounts[place]
    }

    var missing: FieldSet { unconverted.count > 0 ? own.partlyMissing.union(own.amounts) : own.partlyMissing }

    // The side has the base currency.
    var currency: CurrencyCode? { nil }
}
