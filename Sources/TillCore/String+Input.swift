/// Texts of the input.
///
/// Swift compares, hashes and sorts strings by their normal form. For that, it sorts the combining marks of each character,
/// which takes time in the square of their number. Where a text of the input becomes a `String`, it is therefore put
/// into the stream-safe format of Unicode (UAX #15, §13): U+034F COMBINING GRAPHEME JOINER follows each 30 marks in a
/// row. No writing needs so many, and such a text is one of an attacker.
extension String {
    /// The most combining marks in a row.
    private static let mostMarks = 30

    /// The text of bytes, in the stream-safe format; bytes that are not UTF-8 are replaced.
    @inlinable
    public init(input bytes: some Collection<UInt8>) {
        self = String(decoding: bytes, as: UTF8.self).streamSafe
    }

    /// The text of bytes, in the stream-safe format; `nil` if they are not UTF-8.
    @inlinable
    public init?(validInput bytes: some Sequence<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        self = text.streamSafe
    }

    /// The text with a joiner after each 30 combining marks in a row; nearly every text is returned as it is.
    public var streamSafe: String {
        guard mayHaveManyMarks else { return self }
        var (safe, marks) = ([UInt8](), 0)
        for scalar in unicodeScalars {
            marks = scalar.value < 0x300 || scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
            if marks > Self.mostMarks {
                safe += "\u{34F}".utf8
                marks = 1
            }
            safe += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
        }
        return String(decoding: safe, as: UTF8.self)
    }

    /// Whether there are so many bytes above ASCII in a row as more than ``mostMarks`` combining marks have.
    private var mayHaveManyMarks: Bool {
        guard utf8.count > 2 * Self.mostMarks else { return false }
        var run = 0
        for byte in utf8 {
            run = byte < 0x80 ? 0 : run + 1
            if run > 2 * Self.mostMarks { return true }
        }
        return false
    }
}
