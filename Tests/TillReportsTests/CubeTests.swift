import Testing
import TillCore
import TillLedger
import TillReportModel
import TillTestSupport

@testable import TillReports

@Suite("Cubes")
struct CubeTests {
    enum Field: Int, CubeField {
        case sales, gross, refunds
        var isAmount: Bool { self != .sales }
    }

    static let sales = Measure("sales", "Sales", .count, Field.sales, for: .all)
    static let net = Measure("net", "Net", .amount, Field.gross - Field.refunds, for: .all)
    static let rate = Measure("rate", "Rate", .ratio(of: FieldSum(plus: Field.gross.set)), Field.refunds, for: .all)
    static let keys: [GroupKey] = [.month, .productID, .currency]

    /// A booking; without a currency its amounts are unknown.
    struct Booking: FieldValues {
        var month: Int64 = 1
        var product: Int64 = 1
        var currency = CurrencyCode("USD")
        var sales: Int128 = 1
        var gross: Int128 = 0
        var refunds: Int128 = 0

        subscript(_ field: Int) -> Int128 { [sales, gross, refunds][field] }

        var missing: FieldSet { currency == nil ? Field.amounts : [] }

        func code(_ key: GroupKey) -> Int64 {
            switch key {
            case .month: month
            case .productID: product
            default: currency.map { Int64($0.packed) } ?? GroupCode.unknown
            }
        }

        func name(_ key: GroupKey) -> String? {
            guard code(key) != GroupCode.unknown else { return nil }
            switch key {
            case .month: return "2026-0\(month)"
            case .productID: return "p\(product)"
            default: return currency?.description
            }
        }
    }

    static func cube(_ bookings: [Booking], in unit: Cube.Unit = .ofGroup) -> Cube {
        var cube = Cube(Field.self, by: keys, in: unit)
        for booking in bookings {
            let group = cube.group(code: { booking.code(keys[$0]) }, name: { booking.name(keys[$0]) })
            cube.add(booking, to: group)
        }
        return cube
    }

    private static func random(_ count: Int, _ numbers: inout SplitMix64) -> [Booking] {
        let currencies = ["USD", "EUR", nil].map { $0.flatMap { CurrencyCode($0) } }
        return (0..<count).map { _ in
            Booking(
                month: [1, 2, 3, GroupCode.unknown].randomElement(using: &numbers) ?? 1,
                product: Int64.random(in: 0..<6, using: &numbers),
                currency: currencies.randomElement(using: &numbers) ?? nil,
                gross: Int128(Int.random(in: -50...99, using: &numbers)),
                refunds: Int128(Int.random(in: 0...9, using: &numbers))
            )
        }
    }

    /// The sales and the net of each group, by a second way: the net is `nil` where a currency is unknown or mixed.
    private static func sums(_ bookings: [Booking], by keys: [GroupKey]) -> [[Int64]: [Int128?]] {
        Dictionary(grouping: bookings) { booking in keys.map(booking.code) }.mapValues { bookings in
            let known = keys.contains(.currency) && bookings.allSatisfy { $0.currency != nil }
            return [
                bookings.reduce(0) { $0 + $1.sales }, known ? bookings.reduce(0) { $0 + $1.gross - $1.refunds } : nil,
            ]
        }
    }

    private static func sums(_ cube: Cube, side: Int = 0) -> [[Int64]: [Int128?]] {
        var sums: [[Int64]: [Int128?]] = [:]
        for group in cube.groups {
            let codes = cube.keys.indices.map { cube.code(of: group, at: $0) }
            #expect(sums[codes] == nil, "each group is there once")
            sums[codes] = [sales, net].map { cube.value($0, of: group, side: side) }
        }
        return sums
    }

    @Test("A rollup to any of the keys has the sums of its parts", arguments: Seeds.some(of: 0..<20))
    func rollsUp(_ seed: Int) {
        var numbers = SplitMix64(seed: UInt64(seed))
        let bookings = Self.random(80, &numbers)
        let cube = Self.cube(bookings)
        for subset in 0..<8 {
            let kept = Self.keys.indices.filter { subset & 1 << $0 != 0 }.map { Self.keys[$0] }
            #expect(Self.sums(cube.rollup(to: kept)) == Self.sums(bookings, by: kept), "\(kept)")
            #expect(Self.sums(cube.rollup(to: kept.reversed())) == Self.sums(bookings, by: kept.reversed()))
        }
        // By way of a rollup between.
        #expect(
            Self.sums(cube.rollup(to: [.currency, .month]).rollup(to: [.month])) == Self.sums(bookings, by: [.month])
        )
    }

    @Test(
        "Two cubes side by side have the sums of each; a group of one is 0 in the other",
        arguments: Seeds.some(of: 0..<20)
    )
    func joins(_ seed: Int) {
        var numbers = SplitMix64(seed: UInt64(seed))
        let (now, before) = (Self.random(30, &numbers), Self.random(30, &numbers))
        let joined = Self.cube(now).joined(with: Self.cube(before)).rollup(to: [.productID, .currency])
        let sides = [now, before].map { Self.sums($0, by: [.productID, .currency]) }
        for (codes, values) in Self.sums(joined) { #expect(sides[0][codes] ?? [0, 0] == values) }
        for (codes, values) in Self.sums(joined, side: 1) { #expect(sides[1][codes] ?? [0, 0] == values) }
        #expect(joined.count == Set(sides[0].keys).union(sides[1].keys).count)
        #expect(Self.sums(joined.only(side: 1)) == Self.sums(joined, side: 1))
    }

    @Test(
        "Parts that are counted apart and joined have the sums of all, and know what is missing",
        arguments: Seeds.some(of: 0..<20)
    )
    func joinsParts(_ seed: Int) throws {
        var numbers = SplitMix64(seed: UInt64(seed))
        let (one, other) = (Self.random(30, &numbers), Self.random(30, &numbers))
        var joined = Self.cube(one)
        try SumBuffer.join(Self.cube(other), into: &joined)
        #expect(Self.sums(joined) == Self.sums(one + other, by: Self.keys))
    }

    @Test("An exact sum is rounded once; a sum of rounded amounts can differ from it")
    func rounds() {
        let cube = Self.cube([
            Booking(gross: 14_000, refunds: 5000), Booking(product: 2, gross: 14_000),
            Booking(product: 3, gross: 25_000),
        ])
        let rows = cube.rounded
        #expect(rows.groups.map { rows.value(Self.net, of: $0) } == [10_000, 10_000, 20_000])
        let (exact, sums) = (cube.rollup(to: [.currency]), rows.rollup(to: [.currency]))
        #expect(exact.rounded.value(Self.net, of: 0) == 50_000 && sums.value(Self.net, of: 0) == 40_000)
        #expect(exact.value(Self.net, of: 0) == 48_000 && rows.value(Self.sales, of: 0) == 1)
    }

    @Test("A booking of revenue adds each of its figures, and names no other")
    func addsEachField() {
        let counts: [WritableKeyPath<RevenueFigures, Int64>] = [
            \.transactions, \.paid, \.trials, \.units, \.refundedTransactions, \.refundedUnits, \.unpricedUnits,
            \.untaxed,
            \.uncommissioned,
        ]
        let amounts: [WritableKeyPath<RevenueFigures, Int128>] = [
            \.gross, \.refunds, \.grossWithoutTax, \.grossProceeds, \.refundsWithoutTax, \.refundsProceeds,
        ]
        var bookings = [RevenueFigures(), RevenueFigures()]
        for count in counts {
            var figures = RevenueFigures()
            figures[keyPath: count] = 7
            bookings.append(figures)
            bookings[1][keyPath: count] = 7
        }
        for amount in amounts {
            var figures = RevenueFigures()
            figures[keyPath: amount] = -7
            bookings.append(figures)
            bookings[1][keyPath: amount] = -7
        }
        for figures in bookings {
            let values = RevenueValues(figures, in: CurrencyCode("USD"))
            for field in RevenueField.allCases {
                #expect(values.fields.contains(field.rawValue) == (values[field.rawValue] != 0), "\(field)")
            }
        }
        // Whether a booking has no rate is known only when it is converted.
        #expect(
            RevenueValues(bookings[1], in: nil).fields == RevenueField.all.subtracting(RevenueField.unconverted.set)
        )
        #expect(RevenueValues(bookings[0], in: nil).fields.isEmpty)
    }

    @Test("The order of the parts changes nothing", arguments: Seeds.some(of: 0..<20))
    func isIndependentOfOrder(_ seed: Int) {
        var numbers = SplitMix64(seed: UInt64(seed))
        let bookings = Self.random(60, &numbers)
        func rows(_ bookings: [Booking]) -> [[String?]] {
            let cube = Self.cube(bookings).rollup(to: [.productID, .currency])
                .sorted(by: .currencies([]), .largest(Self.net), .key(.productID), .key(.currency))
                .top(2, of: .productID) { "\($0) others" }
            return cube.groups.map { group in
                [cube.name(of: group, at: 0), cube.value(Self.net, of: group).map { "\($0)" }]
            }
        }
        #expect(rows(bookings) == rows(bookings.shuffled(using: &numbers)))
    }

    @Test("A side that is not known is unknown in each group, and so are a change from it and each rollup")
    func joinsUnknown() {
        let cube = Self.cube([Booking(gross: 5), Booking(product: 2, gross: 7)]).joined(with: nil)
        let total = cube.rollup(to: [.currency])
        #expect(total.value(Self.net, of: 0) == 12)
        #expect(total.value(Self.net, of: 0, side: 1) == nil && total.value(Self.sales, of: 0, side: 1) == nil)
        #expect(total.change(of: Self.net, in: 0) == nil)
    }

    @Test("A group that a later side adds is unknown on a side that is not known")
    func joinsLater() {
        let later = Self.cube([Booking(gross: 5), Booking(product: 2, gross: 7)])
        let cube = Self.cube([Booking(gross: 5)]).joined(with: nil).joined(with: later)
        #expect(cube.groups.map { cube.value(Self.net, of: $0) } == [5, 0])
        #expect(cube.groups.map { cube.value(Self.net, of: $0, side: 1) } == [nil, nil])
        #expect(cube.groups.map { cube.value(Self.net, of: $0, side: 2) } == [5, 7])
    }

    @Test("A group that is forgotten on one side is known on the other")
    func forgets() {
        let booking = Booking(gross: 5)
        var joined = Self.cube([booking, booking]).joined(with: Self.cube([booking])).rollup(to: [.currency])
        joined.forget(of: 0, side: 0)
        #expect(joined.value(Self.sales, of: 0) == nil && joined.value(Self.sales, of: 0, side: 1) == 1)
    }

    @Test("Without groups a rollup to no keys is one group of zeros, and every other rollup is empty")
    func rollsUpNothing() throws {
        let euro = try #require(CurrencyCode("EUR"))
        let cube = Self.cube([], in: .one(euro))
        #expect(Self.sums(cube.rollup(to: [])) == [[]: [0, 0]])
        #expect(cube.rollup(to: [.month]).isEmpty)
        #expect(Self.net.cell(of: cube.rollup(to: [])[0, 0]) == .money(0, euro))
    }

    @Test("An amount with a missing part is unknown, never 0 and never its known part")
    func knowsWhatIsMissing() throws {
        let euro = try #require(CurrencyCode("EUR"))
        let unknown = Booking(currency: nil)
        let parts = Self.cube([Booking(gross: 8, refunds: 2), unknown], in: .one(euro)).rollup(to: [])
        #expect(parts.value(Self.net, of: 0) == nil && parts.value(Self.sales, of: 0) == 2)
        #expect(Self.net.cell(of: parts[0, 0]) == .absent && Self.rate.cell(of: parts[0, 0]) == .absent)
        #expect(Self.net.sum.value(of: parts[0, 0]) == 6, "the known part can be asked for")
        // In the currency of its group an amount without a currency is unknown as well.
        #expect(Self.net.cell(of: Self.cube([unknown])[0, 0]) == .absent)
    }

    @Test("Unknown keys, amounts and currencies are the last by each criterion, and equal groups keep their order")
    func sorts() {
        let dollar = CurrencyCode("USD")
        let cube = Self.cube([
            Booking(month: GroupCode.unknown, product: 4, gross: 9), Booking(product: 3, currency: nil),
            Booking(month: 3, product: 2, gross: -1),
            Booking(month: 2, product: 5, currency: CurrencyCode("EUR"), gross: 9),
        ])
        func products(_ criteria: Cube.Criterion...) -> [String?] {
            var sorted = cube
            for criterion in criteria.reversed() { sorted = sorted.sorted(by: criterion) }
            return sorted.groups.map { sorted.name(of: $0, at: 1) }
        }
        #expect(products(.key(.month)) == ["p3", "p5", "p2", "p4"])
        #expect(products(.key(.currency)) == ["p5", "p4", "p2", "p3"])
        #expect(products(.largest(Self.net)) == ["p4", "p5", "p2", "p3"])
        #expect(products(.currencies([dollar].compactMap(\.self)), .key(.productID)) == ["p2", "p4", "p5", "p3"])
        let joined = cube.joined(with: Self.cube([Booking(month: 3, product: 2, gross: 20)]))
            .sorted(by: .largestChange(Self.net))
        #expect(joined.groups.map { joined.name(of: $0, at: 1) } == ["p2", "p4", "p5", "p3"])
    }

    @Test(
        "The rest is a single group, and a group for each where it would be of one",
        arguments: [(2, ["p1", "p2", "p3"]), (1, ["p1", "2 others"]), (5, ["p1", "p2", "p3"])]
    )
    func showsTop(_ most: Int, _ names: [String]) throws {
        let cube = Self.cube([3, 2, 1].enumerated().map { Booking(product: Int64($0 + 1), gross: $1) })
            .rollup(to: [.productID, .currency])
        let top = cube.top(most, of: .productID) { "\($0) others" }
        #expect(top.groups.map { top.name(of: $0, at: 0) } == names)
        #expect(top.groups.reduce(0) { $0 + (top.value(Self.net, of: $1) ?? 0) } == 6)
    }

    @Test(
        "Rows that do not add up to their total get a row of rounding, which adds no sales; others get none",
        arguments: [(6, ["p1", "p2", "Total"]), (7, ["p1", "p2", "Rounding", "Total"])]
    )
    func balances(_ sum: Int, _ names: [String]) throws {
        let total = Int128(sum)
        let rows = Self.cube([Booking(gross: 4), Booking(product: 2, gross: 2)]).rollup(to: [.productID, .currency])
        let totals = Self.cube([Booking(sales: 2, gross: total)]).rollup(to: [.currency])
        let cube = rows.balanced(over: .productID, to: totals, for: [Self.net], hasTotals: true)
        #expect(cube.groups.map { cube.name(of: $0, at: 0) } == names)
        let nets = cube.groups.map { cube.value(Self.net, of: $0) ?? 0 }
        #expect(nets.dropLast().reduce(0, +) == total && nets.last == total)
        #expect(cube.value(Self.sales, of: cube.count - 1) == 2)
        let key = try #require(CubeView(cube).columns.first)
        #expect(key.cell(cube.count - 1) == .word("total", "Total"))
        guard names.count == 4 else { return }
        #expect(key.cell(2) == .word("rounding", "Rounding") && cube.value(Self.sales, of: 2) == nil)
    }

    @Test("Rows have no rounding where the total is unknown, or where only a figure that is not shown differs")
    func balancesNothing() {
        let rows = Self.cube([Booking(gross: 4, refunds: 1)]).rollup(to: [.productID, .currency])
        let unlike = Self.cube([Booking(gross: 5, refunds: 2)]).rollup(to: [.currency])
        #expect(rows.balanced(over: .productID, to: unlike, for: [Self.net]).count == 1)
        var unknown = unlike
        unknown.forget(Field.amounts, of: 0, side: 0)
        #expect(rows.balanced(over: .productID, to: unknown, for: [Self.rate, Self.net]).count == 1)
    }

    @Test("A view leaves out a measure without any value if it is for exceptions, and names the one currency")
    func views() throws {
        let euro = try #require(CurrencyCode("EUR"))
        var view = CubeView(
            Self.cube([Booking(product: GroupCode.unknown, gross: 5)], in: .one(euro)).rollup(to: [.productID])
        )
        view.add([Self.net, Self.sales.onlyWhereAny, Self.rate.onlyWhereAny])
        #expect(view.columns.map(\.heading.title) == ["Product", "Net (EUR)", "Sales"])
        #expect(Array(try view.section("a", "A").rows()) == [[Cell.product(nil), .money(5, euro), .count(1)]])
    }
}
