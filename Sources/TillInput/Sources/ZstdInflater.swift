import CZstd
import TillCore

/// Inflates zstd frames (RFC 8878). Skippable frames are skipped. The checksum of a frame is checked if it has one.
///
/// A frame may need a window of up to 128 MiB, the default limit of the command `zstd`. The limit bounds memory.
final class ZstdInflater: Inflater {
    /// The binary logarithm of the largest window, in bytes.
    private static let windowBits: Int32 = 27

    private let context: OpaquePointer

    let code = InputDefect.zstd
    let name = "zstd"
    let memberName = "frame"

    /// A frame begins with 0xFD2FB528, a skippable frame with 0x184D2A50…0x184D2A5F, both little-endian (RFC 8878
    /// §3.1).
    static func recognizes(_ magic: [UInt8]) -> Bool {
        guard magic.count >= 4 else { return false }
        return magic.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
            || magic[0] & 0xF0 == 0x50 && magic[1...3].elementsEqual([0x2A, 0x4D, 0x18])
    }

    func firstBeginning(in bytes: UnsafeRawBufferPointer) -> Int? {
        // Skippable frames are rare and begin in sixteen ways, so the search is only for other frames.
        RawSpan(_unsafeBytes: bytes).firstIndex(of: 0x28) { index in
            bytes.count - index >= 4 && Self.recognizes(Array(bytes[index..<index + 4]))
        }
    }

    init(source: String) throws(Finding) {
        guard let context = ZSTD_createDCtx() else {
            throw Finding(.zstd, source: source, reason: "libzstd could not be set up")
        }
        self.context = context
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.windowBits)
    }

    deinit {
        ZSTD_freeDCtx(context)
    }

    func beginMember() {
        ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
    }

    func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> InflationStep {
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let status = ZSTD_decompressStream(context, &target, &source)
        return InflationStep(consumed: source.pos, written: target.pos, outcome: outcome(status))
    }

    private func outcome(_ status: Int) -> InflationStep.Outcome {
        guard ZSTD_isError(status) != 0 else { return status == 0 ? .ended : .unfinished }
        if ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge {
            let limit = (1 << Self.windowBits) >> 20
            return .damaged("the zstd stream needs a window of more than \(limit) MiB (limit: window size)")
        }
        return .damaged("the zstd stream is damaged: \(String(cString: ZSTD_getErrorName(status)))")
    }
}
