import CZlib
import CZstd

/// Compresses pages; only one task may use it at a time.
final class Compressor {
    private let codec: ParquetCodec
    private let level: Int32
    private let context: OpaquePointer?
    private var output = ByteSink()

    init(_ codec: ParquetCodec, level: Int32) {
        self.codec = codec
        self.level = level
        context = codec == .zstd ? ZSTD_createCCtx() : nil
    }

    deinit {
        ZSTD_freeCCtx(context)
    }

    /// The compressed bytes, valid until the next call.
    func compress(_ input: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        switch codec {
        case .zstd: compressZstd(input)
        case .gzip: compressGzip(input)
        case .uncompressed, .snappy: input
        }
    }

    private func compressZstd(_ input: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        output.removeAll()
        output.reserve(ZSTD_compressBound(input.count))
        let written = ZSTD_compressCCtx(context, output.memory, output.capacity, input.baseAddress, input.count, level)
        // It can fail only for lack of memory, because the output has the size of libzstd's own bound.
        precondition(ZSTD_isError(written) == 0, "libzstd could not compress a page")
        output.advance(written)
        return output.bytes
    }

    /// One gzip member (RFC 1952), as Compression.md asks.
    private func compressGzip(_ input: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        var status = deflateInit2_(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        precondition(status == Z_OK, "zlib could not be set up")
        defer { deflateEnd(&stream) }
        output.removeAll()
        output.reserve(Int(deflateBound(&stream, UInt(input.count))))
        stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.memory.assumingMemoryBound(to: UInt8.self)
        stream.avail_out = UInt32(output.capacity)
        status = deflate(&stream, Z_FINISH)
        precondition(status == Z_STREAM_END, "zlib could not compress a page")
        output.advance(output.capacity - Int(stream.avail_out))
        return output.bytes
    }

    /// CRC-32 of the stored bytes of a page (README.md of the format, "Checksumming").
    static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(crc32_z(0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
    }
}
