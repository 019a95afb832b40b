import TillColumns
import TillCore
public import TillLedger

/// The bytes of a ``SumWriter``, piece by piece, with the offset of each piece in the partial.
struct SumBytes {
    /// The start of each piece in ``bytes``, and its offset in the partial.
    private var pieces: [(start: Int, offset: Int)] = []
    private(set) var bytes: [UInt8] = []

    mutating func append(_ piece: [UInt8], offset: Int) {
        pieces.append((bytes.count, offset))
        bytes += piece
    }

    /// The offset of a byte in the partial.
    func offset(of position: Int) -> Int {
        guard let piece = pieces.last(where: { $0.start <= position }) else { return position }
        return piece.offset + position - piece.start
    }
}

/// The largest sums of all partials of a report together. They are far above those of the App Store, and small enough
/// that the arithmetic of a report cannot overflow.
public struct SumAllowance: Sendable {
    /// Millionths: 10²⁵ units of a currency.
    private var amounts: UInt128 = 10_000_000_000_000_000_000_000_000_000_000
    private var counts: UInt64 = 1 << 62

    /// Makes the whole allowance, which all partials of a report share.
    public init() {}

    fileprivate mutating func take(_ amount: Int128) -> Bool {
        guard amount.magnitude <= amounts else { return false }
        amounts -= amount.magnitude
        return true
    }

    fileprivate mutating func take(_ count: Int64) -> Bool {
        guard count.magnitude <= counts else { return false }
        counts -= count.magnitude
        return true
    }
}

/// Reads the bytes of a ``SumWriter``, and checks them: reads against the end of the bytes, codes against the number of
/// texts, and sums against ``SumAllowance``.
public struct SumReader: SumCoder {
    private let section: SumBytes
    private let translation: TextTranslation
    private var position = 0
    /// The part of the allowance that is left.
    public private(set) var allowance: SumAllowance

    init(_ section: SumBytes, _ translation: TextTranslation, _ allowance: SumAllowance) {
        (self.section, self.translation, self.allowance) = (section, translation, allowance)
    }

    public var isReading: Bool { true }
    public var readsFile: Bool { true }

    /// Ends the section. Throws `partial.trailing` if bytes are left.
    public func finish() throws {
        guard position == section.bytes.count else {
            throw Finding("partial.trailing", at: section.offset(of: position), "more bytes follow the last sum")
        }
    }

    public func refusal(_ reason: String) -> any Error {
        Finding("partial.value", at: section.offset(of: position), reason)
    }

    // MARK: Values

    private mutating func byte() throws -> UInt8 {
        guard position < section.bytes.count else { throw truncated(1) }
        defer { position += 1 }
        return section.bytes[position]
    }

    private func truncated(_ wanted: Int) -> Finding {
        let left = section.bytes.count - position
        return Finding(
            "partial.truncated",
            at: section.offset(of: position),
            "\(wanted) bytes are wanted, \(left) are left"
        )
    }

    /// Seven bits a byte, the lowest first, at most `width` bits.
    private mutating func number(_ width: UInt128) throws -> UInt128 {
        var value: UInt128 = 0
        for shift in stride(from: UInt128(0), to: width, by: 7) {
            let byte = try byte()
            let bits = UInt128(byte & 0x7F)
            guard shift + 7 <= width || bits >> (width - shift) == 0 else { break }
            value |= bits << shift
            if byte & 0x80 == 0 { return value }
        }
        throw Finding("partial.too-large", at: section.offset(of: position), "a number takes more than \(width) bits")
    }

    private mutating func difference() throws -> Int64 {
        let number = UInt64(try number(64))
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    private mutating func wideDifference() throws -> Int128 {
        let number = try number(128)
        return Int128(bitPattern: number >> 1) ^ -Int128(bitPattern: number & 1)
    }

    private mutating func flag() throws -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw refusal("\(byte) is not 0 or 1") }
        return byte == 1
    }

    private mutating func bytes(_ count: Int) throws -> ArraySlice<UInt8> {
        guard count <= section.bytes.count - position else { throw truncated(count) }
        defer { position += count }
        return section.bytes[position..<position + count]
    }

    // MARK: Joining

    public mutating func add(_ number: inout Int64) throws {
        let more = try difference()
        guard allowance.take(more) else { throw refusal("the counts of all partials are above the limit 2^62 in sum") }
        number += more
    }

    public mutating func add(_ count: inout Int) throws {
        var number = Int64(count)
        try add(&number)
        count = Int(number)
    }

    public mutating func add(_ millionths: inout Int128) throws {
        let more = try wideDifference()
        guard allowance.take(more) else {
            throw refusal("the amounts of all partials are above the limit 10^25 in sum")
        }
        millionths += more
    }

    public mutating func amount(_ millionths: inout Int128) throws {
        var amount: Int128 = 0
        try add(&amount)
        millionths = amount
    }

    public mutating func value(_ number: inout Int64) throws { number = try difference() }

    public mutating func value(_ number: inout Int64?) throws { number = try flag() ? try difference() : nil }

    public mutating func value(_ word: inout UInt128) throws {
        word = 0
        for (index, byte) in try bytes(16).enumerated() { word |= UInt128(byte) << (8 * UInt128(index)) }
    }

    public mutating func value(_ text: inout String) throws {
        let count = try elements(0)
        guard let read = String(validInput: try bytes(count)) else {
            throw refusal("a text is not UTF-8")
        }
        text = read
    }

    public mutating func textCode(_ code: inout Int64) throws {
        let number = try number(64)
        guard number <= UInt128(translation.codes.count) else {
            throw refusal("there is no text \(number), there are \(translation.codes.count)")
        }
        code = Int64(translation.text(Int32(truncatingIfNeeded: number) - 1))
    }

    public mutating func elements(_ count: Int) throws -> Int {
        let number = try number(64)
        let left = section.bytes.count - position
        guard number <= UInt128(left) else {
            throw Finding(
                "partial.truncated",
                at: section.offset(of: position),
                "\(number) elements are announced, \(left) bytes are left"
            )
        }
        return Int(number)
    }

    public mutating func table<Key: Hashable, Value: Summed>(
        _ table: inout [Key: Value],
        blank: Key,
        _ visitKey: (inout Key, inout SumReader) throws -> Void
    ) throws {
        for _ in 0..<(try elements(0)) {
            var key = blank
            try visitKey(&key, &self)
            try table[key, default: Value()].visitSums(&self)
        }
    }
}
