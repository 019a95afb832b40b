import CZlib

/// Inflates with zlib.
final class ZlibDecoder: DeflateDecoder {
    private var stream = z_stream()

    init?() {
        // -15: a window of 2¹⁵ bytes, and a raw stream without a header or trailer.
        guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
    }

    deinit {
        inflateEnd(&stream)
    }

    func begin() {
        inflateReset(&stream)
    }

    func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> InflationStep {
        // zlib counts in 32 bits. Its type for input is mutable, but it does not change the input.
        let (inputCount, outputCount) = (min(input.count, Int(UInt32.max)), min(output.count, Int(UInt32.max)))
        stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.avail_in = UInt32(inputCount)
        stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.avail_out = UInt32(outputCount)
        let status = CZlib.inflate(&stream, Z_NO_FLUSH)
        let outcome: InflationStep.Outcome =
            switch status {
            case Z_STREAM_END: .ended
            // Z_BUF_ERROR says only that there was no input or no room for output.
            case Z_OK, Z_BUF_ERROR: .unfinished
            default: .damagedData
            }
        return InflationStep(
            consumed: inputCount - Int(stream.avail_in),
            written: outputCount - Int(stream.avail_out),
            outcome: outcome
        )
    }

    func checksum(_ sum: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var checksum = Checksum(value: sum)
        checksum.update(RawSpan(_unsafeBytes: bytes))
        return checksum.value
    }
}
