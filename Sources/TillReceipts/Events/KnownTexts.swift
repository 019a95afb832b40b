import TillColumns
import TillJSON

/// Codes of texts of a few columns that were met before in a batch, a text for each slot of a column.
///
///     key    [ · | 5.2.0 | · | 18.4 | … ]     the last seven bytes and how many there are; 0 is an empty slot
///     code   [ · |  31   | · |  32  | … ]
///
/// Versions, storefronts and products come again and again. A key of up to seven bytes is the text itself, which needs
/// no look-up in the dictionary; of a longer text the bytes are compared.
struct KnownTexts {
    private var slots: [(key: UInt64, code: Int32)]

    /// Slots of a column.
    private static let slotCount = 256
    private static let longestKey = 7

    init(columns: Int) {
        slots = Array(repeating: (0, 0), count: columns * Self.slotCount)
    }

    /// Forgets all texts, since the dictionary did.
    mutating func removeAll() {
        for slot in slots.indices { slots[slot].key = 0 }
    }

    /// The code of a text of at least one byte, which is entered in the dictionary if it is new.
    mutating func code(of text: RawSpan, column: Int, in dictionary: inout TextDictionary) -> Int64 {
        let key = Self.key(of: text)
        let slot = column &* Self.slotCount &+ Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> 56)
        let known = slots[slot]
        if known.key == key {
            let code = Int(known.code)
            if text.byteCount <= Self.longestKey || dictionary.isText(text, of: code) { return Int64(code) }
        }
        let code = dictionary.code(for: text)
        slots[slot] = (key, Int32(code))
        return Int64(code)
    }

    /// The last bytes of a text, at most seven, below how many it has, modulo 256 and never 0 for a short one.
    @inline(__always)
    private static func key(of text: RawSpan) -> UInt64 {
        let count = text.byteCount
        let high = UInt64(truncatingIfNeeded: count) &<< 56
        if count > longestKey {
            // One more than a short text can have, so that a long one never looks like it.
            let last = text.unsafeLoadUnaligned(fromUncheckedByteOffset: count &- 8, as: UInt64.self) &>> 8
            return last | (high | 8 &<< 56)
        }
        guard count >= 4 else {
            var word: UInt64 = 0
            for index in 0..<count {
                word |= UInt64(text.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)) &<< UInt64(8 &* index)
            }
            return word | high
        }
        let first = text.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt32.self)
        let last = text.unsafeLoadUnaligned(fromUncheckedByteOffset: count &- 4, as: UInt32.self)
        return UInt64(first) | UInt64(last) &<< UInt64(8 &* (count &- 4)) | high
    }
}
