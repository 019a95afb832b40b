import CZlib
import CZstd
import TillCore

/// Decompresses the pages of one reader.
final class Decompressor {
    private let codec: ParquetCodec
    private let context: OpaquePointer?

    init(_ codec: ParquetCodec) {
        self.codec = codec
        context = codec == .zstd ? ZSTD_createDCtx() : nil
    }

    deinit {
        ZSTD_freeDCtx(context)
    }

    /// Decompresses into all of `output`; offsets of errors count from the start of the page.
    func decompress(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(Finding) {
        let written =
            switch codec {
            case .uncompressed: try copy(input, into: output)
            case .snappy: try Snappy.decompress(input, into: output)
            case .gzip: try inflate(input, into: output)
            case .zstd: try decompressZstd(input, into: output)
            }
        guard written == output.count else { throw Self.wrongLength(written, output.count) }
    }

    private static func wrongLength(_ length: Int, _ declared: Int) -> Finding {
        Finding("parquet.decompressed-length", "the page header says \(declared) bytes, the page has \(length)")
    }

    private func copy(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(Finding) -> Int {
        guard input.count == output.count else { throw Self.wrongLength(input.count, output.count) }
        output.copyMemory(from: input)
        return input.count
    }

    private func decompressZstd(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(Finding) -> Int {
        let written = ZSTD_decompressDCtx(context, output.baseAddress, output.count, input.baseAddress, input.count)
        guard ZSTD_isError(written) == 0 else {
            if ZSTD_getErrorCode(written) == ZSTD_error_dstSize_tooSmall {
                throw Finding(
                    "parquet.decompressed-length",
                    "the page header says \(output.count) bytes, the page has more"
                )
            }
            let reason = String(cString: ZSTD_getErrorName(written))
            throw Finding("parquet.compressed", "a page is damaged zstd: \(reason)")
        }
        return written
    }

    /// One or more gzip members; some writers use zlib's own header, which the first byte shows.
    private func inflate(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(Finding) -> Int {
        var stream = z_stream()
        // 15 bits of window, plus 32: gzip or zlib, detected by the header.
        guard inflateInit2_(&stream, 15 + 32, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw Finding("parquet.compressed", "zlib could not be set up")
        }
        defer { inflateEnd(&stream) }
        // zlib takes a mutable pointer to its input, but does not write to it.
        stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.avail_out = UInt32(output.count)
        while true {
            let status = CZlib.inflate(&stream, Z_FINISH)
            if status == Z_STREAM_END, stream.avail_in > 0 {
                inflateReset(&stream)
                continue
            }
            guard status == Z_STREAM_END else {
                if status == Z_BUF_ERROR, stream.avail_out == 0 {
                    throw Finding(
                        "parquet.decompressed-length",
                        "the page header says \(output.count) bytes, the page has more"
                    )
                }
                let reason = stream.msg.map { String(cString: $0) } ?? "it ends early"
                throw Finding(
                    "parquet.compressed",
                    at: input.count - Int(stream.avail_in),
                    "a page is damaged gzip: \(reason)"
                )
            }
            return output.count - Int(stream.avail_out)
        }
    }
}
