public import TillCore

/// Bytes that can be read at any place: a file, or an array in tests.
public protocol ParquetSource: AnyObject {
    var byteCount: Int { get }

    /// Fills all of `buffer` with the bytes from `offset` on. The reader has checked the range against ``byteCount``.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Finding)
}

extension ParquetSource {
    func bytes(_ range: Range<Int>) throws(Finding) -> [UInt8] {
        var bytes = Array(repeating: UInt8(0), count: range.count)
        try bytes.withUnsafeMutableBufferPointer { buffer throws(Finding) in
            try read(at: range.lowerBound, into: UnsafeMutableRawBufferPointer(buffer))
        }
        return bytes
    }
}
