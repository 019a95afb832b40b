extension Framer {
    /// Where DER or BER ends, and the zeros behind it that fill up a block or end a string of C (receipt-asn1.md, §7).
    ///
    /// - Returns: `nil` where the end, or the byte behind it, is not among the bytes yet.
    public static func endOfPaddedDER(in bytes: RawSpan, at start: Int, limit: Int, isFinal: Bool) -> Int? {
        guard var end = endOfDER(in: bytes, at: start, limit: limit, isFinal: isFinal) else { return nil }
        while end < limit, bytes.byte(end) == 0 { end += 1 }
        return end == limit && !isFinal ? nil : end
    }

    /// Where the DER or BER element at `start` ends: after its definite length (X.690 §8.1.3), or after its
    /// end-of-contents octets where its length is indefinite (§8.1.5). If the bytes are not BER, the element ends with
    /// the input.
    ///
    ///     30 80  06 09 …  A0 80  30 80 … 00 00  00 00  00 00
    ///
    /// - Returns: `nil` where the element is not complete or is not BER, and more bytes may come.
    public static func endOfDER(in bytes: RawSpan, at start: Int, limit: Int, isFinal: Bool) -> Int? {
        var walk = BERWalk()
        var position = start
        while position < limit {
            let step = walk.take(bytes.byte(position))
            position += 1
            switch step {
            case .header: continue
            case .contents(let count):
                position += count
                guard position <= limit else { return isFinal ? limit : nil }
                if walk.isOver { return position }
            case .broken: return isFinal ? limit : nil
            }
        }
        return isFinal ? limit : nil
    }
}

/// Reads the headers of a BER element, and those of the elements inside it where its length is indefinite.
struct BERWalk {
    enum Step {
        /// The header needs more octets.
        case header
        /// The header is complete. This many octets of contents follow, which the caller skips.
        case contents(Int)
        /// This is not BER, or its length has more than four octets, or it is nested too deeply.
        case broken
    }

    /// Elements of indefinite length inside one another. A receipt has eight.
    private static let indefiniteDepth = 32

    // The current header.
    /// Octets that were read.
    private var octetCount = 0
    private var tag: UInt8 = 0
    private var length = 0
    /// Octets that encode the length, its first octet not counted.
    private var lengthOctets = 0
    /// Elements of indefinite length that are open.
    private var depth = 0

    /// Whether the whole element ends with the last contents.
    var isOver: Bool { depth == 0 && octetCount == 0 }

    /// Takes the next octet, which must belong to a header.
    mutating func take(_ octet: UInt8) -> Step {
        octetCount += 1
        switch octetCount {
        case 1:
            tag = octet
            return .header
        case 2:
            if depth > 0, tag == 0, octet == 0 {
                depth -= 1
                return contents(0)
            }
            if octet == 0x80 {
                guard depth < Self.indefiniteDepth, tag & 0x20 != 0 else { return .broken }
                depth += 1
                return contents(0)
            }
            guard octet & 0x80 != 0 else { return contents(Int(octet)) }
            (length, lengthOctets) = (0, Int(octet & 0x7F))
            return lengthOctets <= 4 ? .header : .broken
        default:
            length = length << 8 | Int(octet)
            return octetCount == 2 + lengthOctets ? contents(length) : .header
        }
    }

    private mutating func contents(_ count: Int) -> Step {
        octetCount = 0
        return .contents(count)
    }
}
