import CZlib
import CZstd
import Foundation
import TillInput

/// The dump of responses, compressed, and what it takes to have it back: by the stage, and by the library alone.
struct Compressed: Sendable {
    static let gzip = Compressed("gz", gzip(Dump.verify.bytes))
    static let zstd = Compressed("zst", zstd(Dump.verify.bytes))

    let bytes: [UInt8]
    private let file: InputFile

    private init(_ suffix: String, _ bytes: [UInt8]) {
        self.bytes = bytes
        let path = FileManager.default.temporaryDirectory.appending(path: "tillroll-stages-\(getpid()).\(suffix)")
        do {
            try Data(bytes).write(to: path)
            file = try InputFile.expand([path.path])[0]
        } catch {
            fatalError("\(path.path) cannot be written: \(error)")
        }
        atexit { Compressed.removeFiles() }
    }

    private static func removeFiles() {
        for suffix in ["gz", "zst"] { unlink("\(NSTemporaryDirectory())/tillroll-stages-\(getpid()).\(suffix)") }
    }

    /// Inflates the file through an `InputReader`; gives how many bytes there were.
    func inflate(into memory: UnsafeMutableRawBufferPointer) throws -> Int {
        let reader = try InputReader(file)
        var total = 0
        while true {
            let count = try reader.read(into: memory)
            total += count
            guard count == memory.count else { return total }
        }
    }

    /// zlib's `inflate` with nothing around it.
    func inflateWithZlib(into memory: UnsafeMutableRawBufferPointer) -> Int {
        var stream = z_stream()
        precondition(inflateInit2_(&stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK)
        defer { inflateEnd(&stream) }
        return bytes.withUnsafeBufferPointer { input in
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = UInt32(input.count)
            var total = 0
            while true {
                stream.next_out = memory.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.avail_out = UInt32(memory.count)
                let status = CZlib.inflate(&stream, Z_NO_FLUSH)
                total += memory.count - Int(stream.avail_out)
                guard status == Z_OK else { return total }
            }
        }
    }

    /// libzstd's stream with nothing around it.
    func inflateWithZstd(into memory: UnsafeMutableRawBufferPointer) -> Int {
        let context = ZSTD_createDCtx()
        defer { ZSTD_freeDCtx(context) }
        return bytes.withUnsafeBytes { source in
            var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
            var total = 0
            var rest = 1
            while rest > 0 {
                var output = ZSTD_outBuffer(dst: memory.baseAddress, size: memory.count, pos: 0)
                rest = ZSTD_decompressStream(context, &output, &input)
                precondition(ZSTD_isError(rest) == 0)
                total += output.pos
            }
            return total
        }
    }

    private static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        precondition(deflateInit2_(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK)
        defer { deflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        let capacity = output.count
        bytes.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(capacity)
                precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
            }
        }
        output.removeLast(Int(stream.avail_out))
        return output
    }

    private static func zstd(_ bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
        let count = ZSTD_compress(&output, output.count, bytes, bytes.count, 3)
        precondition(ZSTD_isError(count) == 0)
        output.removeLast(output.count - count)
        return output
    }
}
