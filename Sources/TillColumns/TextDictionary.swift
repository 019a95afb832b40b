/// Distinct texts, numbered from 0 in order of first appearance.
///
/// The texts lie end to end in one array; an open-addressing table of codes, at most half full, finds them by hash.
/// Looking up a known text allocates nothing.
public struct TextDictionary: Sendable {
    private var bytes: [UInt8] = []
    /// `ends[code]` is one past the last byte of that text.
    private var ends: [Int] = []
    private var hashes: [UInt64] = []
    /// Codes plus one; 0 is an empty slot. A power of two long.
    private var slots: [UInt32]

    public init() {
        slots = Array(repeating: 0, count: 256)
    }

    public var count: Int { ends.count }

    /// Bytes held by the texts themselves.
    public var byteCount: Int { bytes.count }

    /// The code of a text, which is added if it is new.
    public mutating func code(for text: RawSpan) -> Int {
        let hash = Self.hash(text)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let code = Int(slots[slot]) - 1
            if hashes[code] == hash, equals(code, text) { return code }
            slot = (slot + 1) & (slots.count - 1)
        }
        return add(text, hash: hash, slot: slot)
    }

    /// The code of a text, which is added if it is new.
    public mutating func code(for text: String) -> Int {
        code(for: Array(text.utf8).span.bytes)
    }

    /// Forgets the texts from code `count` on.
    public mutating func truncate(to count: Int) {
        guard count < ends.count else { return }
        ends.removeSubrange(count...)
        hashes.removeSubrange(count...)
        bytes.removeSubrange((ends.last ?? 0)...)
        slots = Array(repeating: 0, count: slots.count)
        for code in 0..<count { place(code) }
    }

    /// The bytes of a text.
    public func withBytes<Result>(of code: Int, _ body: (RawSpan) -> Result) -> Result {
        body(bytes.span.bytes.extracting(range(of: code)))
    }

    /// Bytes of one text.
    public func byteCount(of code: Int) -> Int { range(of: code).count }

    /// All texts end to end, and where each of them ends.
    public func withStorage<Result>(_ body: (RawSpan, Span<Int>) -> Result) -> Result {
        body(bytes.span.bytes, ends.span)
    }

    /// The text of a code, with bytes that are not UTF-8 replaced.
    public func text(of code: Int) -> String {
        String(decoding: bytes[range(of: code)], as: UTF8.self)
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
        guard range.count == text.byteCount else { return false }
        let mine = bytes.span.bytes.extracting(range)
        var index = 0
        while index + 8 <= text.byteCount {
            if mine.word(index) != text.word(index) { return false }
            index += 8
        }
        while index < text.byteCount {
            if mine.byte(index) != text.byte(index) { return false }
            index += 1
        }
        return true
    }

    private mutating func add(_ text: RawSpan, hash: UInt64, slot: Int) -> Int {
        text.withUnsafeBytes { bytes.append(contentsOf: $0) }
        ends.append(bytes.count)
        hashes.append(hash)
        let code = ends.count - 1
        slots[slot] = UInt32(code + 1)
        if ends.count * 2 > slots.count {
            slots = Array(repeating: 0, count: slots.count * 2)
            for code in 0..<ends.count { place(code) }
        }
        return code
    }

    private mutating func place(_ code: Int) {
        var slot = Int(truncatingIfNeeded: hashes[code]) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt32(code + 1)
    }

    /// 128 bits that stand for a text where keeping the text itself would cost too much, as with request ids.
    ///
    /// Two texts share them with a chance of one in 10³⁸; they are not meant against somebody who looks for such two.
    public static func fingerprint(_ text: RawSpan) -> UInt128 {
        let low = hash(text)
        return UInt128(hash(text, seed: low)) << 64 | UInt128(low)
    }

    /// Folds the text eight bytes at a time through a 128-bit product, whose halves are mixed.
    private static func hash(_ text: RawSpan, seed: UInt64 = 0x9E37_79B9_7F4A_7C15) -> UInt64 {
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

    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }
}

extension RawSpan {
    fileprivate func byte(_ index: Int) -> UInt8 { unsafeLoad(fromByteOffset: index, as: UInt8.self) }
    fileprivate func word(_ index: Int) -> UInt64 { unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self) }
}
