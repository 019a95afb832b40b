import TillCore
import TillInput

/// An error code as wrappers around StoreKit hand it to JavaScript: `E`, the domain in capitals, the code (quirk 72).
///
///     ESKERRORDOMAIN0    ENSURLERRORDOMAIN-999    ESSSERVERERRORDOMAIN5020
public struct WrappedErrorCode: Hashable, Sendable {
    /// The domain as Apple spells it, if it is a known one.
    public var domain: String
    /// The number behind the domain; it may be negative.
    public var code: Int64
    /// One past its last byte.
    public var end: Int

    private static let mark = Array("DOMAIN".utf8)

    /// The first such word in the first `limit` bytes of a text.
    public static func find(in text: RawSpan, to limit: Int) -> WrappedErrorCode? {
        var index = 0
        while let found = text.firstIndex(of: mark, from: index, to: limit) {
            index = found + mark.count
            guard let number = text.integer(at: index) else { continue }
            var start = found
            while start > 0, isWordByte(text.byte(start - 1)) { start -= 1 }
            guard start < found, text.byte(start) == 0x45, start == 0 || !text.byte(start - 1).isLetterOrDigit,
                number.end == text.byteCount || !text.byte(number.end).isLetterOrDigit
            else { continue }
            let domain = text.text(start + 1..<index)
            return WrappedErrorCode(
                domain: FailureCatalogue.domain(inCapitals: domain) ?? domain,
                code: number.value,
                end: number.end
            )
        }
        return nil
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || byte == 0x2E
    }
}

extension UInt8 {
    var isDigit: Bool { (0x30...0x39).contains(self) }

    var isLetterOrDigit: Bool {
        isDigit || (0x61...0x7A).contains(self | 0x20) || self >= 0x80
    }
}
