extension Framer {
    /// Where the DER or BER element at `start` ends: where its length says, or, where that is indefinite, at the end of
    /// contents that belongs to it (X.690 §8.1.5). Of bytes that are no BER all the rest is taken.
    ///
    ///     30 80  06 09 …  A0 80  30 80 … 00 00  00 00  00 00
    ///
    /// - Returns: `nil` where the element is not complete and more may come.
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

/// Walks over the headers of an element of DER or BER, and of those inside it where its length is indefinite.
struct BERWalk {
    enum Step {
        /// The header goes on.
        case header
        /// It is over, and so many octets of contents follow that need no look.
        case contents(Int)
        /// This is no BER, or none that is read here.
        case broken
    }

    /// Elements of indefinite length inside one another that are walked; a receipt has eight.
    private static let indefiniteDepth = 32

    // Of the header at hand: its octets so far, its tag, and its length, of which so many octets are to come.
    private var octetCount = 0
    private var tag: UInt8 = 0
    private var length = 0
    private var lengthOctets = 0
    private var depth = 0

    /// Whether the element ends with the contents that were given last.
    var isOver: Bool { depth == 0 && octetCount == 0 }

    /// Takes the next octet that is not of contents.
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
