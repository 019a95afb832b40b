import TillCore

/// Reads the encoding of ``RunLengthEncoder``, a few values at a time.
///
/// A run may state more than 10⁹ values, so memory is allocated only for values that are read.
struct RunLengthDecoder {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private let width: Int
    private let code: String
    // The current run: equal values, or packed ones from `packedBit` on.
    private var equal = 0
    private var value: Int64 = 0
    private var packed = 0
    private var packedBit = 0

    /// - Parameter code: the error code if the bytes end early.
    init(_ bytes: UnsafeRawBufferPointer, width: Int, code: String) {
        self.bytes = bytes
        self.width = width
        self.code = code
    }

    private func endsEarly() -> Finding { Finding(code, at: position, "runs end early") }

    /// Reads the header of the next run.
    private mutating func beginRun() throws(Finding) {
        var header: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            guard position < bytes.count else { throw endsEarly() }
            let byte = bytes[position]
            position += 1
            guard shift < 35 else { throw Finding(code, at: position, "a run of more than 32 bits") }
            header |= UInt64(byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { break }
        }
        let count = Int(header >> 1)
        if header & 1 == 1 {
            let length = count * width
            // The last group may be cut after its last value.
            guard count > 0, length <= bytes.count - position else { throw endsEarly() }
            (packed, packedBit) = (count * 8, position * 8)
            position += length
        } else {
            let length = (width + 7) / 8
            guard length <= bytes.count - position else { throw endsEarly() }
            guard count > 0 else { throw Finding(code, at: position, "a run of no values") }
            value = 0
            for index in 0..<length { value |= Int64(bytes[position + index]) << Int64(8 * index) }
            guard value >> Int64(width) == 0 else {
                throw Finding(code, at: position, "\(value) in a run of \(width) bits")
            }
            position += length
            equal = count
        }
    }

    /// Reads the next `count` values.
    mutating func read(_ count: Int, into output: UnsafeMutablePointer<Int64>) throws(Finding) {
        var done = 0
        while done < count {
            if equal == 0, packed == 0 { try beginRun() }
            if equal > 0 {
                let taken = min(equal, count - done)
                (output + done).update(repeating: value, count: taken)
                equal -= taken
                done += taken
            } else {
                let taken = min(packed, count - done)
                unpack(taken, into: output + done)
                packed -= taken
                done += taken
            }
        }
    }

    private mutating func unpack(_ count: Int, into output: UnsafeMutablePointer<Int64>) {
        for index in 0..<count {
            output[index] = Int64(bitPattern: bytes.bits(at: packedBit, width: width))
            packedBit += width
        }
    }
}

extension UnsafeRawBufferPointer {
    /// `width` bits, 0…64, from bit `bit` on, low bits first. The bits must be within the bytes.
    @inline(__always)
    func bits(at bit: Int, width: Int) -> UInt64 {
        guard width > 0 else { return 0 }
        let (byte, shift) = (bit >> 3, UInt64(bit & 7))
        let mask: UInt64 = width == 64 ? .max : 1 << UInt64(width) - 1
        if byte + 9 <= count {
            let low = loadUnaligned(fromByteOffset: byte, as: UInt64.self).littleEndian >> shift
            guard shift > 0, width > 56 else { return low & mask }
            return (low | UInt64(self[byte + 8]) << (64 - shift)) & mask
        }
        var value: UInt64 = 0
        for index in 0...8 where byte + index < count {
            let part = UInt64(self[byte + index])
            let place = index * 8 - Int(shift)
            value |= place < 0 ? part >> shift : place < 64 ? part << UInt64(place) : 0
        }
        return value & mask
    }
}
