/// A transaction id or the like as one word.
///
/// Apple's ids are decimal numbers of up to 18 digits, kept as text because their meaning is that of a name. A text
/// that is a decimal number below 2⁶³ without leading zeros *is* its number here; any other text is -1 - its code in
/// the dictionary that the cell belongs to. Both ways the text comes back exactly as it was.
@frozen
public struct Identifier: Hashable, Sendable {
    public var word: Int64

    @inlinable
    public init(word: Int64) {
        self.word = word
    }

    @inlinable
    public init(number: Int64) {
        word = number
    }

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

    private static func number(_ text: RawSpan) -> Int64? {
        guard (1...19).contains(text.byteCount) else { return nil }
        var value: Int64 = 0
        for index in 0..<text.byteCount {
            let digit = text.unsafeLoad(fromByteOffset: index, as: UInt8.self) &- 0x30
            guard digit < 10, index == 0 || value > 0 else { return nil }
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, over) = product.addingReportingOverflow(Int64(digit))
            guard !tooLarge, !over else { return nil }
            value = sum
        }
        return value
    }

    public func text(in dictionary: TextDictionary) -> String {
        code.map(dictionary.text(of:)) ?? String(word)
    }

    /// Orders ids by length, then by text (DESIGN: the tie-break between copies of one sale).
    public func precedes(_ other: Identifier, in dictionary: TextDictionary) -> Bool {
        if word >= 0, other.word >= 0 { return word < other.word }
        let (mine, theirs) = (text(in: dictionary), other.text(in: dictionary))
        if mine.utf8.count != theirs.utf8.count { return mine.utf8.count < theirs.utf8.count }
        return mine.utf8.lexicographicallyPrecedes(theirs.utf8)
    }
}
