/// The data of a page for its statistics.
enum PageBounds {
    /// It has no values.
    case none
    case numbers(Int64, Int64)
    case texts(smallest: TextBound, largest: TextBound)
    /// The codes of the chunk's dictionary in the page, bit by code; their order is known when the chunk is complete.
    case codes([UInt64])
}

/// A bound of texts, cut to ``ParquetOptions/boundLength`` bytes, so it need not be a value.
struct TextBound: Hashable, Sendable {
    var bytes: [UInt8]
    var isExact: Bool

    /// A text no larger than `text`, cut between two characters.
    static func lower(_ text: UnsafeRawBufferPointer) -> TextBound {
        guard text.count > ParquetOptions.boundLength else { return TextBound(bytes: Array(text), isExact: true) }
        return TextBound(bytes: Array(text[..<cut(text)]), isExact: false)
    }

    /// A text no smaller than `text`: its last character with a successor is replaced by it; `nil` if none has one.
    static func upper(_ text: UnsafeRawBufferPointer) -> TextBound? {
        guard text.count > ParquetOptions.boundLength else { return TextBound(bytes: Array(text), isExact: true) }
        var scalars = Array(String(decoding: text[..<cut(text)], as: UTF8.self).unicodeScalars)
        while let last = scalars.popLast() {
            // The scalars before and after the surrogates follow one another.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let successor = Unicode.Scalar(next) else { continue }
            scalars.append(successor)
            var bytes: [UInt8] = []
            for scalar in scalars { bytes += Array(String(scalar).utf8) }
            return TextBound(bytes: bytes, isExact: false)
        }
        return nil
    }

    /// The start of a character at ``ParquetOptions/boundLength``, or up to three bytes before.
    private static func cut(_ text: UnsafeRawBufferPointer) -> Int {
        var end = ParquetOptions.boundLength
        while end > ParquetOptions.boundLength - 4, text[end] & 0xC0 == 0x80 { end -= 1 }
        return end
    }
}

/// One page, ready to be written.
struct EncodedPage {
    /// The header and the content of the page.
    var bytes: [UInt8]
    /// The header and the page before compression.
    var uncompressedSize: Int
    var encoding: Encoding
    var rowCount: Int
    var nullCount: Int
    var bounds: PageBounds
}
