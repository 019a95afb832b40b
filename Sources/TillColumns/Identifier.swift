/// A transaction id or the like as one word.
///
/// Apple's ids are decimal numbers of up to 18 digits, kept as text because they are names, not quantities. A text that
/// is a decimal number below 2⁶³ without leading zeros *is* its number here; any other text is -1 - its code in the
/// dictionary that the cell belongs to. In both cases the original text can be restored exactly.
@frozen
public struct Identifier: Hashable, Sendable {
    /// The number, or -1 - the code of the text.
    public var word: Int64

    /// Makes an identifier of its word.
    @inlinable
    public init(word: Int64) {
        self.word = word
    }

    /// Makes an identifier that is a number.
    @inlinable
    public init(number: Int64) {
        word = number
    }

    /// Makes an identifier of the code of a text.
    @inlinable
    public init(code: Int) {
        word = -1 - Int64(code)
    }

    /// The code in the dictionary, unless the identifier is a number.
    @inlinable
    public var code: Int? { word < 0 ? Int(-1 - word) : nil }

    /// Reads any text, adding it to `dictionary` if it is not a plain number.
    public init(_ text: RawSpan, in dictionary: inout TextDictionary) {
        if let number = Self.number(text) {
            self.init(number: number)
        } else {
            self.init(code: dictionary.code(for: text))
        }
    }

    /// The number that a text is: digits without leading zeros, below 2⁶³; `nil` for any other text.
    public static func number(_ text: RawSpan) -> Int64? {
        func byte(_ index: Int) -> UInt8 { text.unsafeLoad(fromByteOffset: index, as: UInt8.self) }
        let count = text.byteCount
        guard (1...19).contains(count), byte(0) != 0x30 || count == 1 else { return nil }
        guard (8...18).contains(count) else { return numberByDigits(text) }
        // Digits beyond whole words come first: as the last digits of a word that begins with zeros.
        let front = UInt64(count & 7)
        var value: Int64 = 0
        var index = 0
        if front > 0 {
            let digits = word(text, 0) << (64 - 8 * front) | 0x3030_3030_3030_3030 >> (8 * front)
            guard let number = number(ofEight: digits) else { return nil }
            value = number
            index = Int(front)
        }
        while index < count {
            guard let number = number(ofEight: word(text, index)) else { return nil }
            value = value * 100_000_000 + number
            index += 8
        }
        return value
    }

    private static func word(_ text: RawSpan, _ index: Int) -> UInt64 {
        UInt64(littleEndian: text.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// The number that eight digits are, the first of them lowest in the word: pairs of digits are joined, then pairs
    /// of pairs, then both halves.
    private static func number(ofEight digits: UInt64) -> Int64? {
        let values = digits ^ 0x3030_3030_3030_3030
        guard (values | (values &+ 0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080 == 0 else { return nil }
        let pairs = (values &* 10 &+ values >> 8) & 0x00FF_00FF_00FF_00FF
        let fours = (pairs &* 100 &+ pairs >> 16) & 0x0000_FFFF_0000_FFFF
        return Int64((fours &* 10_000 &+ fours >> 32) & 0xFFFF_FFFF)
    }

    private static func numberByDigits(_ text: RawSpan) -> Int64? {
        var value: Int64 = 0
        for index in 0..<text.byteCount {
            let digit = text.unsafeLoad(fromByteOffset: index, as: UInt8.self) &- 0x30
            guard digit < 10 else { return nil }
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, over) = product.addingReportingOverflow(Int64(digit))
            guard !tooLarge, !over else { return nil }
            value = sum
        }
        return value
    }

    /// The text of the identifier.
    public func text(in dictionary: TextDictionary) -> String {
        code.map(dictionary.text(of:)) ?? String(word)
    }

    /// Orders ids by length, then by text (the tie-break between duplicates).
    public func precedes(_ other: Identifier, in dictionary: TextDictionary) -> Bool {
        if word >= 0, other.word >= 0 { return word < other.word }
        return Self.precedes(text(in: dictionary), other.text(in: dictionary))
    }

    /// The same order for ids as text: by length, then bytewise.
    public static func precedes(_ left: String, _ right: String) -> Bool {
        let counts = (left.utf8.count, right.utf8.count)
        return counts.0 != counts.1 ? counts.0 < counts.1 : left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
