public import TillCore

/// Memory for one chunk of input, followed by zero bytes that readers need.
///
///     [ bytes 0 ..< count ][ padding: zeros ][ unused … ]
///
/// It has one owner at a time: it moves with its contents from the reader to a worker and back.
public final class ByteBuffer: @unchecked Sendable {
    /// Zero bytes behind the contents. Kernels load up to 64 bytes at a time.
    public static let padding = 64

    /// Bytes of the contents, without the padding.
    public private(set) var count = 0
    private var storage: UnsafeMutableRawBufferPointer

    /// Starts empty, with memory for `capacity` bytes and the padding.
    public init(capacity: Int = 0) {
        storage = .allocate(byteCount: capacity + Self.padding, alignment: 64)
    }

    deinit {
        storage.deallocate()
    }

    /// Removes the contents and keeps the memory.
    public func removeAll() {
        count = 0
    }

    /// Makes room for `capacity` bytes in total and keeps the contents.
    public func reserve(_ capacity: Int) {
        guard capacity + Self.padding > storage.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity + Self.padding, alignment: 64)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        storage.deallocate()
        storage = larger
    }

    /// Appends up to `limit` bytes that `fill` writes. `fill` returns the number of bytes, 0 at the end of its source;
    /// this method returns the same.
    public func append(
        upTo limit: Int,
        _ fill: (UnsafeMutableRawBufferPointer) throws(Finding) -> Int
    ) throws(Finding) -> Int {
        reserve(count + limit)
        let written = try fill(UnsafeMutableRawBufferPointer(rebasing: storage[count..<count + limit]))
        precondition(written <= limit)
        count += written
        return written
    }

    /// Appends a copy of `bytes`.
    public func append(_ bytes: RawSpan) {
        reserve(count + bytes.byteCount)
        bytes.withUnsafeBytes { storage[count..<count + $0.count].copyBytes(from: $0) }
        count += bytes.byteCount
    }

    /// Removes the bytes from `count` on. `count` must not exceed the current one.
    public func truncate(to count: Int) {
        precondition(count <= self.count)
        self.count = count
    }

    /// Removes the first `count` bytes. `count` must not exceed the current one.
    public func removeFirst(_ count: Int) {
        precondition(count >= 0 && count <= self.count)
        guard count > 0 else { return }
        storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[count..<self.count]))
        self.count -= count
    }

    /// Calls `body` with the contents followed by ``padding`` zero bytes.
    public func withPaddedBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        storage[count..<count + Self.padding].initializeMemory(as: UInt8.self, repeating: 0)
        return try body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: storage[..<(count + Self.padding)])))
    }
}
