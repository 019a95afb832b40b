import TillCore
import TillReportModel

/// The fields of a report: its numbers that add up. There are at most 64.
protocol CubeField: RawRepresentable<Int>, CaseIterable, Sendable {
    /// Whether it is an amount of money, in millionths of a currency; else it is a count.
    var isAmount: Bool { get }
}

extension CubeField {
    var set: FieldSet { FieldSet(rawValue: 1 << UInt64(rawValue)) }
    static var all: FieldSet { allCases.reduce(into: []) { $0.formUnion($1.set) } }
    static var amounts: FieldSet { allCases.reduce(into: []) { if $1.isAmount { $0.formUnion($1.set) } } }

    static func - (left: Self, right: Self) -> FieldSum {
        FieldSum(plus: left.set) - FieldSum(plus: right.set)
    }
}

/// A set of fields, a bit for each.
struct FieldSet: OptionSet {
    let rawValue: UInt64

    static let all = FieldSet(rawValue: .max)

    var count: Int { rawValue.nonzeroBitCount }

    func contains(_ field: Int) -> Bool { rawValue & 1 << UInt64(field) != 0 }

    /// How many fields of the set precede a field; `nil` if the field is not in the set.
    func place(of field: Int) -> Int? {
        let bit = UInt64(1) << UInt64(field)
        return rawValue & bit == 0 ? nil : (rawValue & (bit - 1)).nonzeroBitCount
    }

    /// The numbers of the fields.
    struct Numbers: Sequence, IteratorProtocol {
        fileprivate var rest: UInt64

        mutating func next() -> Int? {
            guard rest != 0 else { return nil }
            defer { rest &= rest - 1 }
            return rest.trailingZeroBitCount
        }
    }

    var numbers: Numbers { Numbers(rest: rawValue) }
}

/// The values of all fields: of a group of a cube, or of a row that is to be added to one.
protocol FieldValues: Sendable {
    /// The sum of the known parts of a field. Amounts are in millionths of ``currency``.
    subscript(_ field: Int) -> Int128 { get }
    /// The fields that have an unknown part. A field without any part is 0, and not unknown.
    var missing: FieldSet { get }
    /// The fields that can differ from 0.
    var fields: FieldSet { get }
    /// `nil` if it is not known; then no amount is.
    var currency: CurrencyCode? { get }
}

extension FieldValues {
    var fields: FieldSet { .all }
}

/// Some fields less others.
struct FieldSum: Sendable {
    var plus: FieldSet
    var minus: FieldSet = []

    var fields: FieldSet { plus.union(minus) }

    static func - (left: FieldSum, right: FieldSum) -> FieldSum {
        FieldSum(plus: left.plus.union(right.minus), minus: left.minus.union(right.plus))
    }

    func value(of values: some FieldValues) -> Int128 {
        plus.numbers.reduce(0) { $0 + values[$1] } - minus.numbers.reduce(0) { $0 + values[$1] }
    }
}

/// A figure that a report shows, declared once: what it is a sum of, when it is known, its names, and who reads it.
struct Measure: Sendable {
    enum Kind: Sendable {
        /// A number of sales, units and the like.
        case count
        /// Money in the currency of its group.
        case amount
        /// A share of another sum.
        case ratio(of: FieldSum)
    }

    struct Readers: OptionSet, Sendable {
        let rawValue: Int
        static let programs = Readers(rawValue: 1)
        static let people = Readers(rawValue: 2)
        static let workbook = Readers(rawValue: 4)
        static let all: Readers = [.programs, .people, .workbook]
    }

    /// The name for programs: `refunded_transactions`.
    private(set) var name: String
    /// A heading for people: `Refunded`.
    private(set) var title: String
    let kind: Kind
    let sum: FieldSum
    let readers: Readers
    /// See ``Column/isMain``.
    private(set) var isMain = false
    /// Whether a table for people leaves it out where all groups have 0.
    private(set) var isOnlyWhereAny = false

    init(_ name: String, _ title: String, _ kind: Kind, _ sum: FieldSum, for readers: Readers = .programs) {
        (self.name, self.title, self.kind, self.sum, self.readers) = (name, title, kind, sum, readers)
    }

    init(_ name: String, _ title: String, _ kind: Kind, _ field: some CubeField, for readers: Readers = .programs) {
        self.init(name, title, kind, FieldSum(plus: field.set), for: readers)
    }

    /// `nil` if it is not known.
    func value(of values: some FieldValues) -> Int128? {
        values.missing.isDisjoint(with: needed) ? sum.value(of: values) : nil
    }

    /// The fields without which it is not known.
    var needed: FieldSet {
        if case .ratio(let whole) = kind { sum.fields.union(whole.fields) } else { sum.fields }
    }

    func cell(of values: some FieldValues) -> Cell {
        guard case .ratio(let whole) = kind else { return cell(value(of: values), in: values.currency) }
        return value(of: values).map { .ratio($0, of: whole.value(of: values)) } ?? .absent
    }

    /// The cell of a value of the measure, which is a count or an amount.
    func cell(_ value: Int128?, in currency: CurrencyCode?) -> Cell {
        guard let value else { return .absent }
        if case .count = kind { return .count(Int64(clamping: value)) }
        return .money(value, currency)
    }

    /// The heading of its column; `Net (EUR)` where all amounts are in one currency.
    func heading(in currency: CurrencyCode? = nil) -> Column {
        var column = Column(name, title, isMain: isMain)
        switch kind {
        case .count: column.isAdditive = true
        case .amount:
            column.title = Column.title(title, in: currency)
            column.isAdditive = true
            column.isUnknownIfAbsent = true
        case .ratio: break
        }
        return column
    }

    // MARK: Variants

    func named(_ name: String) -> Measure { changed { $0.name = name } }
    func titled(_ title: String) -> Measure { changed { $0.title = title } }
    var main: Measure { changed { $0.isMain = true } }
    var notMain: Measure { changed { $0.isMain = false } }
    var onlyWhereAny: Measure { changed { $0.isOnlyWhereAny = true } }

    private func changed(_ change: (inout Measure) -> Void) -> Measure {
        var measure = self
        change(&measure)
        return measure
    }
}
