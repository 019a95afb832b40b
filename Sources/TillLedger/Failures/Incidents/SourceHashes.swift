import TillColumns
import TillRows

/// Hashes by which incidents tell senders of records apart. Every machine must come to the same ones.
struct SourceHashes {
    /// The leading digits of the last instant, and the hash after them: records mostly come in the order of time.
    private var head: (digits: Int64, hash: FNV1a) = (0, FNV1a())

    /// The hash of who sent an event: the account, else the session, else the attempt, else its instant.
    mutating func hash(of row: Int, _ batch: borrowing RowBatch, at instant: Int64) -> UInt64 {
        let text = batch.events[.accountToken, row] ?? batch.events[.sessionID, row] ?? batch.events[.attemptID, row]
        guard let text else { return hash(of: instant) }
        var hash = FNV1a()
        batch.dictionary.withBytes(of: Int(text)) { bytes in
            bytes.withUnsafeBytes { for byte in $0 { hash.add(byte) } }
        }
        return hash.value
    }

    /// The hash of the decimal digits of an instant in milliseconds, 0 or more.
    mutating func hash(of instant: Int64) -> UInt64 {
        let (leading, rest) = instant.quotientAndRemainder(dividingBy: 1_000_000)
        guard leading > 0 else {
            var hash = FNV1a()
            hash.add(digitsOf: rest)
            return hash.value
        }
        if leading != head.digits {
            head = (leading, FNV1a())
            head.hash.add(digitsOf: leading)
        }
        var hash = head.hash
        hash.add(digitsOf: rest, count: 6)
        return hash.value
    }
}

/// FNV-1a of 64 bits.
private struct FNV1a {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    @inline(__always)
    mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

    /// Adds decimal digits of a number, 0 or more, with at least `count` digits.
    mutating func add(digitsOf number: Int64, count: Int = 1) {
        var (digits, first, rest) = (InlineArray<20, UInt8>(repeating: 0x30), 20, number.magnitude)
        while rest > 0 || first > 20 - count {
            first -= 1
            digits[first] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
            rest /= 10
        }
        for place in first..<20 { add(digits[place]) }
    }
}
