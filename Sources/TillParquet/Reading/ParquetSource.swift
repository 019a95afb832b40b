/// Bytes that can be read at any place: a file, or an array in tests.
public protocol ParquetSource: AnyObject {
    var byteCount: Int { get }

    /// Fills all of `buffer` with the bytes from `offset` on. The reader has checked the range against ``byteCount``.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws
}

extension ParquetSource {
    func bytes(_ range: Range<Int>) throws -> [UInt8] {
        try Array(unsafeUninitializedCapacity: range.count) { buffer, count in
            try read(
                at: range.lowerBound,
                into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<range.count])
            )
            count = range.count
        }
    }
}
