/// A number of bytes as users write it.
///
///     size  number [ ( K | M | G ) [ i ] ] [ B ]        powers of 1024; in any case: 512K, 256MiB, 1g, 4096
public struct ByteSize: Hashable, Sendable {
    /// The size in bytes, at least 1.
    public let bytes: Int

    /// `nil` if the text is no size, or one of 0 or of more than 63 bits.
    public init?(_ text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), number > 0 else { return nil }
        let shift: Int
        switch text.dropFirst(digits.count).lowercased() {
        case "", "b": shift = 0
        case "k", "kb", "kib", "ki": shift = 10
        case "m", "mb", "mib", "mi": shift = 20
        case "g", "gb", "gib", "gi": shift = 30
        default: return nil
        }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << shift)
        guard !overflow else { return nil }
        self.bytes = bytes
    }
}
