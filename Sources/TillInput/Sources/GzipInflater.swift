import CZlib

/// Inflates a gzip stream (RFC 1952) of any number of members.
///
/// A stream that ends inside a member is an error: a reader that stopped early has given people empty reports
/// (quirk 82). Zero bytes after the last member, as tapes and block devices leave them, are passed over.
final class GzipInflater {
    private var stream = z_stream()
    private var input: [UInt8]
    private var isBetweenMembers = false
    private var inputIsOver = false
    /// The unread part of `input`: where it starts and how long it is.
    private var next = 0
    private var pending = 0

    static let magic: [UInt8] = [0x1F, 0x8B]
    private static let inputSize = 256 << 10

    init(source: String) throws(InputError) {
        input = Array(repeating: 0, count: Self.inputSize)
        // 15 bits of window, plus 16: a gzip header and trailer, whose CRC zlib checks.
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw InputError(.gzip, source: source, reason: "zlib could not be set up")
        }
    }

    deinit {
        inflateEnd(&stream)
    }

    /// Inflates into `output`; 0 at the end of the last member.
    ///
    /// `read` gives compressed bytes, 0 at their end; `offset` is how many it has given so far.
    func inflate(
        into output: UnsafeMutableRawBufferPointer,
        source: String,
        offset: @autoclosure () -> Int,
        read: (UnsafeMutableRawBufferPointer) throws(InputError) -> Int
    ) throws(InputError) -> Int {
        // The buffer is moved out while `self` is busy with it, so that it is never copied.
        var compressed = input
        input = []
        defer { input = compressed }
        stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.avail_out = UInt32(output.count)
        while stream.avail_out > 0 {
            if pending == 0, !inputIsOver {
                var count = 0
                var failure: InputError?
                compressed.withUnsafeMutableBytes { buffer in
                    do throws(InputError) { count = try read(buffer) } catch { failure = error }
                }
                if let failure { throw failure }
                inputIsOver = count == 0
                (next, pending) = (0, count)
            }
            if isBetweenMembers {
                while pending > 0, compressed[next] == 0 {
                    next += 1
                    pending -= 1
                }
                if pending == 0 {
                    if inputIsOver { break }
                    continue
                }
                inflateReset(&stream)
                isBetweenMembers = false
            }
            let status = compressed.withUnsafeMutableBufferPointer { buffer in
                stream.next_in = buffer.baseAddress.map { $0 + next }
                stream.avail_in = UInt32(pending)
                let status = CZlib.inflate(&stream, Z_NO_FLUSH)
                next += pending - Int(stream.avail_in)
                pending = Int(stream.avail_in)
                return status
            }
            switch status {
            case Z_STREAM_END: isBetweenMembers = true
            case Z_OK: break
            case Z_BUF_ERROR where inputIsOver && pending == 0:
                let reason = "the gzip stream ends inside a member"
                throw InputError(.gzip, source: source, offset: offset(), reason: reason)
            case Z_BUF_ERROR: break
            default:
                let reason = stream.msg.map { String(cString: $0) } ?? "zlib status \(status)"
                throw InputError(
                    .gzip,
                    source: source,
                    offset: offset() - pending,
                    reason: "the gzip stream is damaged: \(reason)"
                )
            }
        }
        return output.count - Int(stream.avail_out)
    }
}
