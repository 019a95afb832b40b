/// A growing byte buffer; little-endian, like all of Parquet.
///
/// It keeps its memory when it is emptied, so that pages after the first cost no allocation.
struct ByteSink: ~Copyable {
    private(set) var memory: UnsafeMutableRawPointer
    private(set) var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 0) {
        memory = .allocate(byteCount: max(16, capacity), alignment: 16)
        self.capacity = max(16, capacity)
    }

    deinit {
        memory.deallocate()
    }

    mutating func removeAll() {
        count = 0
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    /// Makes space for `more` bytes after those that are there.
    @inline(__always)
    mutating func reserve(_ more: Int) {
        if count + more > capacity { grow(more) }
    }

    private mutating func grow(_ more: Int) {
        let larger = max(count + more, capacity * 2)
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        fresh.copyMemory(from: memory, byteCount: count)
        memory.deallocate()
        (memory, capacity) = (fresh, larger)
    }

    /// Counts bytes that were written after the last one into reserved memory.
    @inline(__always)
    mutating func advance(_ written: Int) {
        precondition(written >= 0 && count + written <= capacity)
        count += written
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always)
    mutating func append<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
        reserve(MemoryLayout<Value>.size)
        (memory + count).storeBytes(of: value.littleEndian, as: Value.self)
        count += MemoryLayout<Value>.size
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        if let source = bytes.baseAddress { (memory + count).copyMemory(from: source, byteCount: bytes.count) }
        count += bytes.count
    }

    mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// A base-128 number, low bits first (ULEB128).
    mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    mutating func append(zigzag value: Int64) {
        append(varint: UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    /// Overwrites four bytes that are there.
    mutating func store(_ value: UInt32, at offset: Int) {
        precondition(offset >= 0 && offset + 4 <= count)
        memory.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
    }

    func copy() -> [UInt8] { Array(bytes) }
}

// It owns its memory alone.
extension ByteSink: @unchecked Sendable {}
