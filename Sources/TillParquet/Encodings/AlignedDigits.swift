/// The decimal digits of a number from 0 on, moved to the left: those of 12 are the digits of 1,200,000,000,000,000,000.
///
/// Digits that begin in the same place compare like texts, so the smallest and the largest of many texts are found
/// without their bytes. And eight of them become bytes at once, whatever their number.
struct AlignedDigits: Comparable {
    /// The number times a power of ten, so that it has 19 digits, like the largest number of 63 bits.
    private let aligned: UInt64
    /// The digits of the number, 1…19.
    let count: Int

    /// The powers of ten that have 1 to 19 digits.
    private static let powers: InlineArray<19, UInt64> = [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
        100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
        10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000,
    ]

    /// - Parameter number: 0 or more.
    init(_ number: Int64) {
        // 0 has one digit, as 1 has.
        let least = UInt64(number) | 1
        // 1,233 / 4,096 is a little less than the digits of a bit, log₁₀ 2, so the guess is right or one too low.
        let guess = ((64 - least.leadingZeroBitCount) * 1_233) >> 12
        count = least < Self.powers[guess] ? guess : guess + 1
        aligned = UInt64(number) &* Self.powers[19 - count]
    }

    /// Whether the text of a number sorts before another: `12` before `120` before `13`.
    static func < (left: AlignedDigits, right: AlignedDigits) -> Bool {
        left.aligned == right.aligned ? left.count < right.count : left.aligned < right.aligned
    }

    /// Bytes to reserve for ``write(to:)``, which writes eight at once.
    static let mostBytes = 24

    /// Writes the digits, and zeros after them.
    func write(to memory: UnsafeMutableRawPointer) {
        let (first, last) = (aligned / 1_000, aligned % 1_000)
        memory.storeBytes(of: Self.text(ofEight: first / 100_000_000), as: UInt64.self)
        memory.storeBytes(of: Self.text(ofEight: first % 100_000_000), toByteOffset: 8, as: UInt64.self)
        guard count > 16 else { return }
        memory.storeBytes(of: Self.text(ofEight: last * 100_000), toByteOffset: 16, as: UInt64.self)
    }

    /// The text of the number.
    var bytes: [UInt8] {
        var sink = ByteSink()
        sink.append(self)
        return sink.copy()
    }

    /// Eight digits as bytes, the first digit in the lowest byte.
    ///
    /// The number is divided into halves in lanes of twice the width, then pairs, then digits. The factors and shifts
    /// divide by 100 and 10, exactly for numbers of four and of two digits.
    @inline(__always)
    private static func text(ofEight number: UInt64) -> UInt64 {
        let halves = number / 10_000 | (number % 10_000) << 32
        let hundreds = (halves &* 5_243) >> 19 & 0x0000_007F_0000_007F
        let pairs = hundreds | (halves &- hundreds &* 100) << 16
        let tens = (pairs &* 103) >> 10 & 0x000F_000F_000F_000F
        let digits = tens | (pairs &- tens &* 10) << 8
        return (digits | 0x3030_3030_3030_3030).littleEndian
    }
}

extension ByteSink {
    mutating func append(_ digits: AlignedDigits) {
        reserve(AlignedDigits.mostBytes)
        digits.write(to: memory + count)
        advance(digits.count)
    }
}
