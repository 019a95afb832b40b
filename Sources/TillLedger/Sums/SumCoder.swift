public import TillCore
public import TillPricing

/// Writes the sums of a report, or reads written sums and joins them with existing ones.
///
///     writing   value ─▶ bytes                  the value stays as it is
///     reading   value + bytes ─▶ value          sums add up; the parts of a key are replaced
///
/// One description of a report's sums, ``SumHolder/visitSums(_:)``, serves both directions, so that they cannot differ.
public protocol SumCoder {
    /// Whether values are read and joined, not written.
    var isReading: Bool { get }
    /// Whether the values come from a file, so that any value is possible.
    var readsFile: Bool { get }

    // Joined by addition. A reader throws if a sum is above its limit, so that the arithmetic of reports cannot
    // overflow.
    /// A count, such as that of transactions; a change of a count can be negative.
    mutating func add(_ count: inout Int) throws
    /// The same in 64 bits, such as units.
    mutating func add(_ number: inout Int64) throws
    /// An amount, in millionths of a currency.
    mutating func add(_ millionths: inout Int128) throws

    // Replaced by a reader:
    /// A number that is not a sum, such as the code of a month.
    mutating func value(_ number: inout Int64) throws
    /// A number that may be absent, such as an instant.
    mutating func value(_ number: inout Int64?) throws
    /// A number of 128 bits, such as a fingerprint.
    mutating func value(_ word: inout UInt128) throws
    /// A text that is not a text of the ledger, such as the name of an anomaly.
    mutating func value(_ text: inout String) throws
    /// The code of a text of the ledger; -1 for none.
    mutating func textCode(_ code: inout Int64) throws
    /// An amount of a single sale, which a reader replaces.
    mutating func amount(_ millionths: inout Int128) throws

    /// The number of elements that follow: a writer writes and returns `count`, a reader returns the number it reads.
    mutating func elements(_ count: Int) throws -> Int

    /// The entries of a table. A reader joins the value of a key with the existing one.
    ///
    /// - Parameters:
    ///   - blank: a key that a reader fills.
    ///   - visitKey: visits the parts of a key, which a reader replaces.
    mutating func table<Key: Hashable, Value: Summed>(
        _ table: inout [Key: Value],
        blank: Key,
        _ visitKey: (inout Key, inout Self) throws -> Void
    ) throws

    /// The error of a value that no report writes.
    func refusal(_ reason: String) -> any Error
}

/// A value with sums that can be joined with the same sums of another part.
public protocol SumHolder {
    /// Passes every value to a coder, in a fixed order.
    mutating func visitSums(_ coder: inout some SumCoder) throws
}

/// A value that consists of sums.
public protocol Summed: SumHolder {
    /// The neutral value: joined with a sum, it gives that sum.
    init()
}

extension Int128: Summed {
    public mutating func visitSums(_ coder: inout some SumCoder) throws { try coder.add(&self) }
}

extension Int: Summed {
    public mutating func visitSums(_ coder: inout some SumCoder) throws { try coder.add(&self) }
}

extension SumCoder {
    /// Keeps the earlier of two instants.
    public mutating func earlier(_ instant: inout Timestamp?) throws {
        let known = instant
        try replace(&instant)
        if let known { instant = instant.map { min($0, known) } ?? known }
    }

    /// Keeps the later of two instants.
    public mutating func later(_ instant: inout Timestamp?) throws {
        let known = instant
        try replace(&instant)
        if let known { instant = instant.map { max($0, known) } ?? known }
    }

    /// An instant that a reader replaces.
    public mutating func replace(_ instant: inout Timestamp?) throws {
        var milliseconds = instant?.milliseconds
        try value(&milliseconds)
        instant = milliseconds.map(Timestamp.init(milliseconds:))
    }

    /// A flag that is true only if it is true in all parts.
    public mutating func all(_ flag: inout Bool) throws {
        var number: Int64 = flag ? 1 : 0
        try value(&number)
        guard (0...1).contains(number) else { throw refusal("\(number) is not 0 or 1") }
        flag = flag && number == 1
    }

    /// The number of an element that was visited before; `numbers` has the numbers of the elements visited so far.
    public mutating func number(_ number: inout Int, among numbers: [Int]) throws {
        var place = Int64(number)
        try value(&place)
        guard isReading else { return }
        guard numbers.indices.contains(Int(place)) else { throw refusal("there is no group \(place)") }
        number = numbers[Int(place)]
    }

    /// The code of a text; `nil` for none.
    public mutating func textCode(_ code: inout Int?) throws {
        var number = code.map(Int64.init) ?? -1
        try textCode(&number)
        code = number < 0 ? nil : Int(number)
    }

    /// A currency; `nil` if it is not known.
    public mutating func currency(_ currency: inout CurrencyCode?) throws {
        var packed = currency.map { Int64($0.packed) }
        try value(&packed)
        guard let packed else {
            currency = nil
            return
        }
        let code = CurrencyCode(packed: UInt32(truncatingIfNeeded: packed))
        if readsFile, Int64(code.packed) != packed || CurrencyCode(code.description) != code {
            throw refusal("\(packed) is not a currency")
        }
        currency = code
    }

    /// The code of a unit of time in a calendar, or ``GroupCode/unknown``.
    ///
    /// Codes in a file of instants near the limits of 64 bits are refused, because computations with them may overflow.
    public mutating func timeCode(_ code: inout Int64, of unit: CalendarUnit) throws {
        try value(&code)
        guard readsFile, code != GroupCode.unknown else { return }
        let limit = BookingCalendar.usual.code(of: Timestamp(milliseconds: .max / 2), by: unit)
        guard -limit...limit ~= code else { throw refusal("\(code) is not a \(unit.rawValue) of any calendar") }
    }

    /// The code of a unit of time; `nil` if there is none.
    public mutating func timeCode(_ code: inout Int64?, of unit: CalendarUnit) throws {
        var known = code ?? GroupCode.unknown
        try timeCode(&known, of: unit)
        code = known == GroupCode.unknown ? nil : known
    }

    /// The code of a key of a group.
    public mutating func code(_ code: inout Int64, of key: GroupKey) throws {
        if let unit = key.unit { return try timeCode(&code, of: unit) }
        switch key {
        case .currency:
            var currency = code == GroupCode.unknown ? nil : CurrencyCode(packed: UInt32(truncatingIfNeeded: code))
            try self.currency(&currency)
            code = currency.map { Int64($0.packed) } ?? GroupCode.unknown
        case .saleKind:
            try value(&code)
            guard SaleKind.allCases.indices.contains(Int(code)) else { throw refusal("\(code) is not a kind of sale") }
        case .month, .week, .day, .hour, .productID, .productType, .storefront, .bundleID, .appVersion, .osVersion,
            .underlyingCode, .environment:
            var text: Int? = code == GroupCode.unknown ? nil : Int(code)
            try textCode(&text)
            code = text.map(Int64.init) ?? GroupCode.unknown
        }
    }
}
