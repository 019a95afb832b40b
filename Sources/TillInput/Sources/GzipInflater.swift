import CZlib

/// Inflates gzip members (RFC 1952), whose checksums zlib compares.
final class GzipInflater: Inflater {
    private var stream = z_stream()

    let code = InputError.Code.gzip
    let name = "gzip"
    let memberName = "member"

    static func recognizes(_ magic: [UInt8]) -> Bool {
        magic.starts(with: [0x1F, 0x8B])
    }

    init(source: String) throws(InputError) {
        // 15 bits of window, plus 16: a gzip header and trailer.
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw InputError(.gzip, source: source, reason: "zlib could not be set up")
        }
    }

    deinit {
        inflateEnd(&stream)
    }

    func beginMember() {
        inflateReset(&stream)
    }

    func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> InflationStep {
        // zlib counts in 32 bits and takes its input as mutable, which it leaves alone.
        let (inputCount, outputCount) = (min(input.count, Int(UInt32.max)), min(output.count, Int(UInt32.max)))
        stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.avail_in = UInt32(inputCount)
        stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.avail_out = UInt32(outputCount)
        let status = CZlib.inflate(&stream, Z_NO_FLUSH)
        return InflationStep(
            consumed: inputCount - Int(stream.avail_in),
            written: outputCount - Int(stream.avail_out),
            outcome: outcome(status)
        )
    }

    private func outcome(_ status: Int32) -> InflationStep.Outcome {
        switch status {
        case Z_STREAM_END: return .ended
        // Z_BUF_ERROR says only that nothing could move.
        case Z_OK, Z_BUF_ERROR: return .unfinished
        default:
            let reason = stream.msg.map { String(cString: $0) } ?? "zlib status \(status)"
            return .damaged("the gzip stream is damaged: \(reason)")
        }
    }
}
