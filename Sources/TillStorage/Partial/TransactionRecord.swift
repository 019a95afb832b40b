import TillColumns
import TillCore
import TillLedger

/// One transaction as a partial has it.
///
///     presence │ answers u8 │ marks │ number of the shared values │ then the values of the presence's bits
///
/// The table of attributes has the bit of each value, and the base of its difference: ids, line items and purchases
/// from the row before in the block, the original from the id, other dates from the purchase. Most differences are
/// small.
struct TransactionRecord {
    var values: TransactionValues
    var shared: UInt32

    /// Values of the row before.
    struct Previous {
        fileprivate var numbers = Array(repeating: Int64(0), count: NumberAttribute.allCases.count)
    }

    init(_ values: TransactionValues, shared: UInt32) {
        self.values = values
        self.shared = shared
    }

    /// The meaning of a bit of the presence.
    private enum Field {
        case identifier(NumberAttribute, from: AttributeEncoding.Base)
        case number(NumberAttribute, from: AttributeEncoding.Base)
        case text(CodeAttribute)
        case code(CodeAttribute)
        case cancellation, spreads, account, observed
    }

    private static let cancellationBit = 8
    private static let spreadsBit = 16
    private static let accountBit = 17
    private static let observedBit = 21

    /// By bit.
    private static let fields: [Field] = {
        var fields: [Int: Field] = [
            cancellationBit: .cancellation, spreadsBit: .spreads, accountBit: .account, observedBit: .observed,
        ]
        for attribute in NumberAttribute.allCases {
            switch attribute.definition.encoding {
            case .identifier(let bit, let base): fields[bit] = .identifier(attribute, from: base)
            case .number(let bit, let base): fields[bit] = .number(attribute, from: base)
            case .text, .code, .shared: break
            }
        }
        for attribute in CodeAttribute.allCases {
            switch attribute.definition.encoding {
            case .text(let bit): fields[bit] = .text(attribute)
            case .code(let bit): fields[bit] = .code(attribute)
            case .identifier, .number, .shared: break
            }
        }
        return fields.sorted { $0.key < $1.key }.map(\.value)
    }()

    /// Attributes with their bits.
    private static let numberBits = NumberAttribute.allCases.map { ($0, $0.definition.encoding.bit ?? 0) }
    private static let codeBits = CodeAttribute.allCases.compactMap { attribute in
        attribute.definition.encoding.bit.map { (attribute, $0) }
    }

    /// The value from which a difference is taken.
    private func base(_ base: AttributeEncoding.Base, of attribute: NumberAttribute, _ previous: Previous) -> Int64 {
        switch base {
        case .zero: return 0
        case .rowBefore: return previous.numbers[attribute.rawValue]
        case .identifier:
            let identifier = values[.identifier]
            return identifier == TransactionEntry.unknown ? 0 : identifier
        case .purchase: return previous.numbers[NumberAttribute.purchaseDate.rawValue]
        }
    }
}

// MARK: - Writing

extension TransactionRecord {
    func write(to writer: inout PartialWriter, after previous: inout Previous, withAccount: Bool) {
        var rest = presence(withAccount: withAccount)
        writer.write(number: rest)
        writer.write(byte: values.answers.rawValue)
        writer.write(number: UInt64(values.marks.rawValue))
        writer.write(number: UInt64(shared))
        while rest != 0 {
            write(Self.fields[rest.trailingZeroBitCount], to: &writer, after: &previous)
            rest &= rest - 1
        }
    }

    private func write(_ field: Field, to writer: inout PartialWriter, after previous: inout Previous) {
        switch field {
        case .identifier(let attribute, let base), .number(let attribute, let base):
            writer.write(difference: values[attribute] &- self.base(base, of: attribute, previous))
            previous.numbers[attribute.rawValue] = values[attribute]
        case .text(let attribute): writer.write(code: values[attribute])
        case .code(let attribute): writer.write(number: UInt64(values[attribute]))
        case .cancellation:
            write(values.rare.cancellation, to: &writer, since: base(.purchase, of: .purchaseDate, previous))
        case .spreads:
            for date in RareValues.spreadDates {
                writer.write(number: UInt64(values.rare[spreadOf: date].below))
                writer.write(number: UInt64(values.rare[spreadOf: date].above))
            }
        case .account: writer.write(word: values.account)
        case .observed: writer.write(difference: values.observed &- base(.purchase, of: .purchaseDate, previous))
        }
    }

    /// The percentage plus one, doubled, plus 1 if there are several; then, without and with the percentage, the reason
    /// plus two, or 0 for no cancellation, the earliest date, and the time from it to the latest.
    private func write(_ cancellation: Cancellation, to writer: inout PartialWriter, since base: Int64) {
        writer.write(number: UInt64(cancellation.percentage + 1) << 1 | (cancellation.hasSeveralPercentages ? 1 : 0))
        for statements in [cancellation.plain, cancellation.partial] {
            writer.write(number: statements.isEmpty ? 0 : UInt64(Int64(statements.reason) + 2))
            guard !statements.isEmpty else { continue }
            writer.write(difference: statements.earliest &- base)
            writer.write(number: UInt64(bitPattern: statements.latest &- statements.earliest))
        }
    }

    private func presence(withAccount: Bool) -> UInt64 {
        var presence: UInt64 = 0
        for (attribute, bit) in Self.numberBits where values[attribute] != TransactionEntry.unknown {
            presence |= 1 << UInt64(bit)
        }
        for (attribute, bit) in Self.codeBits where values[attribute] >= 0 { presence |= 1 << UInt64(bit) }
        if values.rare.cancellation != .none { presence |= 1 << UInt64(Self.cancellationBit) }
        if RareValues.spreadDates.contains(where: { !values.rare[spreadOf: $0].isEmpty }) {
            presence |= 1 << UInt64(Self.spreadsBit)
        }
        if values.observed != TransactionEntry.unknown { presence |= 1 << UInt64(Self.observedBit) }
        if withAccount, values.account != 0 { presence |= 1 << UInt64(Self.accountBit) }
        return presence
    }
}

// MARK: - Reading

extension TransactionRecord {
    /// Reads a record that ``write(to:after:withAccount:)`` has written.
    ///
    /// - Parameters:
    ///   - textCount: the number of texts of the partial.
    ///   - sharedCount: the number of shared values of the partial.
    init(
        from cursor: inout PartialCursor,
        after previous: inout Previous,
        textCount: Int,
        sharedCount: Int,
        withAccount: Bool
    ) throws(Finding) {
        let start = cursor.offset
        var rest = try cursor.number()
        guard rest < 1 << UInt64(Self.fields.count), withAccount || rest >> UInt64(Self.accountBit) & 1 == 0 else {
            throw Finding("partial.value", at: start, "a transaction has values of an unknown kind")
        }
        values = TransactionValues()
        values.answers = TransactionAnswers(rawValue: try cursor.byte())
        let marks = try cursor.number()
        let shared = try cursor.number()
        guard !values.hasSeveralRanks, marks <= UInt64(UInt16.max), shared < UInt64(sharedCount) else {
            throw Finding(
                "partial.value",
                at: start,
                "unknown marks or trust, or shared values number \(shared) of \(sharedCount)"
            )
        }
        values.marks = TransactionMarks(rawValue: UInt16(marks))
        self.shared = UInt32(shared)
        while rest != 0 {
            try read(Self.fields[rest.trailingZeroBitCount], from: &cursor, after: &previous, textCount)
            rest &= rest - 1
        }
        guard values.isAlone || values.isNamed else {
            throw Finding("partial.value", at: start, "a transaction without an id is to be joined with others")
        }
    }

    private mutating func read(
        _ field: Field,
        from cursor: inout PartialCursor,
        after previous: inout Previous,
        _ textCount: Int
    ) throws(Finding) {
        switch field {
        case .identifier(let attribute, let base):
            let base = self.base(base, of: attribute, previous)
            values[attribute] = try Self.identifier(&cursor, since: base, textCount)
            previous.numbers[attribute.rawValue] = values[attribute]
        case .number(let attribute, let base):
            values[attribute] = try Self.known(&cursor, since: self.base(base, of: attribute, previous))
            previous.numbers[attribute.rawValue] = values[attribute]
        case .text(let attribute): values[attribute] = try cursor.code(below: textCount)
        case .code(let attribute):
            values[attribute] = Int32(try Self.number(&cursor, atMost: UInt64(Int32.max)))
        case .cancellation:
            values.rare.cancellation = try Self.cancellation(
                &cursor,
                since: base(.purchase, of: .purchaseDate, previous)
            )
        case .spreads:
            for date in RareValues.spreadDates {
                let most = UInt64(date.tolerance)
                let below = UInt32(try Self.number(&cursor, atMost: most))
                values.rare[spreadOf: date] = InstantSpread(
                    below: below,
                    above: UInt32(try Self.number(&cursor, atMost: most))
                )
            }
        case .account: values.account = try cursor.word(as: UInt64.self)
        case .observed:
            values.observed = try Self.known(&cursor, since: base(.purchase, of: .purchaseDate, previous))
        }
    }

    private static func cancellation(_ cursor: inout PartialCursor, since base: Int64) throws(Finding) -> Cancellation {
        var cancellation = Cancellation()
        let start = cursor.offset
        let shares = try number(&cursor, atMost: UInt64(Cancellation.wholePercentage + 1) << 1 | 1)
        (cancellation.percentage, cancellation.hasSeveralPercentages) = (Int32(shares >> 1) - 1, shares & 1 == 1)
        cancellation.plain = try statements(&cursor, since: base)
        cancellation.partial = try statements(&cursor, since: base)
        guard cancellation.partial.isEmpty == (cancellation.percentage < 0) else {
            throw Finding(
                "partial.value",
                at: start,
                "a refund has a percentage without a date, or a date without its percentage"
            )
        }
        return cancellation
    }

    private static func statements(
        _ cursor: inout PartialCursor,
        since base: Int64
    ) throws(Finding) -> Cancellation.Statements {
        let reason = Int64(try number(&cursor, atMost: UInt64(Int32.max) + 2)) - 2
        guard reason > -2 else { return Cancellation.Statements() }
        let earliest = try known(&cursor, since: base)
        let start = cursor.offset
        let latest = earliest &+ Int64(bitPattern: try cursor.number())
        guard latest >= earliest else {
            throw Finding("partial.value", at: start, "the last refund is before the first")
        }
        return Cancellation.Statements(earliest: earliest, latest: latest, reason: Int32(reason))
    }

    private static func number(_ cursor: inout PartialCursor, atMost most: UInt64) throws(Finding) -> UInt64 {
        let start = cursor.offset
        let number = try cursor.number()
        guard number <= most else { throw Finding("partial.value", at: start, "\(number) is more than \(most)") }
        return number
    }

    /// A number that is known.
    private static func known(_ cursor: inout PartialCursor, since base: Int64) throws(Finding) -> Int64 {
        let start = cursor.offset
        let value = base &+ (try cursor.difference())
        guard value != TransactionEntry.unknown else {
            throw Finding("partial.value", at: start, "a value is the placeholder of an absent value")
        }
        return value
    }

    private static func identifier(
        _ cursor: inout PartialCursor,
        since base: Int64,
        _ textCount: Int
    ) throws(Finding) -> Int64 {
        let start = cursor.offset
        let word = try known(&cursor, since: base)
        if let code = Identifier(word: word).code, code >= textCount {
            throw Finding("partial.value", at: start, "an id names a text that is not there")
        }
        return word
    }
}
