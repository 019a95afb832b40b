extension Framer {
    /// Elements of indefinite length inside one another that are walked; a receipt has eight.
    private static let indefiniteDepth = 32

    /// Where the DER or BER element at `start` ends: where its length says, or, where that is indefinite, at the end of
    /// contents that belongs to it (X.690 §8.1.5). Of bytes that are no BER all the rest is taken.
    ///
    ///     30 80  06 09 …  A0 80  30 80 … 00 00  00 00  00 00
    ///
    /// - Returns: `nil` where the element is not complete and more may come.
    public static func endOfDER(in bytes: RawSpan, at start: Int, limit: Int, isFinal: Bool) -> Int? {
        var position = start
        var depth = 0
        repeat {
            // The longest header: a tag, and a length of four octets behind their number.
            guard position + 2 <= limit else { return isFinal ? limit : nil }
            let (tag, first) = (bytes.byte(position), bytes.byte(position + 1))
            if depth > 0, tag == 0, first == 0 {
                depth -= 1
                position += 2
                continue
            }
            if first == 0x80 {
                guard depth < indefiniteDepth, tag & 0x20 != 0 else { return isFinal ? limit : nil }
                depth += 1
                position += 2
                continue
            }
            let width = first & 0x80 == 0 ? 0 : Int(first & 0x7F)
            guard width <= 4, position + 2 + width <= limit else { return isFinal ? limit : nil }
            let length =
                width == 0 ? Int(first) : (0..<width).reduce(0) { $0 << 8 | Int(bytes.byte(position + 2 + $1)) }
            position += 2 + width + length
            guard position <= limit else { return isFinal ? limit : nil }
        } while depth > 0
        return position
    }
}
