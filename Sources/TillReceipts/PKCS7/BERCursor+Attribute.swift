/// How the type of an attribute is written where it stands.
enum AttributePlace {
    /// In the receipt: one octet, 0…127.
    case receipt
    /// In a purchase: two octets, of which the first is 6: 1536…1791.
    case purchase
}

/// The parsed parts of a `SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`.
///
/// Filled in place: one that is returned is copied by a call for each attribute.
struct FoundAttribute {
    var type: Int64 = -1
    var value = BERElement(tag: 0, start: 0, content: 0..<0)
}

extension BERCursor {
    /// Reads an attribute of one of the forms that nearly all have by comparing its head as a whole; `false`, and
    /// nothing is read, where it has another.
    ///
    ///     30 LL        02 01 TT     02 01 VV  04 NN        …        in the receipt
    ///     30 82 LL LL  02 01 TT     02 01 VV  04 82 NN NN  …        in the receipt, around a purchase
    ///     30 LL        02 02 06 TT  02 01 VV  04 NN        …        in a purchase
    ///
    /// The lengths must agree with each other and with the enclosing element. Parsing element by element gives the same
    /// result for such attributes; errors are found only there.
    @inline(__always)
    @_lifetime(self: copy self)
    mutating func takeUsual(_ attribute: inout FoundAttribute, of place: AttributePlace) -> Bool {
        guard end &- position >= 11 else { return false }
        let head = bytes.word(position)
        switch place {
        case .receipt:
            // From its third byte: 02 01 TT 02 01 VV 04 NN, as a word with the first byte lowest.
            let word = bytes.word(position &+ 2)
            if word & 0x00FF_00FF_FF80_FFFF == 0x0004_0001_0200_0102 {
                let length = word >> 56
                guard head & 0x80FF == 0x30, head >> 8 & 0xFF == 8 &+ length else { return false }
                return take(&attribute, Int64(word >> 16 & 0xFF), valueAt: 8, contentAt: 10, length)
            }
            guard end &- position >= 14 else { return false }
            // From its seventh byte: TT 02 01 VV 04 82 NN NN.
            let rest = bytes.word(position &+ 6)
            let (whole, length) = (bigEndian(head >> 16), bigEndian(rest >> 48))
            guard head & 0xFF80_FFFF_0000_FFFF == 0x0200_0102_0000_8230,
                rest & 0x0000_FFFF_00FF_FF00 == 0x0000_8204_0001_0200, whole == 10 &+ length
            else { return false }
            return take(&attribute, Int64(rest & 0xFF), valueAt: 10, contentAt: 14, length)
        case .purchase:
            // From its fourth byte: 02 06 TT 02 01 VV 04 NN.
            let word = bytes.word(position &+ 3)
            let length = word >> 56
            guard word & 0x00FF_00FF_FF00_FFFF == 0x0004_0001_0200_0602, head & 0xFF_80FF == 0x02_0030,
                head >> 8 & 0xFF == 9 &+ length
            else { return false }
            return take(&attribute, Int64(0x600 | word >> 16 & 0xFF), valueAt: 9, contentAt: 11, length)
        }
    }

    /// The two lowest bytes of `word` as a number that was written with its high octet first.
    private func bigEndian(_ word: UInt64) -> UInt64 {
        UInt64(UInt16(truncatingIfNeeded: word).byteSwapped)
    }

    /// Moves past the attribute, unless it ends behind what holds it.
    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func take(
        _ attribute: inout FoundAttribute,
        _ type: Int64,
        valueAt distance: Int,
        contentAt contentDistance: Int,
        _ length: UInt64
    ) -> Bool {
        let start = position &+ distance
        let content = position &+ contentDistance
        let next = content &+ Int(length)
        guard next <= end else { return false }
        position = next
        attribute.type = type
        attribute.value = BERElement(tag: 0x04, start: start, content: content..<next)
        return true
    }
}

extension RawSpan {
    /// The eight bytes from `index` on, the first of them lowest.
    fileprivate func word(_ index: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }
}
