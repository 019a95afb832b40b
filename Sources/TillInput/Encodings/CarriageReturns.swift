/// Makes line feeds of the carriage returns by which the lines of a source end.
///
/// Excel for Mac and old programs end lines so. A source that has a line feed among its first bytes is left as it is,
/// and so is one that is no text.
struct CarriageReturns {
    /// Bytes at the beginning of a source that tell how its lines end.
    private static let headCount = 64 << 10

    private var endsLines: Bool?

    /// Whether the bytes of the source are known to stay as they are.
    var leavesBytes: Bool { endsLines == false }

    /// Rewrites the next bytes of the source. Their number stays.
    mutating func rewrite(_ bytes: UnsafeMutableRawBufferPointer) {
        if endsLines == nil, !bytes.isEmpty { endsLines = Self.endLines(of: bytes) }
        guard endsLines == true else { return }
        for index in bytes.indices where bytes[index] == 0x0D {
            let isCRLF = index + 1 < bytes.count && bytes[index + 1] == 0x0A
            if !isCRLF { bytes[index] = 0x0A }
        }
    }

    private static func endLines(of bytes: UnsafeMutableRawBufferPointer) -> Bool {
        let head = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes).prefix(headCount))
        guard head.bytes.firstIndex(of: 0x0A, from: 0, to: head.count) == nil else { return false }
        // The last byte may be the first half of a CRLF.
        return head.bytes.firstIndex(of: 0x0D, from: 0, to: head.count - 1) != nil && head.allSatisfy(\.isOfText)
    }
}

extension UInt8 {
    /// Whether it is a byte of text in UTF-8, of which controls are none but white space.
    fileprivate var isOfText: Bool { self >= 0x20 || (0x09...0x0D).contains(self) }
}
