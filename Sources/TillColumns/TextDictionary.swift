import TillCore

/// Distinct texts, numbered from 0 in order of first appearance.
///
///     slots   [ · | tag 1 | · | tag 0 | … ]     32 bits of the hash, and the code plus one
///                       ↓
///     ends    [ 5, 14 ]
///     bytes   c o i n s p r o . y e a r l y
///
/// The texts lie end to end in one array; an open-addressing table, at most half full, finds them by hash. The hash
/// depends on numbers that each dictionary draws, so that input cannot aim its texts at one slot. Looking up
/// a known text allocates nothing.
public struct TextDictionary: Sendable {
    private var bytes: [UInt8] = []
    /// `ends[code]` is one past the last byte of that text.
    private var ends: [Int] = []
    /// The high half of the hash over the code plus one; 0 is an empty slot. A power of two long.
    private var slots: [UInt64]
    private let seeds = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))

    /// Makes a dictionary without texts, with slots for 128 of them.
    public init() {
        slots = Array(repeating: 0, count: 256)
    }

    /// Texts in the dictionary; the next new text gets this number as its code.
    public var count: Int { ends.count }

    /// Bytes held by the texts themselves.
    public var byteCount: Int { bytes.count }

    /// The code of a text, which is added if it is new.
    public mutating func code(for text: RawSpan) -> Int {
        let hash = hash(text)
        let tag = hash & ~0xFFFF_FFFF
        var slot = Int(truncatingIfNeeded: hash) & (slots.count &- 1)
        while true {
            let entry = slots[slot]
            if entry == 0 { return add(text, hash: hash, slot: slot) }
            if entry & ~0xFFFF_FFFF == tag {
                let code = Int(entry & 0xFFFF_FFFF) &- 1
                if equals(code, text) { return code }
            }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
    }

    /// The code of a text, which is added if it is new.
    public mutating func code(for text: String) -> Int {
        code(for: Array(text.utf8).span.bytes)
    }

    /// Removes the texts from code `count` on.
    public mutating func truncate(to count: Int) {
        guard count < ends.count else { return }
        ends.removeSubrange(count...)
        bytes.removeSubrange((ends.last ?? 0)...)
        fillSlots()
    }

    /// The bytes of a text.
    public func withBytes<Result>(of code: Int, _ body: (RawSpan) -> Result) -> Result {
        body(bytes.span.bytes.extracting(range(of: code)))
    }

    /// Whether a code is that of a text.
    public func isText(_ text: RawSpan, of code: Int) -> Bool { equals(code, text) }

    /// Bytes of one text.
    public func byteCount(of code: Int) -> Int { range(of: code).count }

    /// All texts end to end, and the end of each text.
    public func withStorage<Result>(_ body: (RawSpan, Span<Int>) -> Result) -> Result {
        body(bytes.span.bytes, ends.span)
    }

    /// The text of a code, with bytes that are not UTF-8 replaced (``Swift/String/init(input:)``).
    public func text(of code: Int) -> String {
        String(input: bytes[range(of: code)])
    }

    /// Whether the text of `left` sorts before that of `right`, byte by byte.
    public func precedes(_ left: Int, _ right: Int) -> Bool {
        bytes[range(of: left)].lexicographicallyPrecedes(bytes[range(of: right)])
    }

    private func range(of code: Int) -> Range<Int> {
        (code == 0 ? 0 : ends[code - 1])..<ends[code]
    }

    private func equals(_ code: Int, _ text: RawSpan) -> Bool {
        let range = range(of: code)
        let count = range.count
        guard count == text.byteCount else { return false }
        let mine = bytes.span.bytes.extracting(range)
        guard count >= 8 else {
            return mine.shortWords(count) == text.shortWords(count)
        }
        var index = 0
        while index &+ 8 <= count {
            if mine.word(index) != text.word(index) { return false }
            index &+= 8
        }
        // The last eight bytes; some may have been compared already.
        return mine.word(count &- 8) == text.word(count &- 8)
    }

    private mutating func add(_ text: RawSpan, hash: UInt64, slot: Int) -> Int {
        text.withUnsafeBytes { bytes.append(contentsOf: $0) }
        ends.append(bytes.count)
        let code = ends.count - 1
        precondition(ends.count <= UInt32.max)
        slots[slot] = hash & ~0xFFFF_FFFF | UInt64(ends.count)
        if ends.count * 2 > slots.count {
            slots = Array(repeating: 0, count: slots.count * 2)
            fillSlots()
        }
        return code
    }

    /// Enters all texts anew.
    private mutating func fillSlots() {
        for slot in slots.indices { slots[slot] = 0 }
        for code in 0..<ends.count {
            let hash = hash(bytes.span.bytes.extracting(range(of: code)))
            var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = hash & ~0xFFFF_FFFF | UInt64(code + 1)
        }
    }

    /// Folds the text sixteen bytes at a time, the last sixteen overlapping what came before, through a 128-bit product
    /// whose halves are mixed.
    private func hash(_ text: RawSpan) -> UInt64 {
        let count = text.byteCount
        var state = seeds.0 ^ UInt64(count)
        guard count >= 8 else {
            let words = text.shortWords(count)
            return Self.mix(state ^ (UInt64(words.0) << 32 | UInt64(words.1)))
        }
        var index = 0
        while index &+ 16 < count {
            state = Self.fold(state ^ text.word(index), text.word(index &+ 8) ^ seeds.1)
            index &+= 16
        }
        state = Self.fold(state ^ text.word(max(0, count &- 16)), text.word(count &- 8) ^ seeds.1)
        return Self.mix(state)
    }

    /// A 128-bit fingerprint of a text, for texts that are too many to keep, such as request ids.
    ///
    /// Two texts have the same fingerprint with a probability of 1 in 10³⁸. It does not resist an attacker who searches
    /// for such a pair.
    public static func fingerprint(_ text: RawSpan) -> UInt128 {
        let low = digest(text)
        return UInt128(digest(text, seed: low)) << 64 | UInt128(low)
    }

    /// Folds the text eight bytes at a time through a 128-bit product, whose halves are mixed.
    private static func digest(_ text: RawSpan, seed: UInt64 = 0x9E37_79B9_7F4A_7C15) -> UInt64 {
        var state = UInt64(text.byteCount) ^ seed
        var index = 0
        while index + 8 <= text.byteCount {
            state = mix(state ^ text.word(index))
            index += 8
        }
        var tail: UInt64 = 0
        while index < text.byteCount {
            tail = tail << 8 | UInt64(text.byte(index))
            index += 1
        }
        return mix(state ^ tail)
    }

    private static let factor: UInt64 = 0xD6E8_FEB8_6659_FD93

    private static func mix(_ value: UInt64) -> UInt64 { fold(value, factor) }

    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}

extension RawSpan {
    // Callers have checked the number of bytes.
    fileprivate func byte(_ index: Int) -> UInt8 { unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self) }
    fileprivate func word(_ index: Int) -> UInt64 {
        unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
    }

    /// All bytes of a text of `count` bytes, fewer than eight, in two words; some bytes may be in both.
    @inline(__always)
    fileprivate func shortWords(_ count: Int) -> (UInt32, UInt32) {
        if count >= 4 {
            return (
                unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt32.self),
                unsafeLoadUnaligned(fromUncheckedByteOffset: count &- 4, as: UInt32.self)
            )
        }
        guard count > 0 else { return (0, 0) }
        return (UInt32(byte(0)) << 8 | UInt32(byte(count >> 1)), UInt32(byte(count &- 1)))
    }
}
