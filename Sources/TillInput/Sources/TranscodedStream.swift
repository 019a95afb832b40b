import TillCore

/// Gives a source in UTF-16 as UTF-8, as much at a time as is asked for.
final class TranscodedStream {
    /// Bytes of UTF-16 that are read at a time.
    private static let readCount = 64 << 10

    private var transcoder: UTF16Transcoder
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: readCount, alignment: 16)
    /// UTF-8 that has not been given yet, from ``given`` on.
    private var output: [UInt8] = []
    private var given = 0
    private var inputIsOver = false

    init(_ transcoder: UTF16Transcoder) {
        self.transcoder = transcoder
    }

    deinit { input.deallocate() }

    /// Fills `buffer`, up to the end of the source or to where it pauses.
    ///
    /// `read` gives bytes of UTF-16, and whether the source has paused where they are fewer than were asked for.
    func read(
        into buffer: UnsafeMutableRawBufferPointer,
        _ read: (UnsafeMutableRawBufferPointer) throws(Finding) -> (count: Int, isPaused: Bool)
    ) throws(Finding) -> (count: Int, isPaused: Bool) {
        var filled = 0
        var isPaused = false
        while filled < buffer.count {
            let count = min(buffer.count - filled, output.count - given)
            if count > 0 {
                UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyBytes(
                    from: output[given..<given + count]
                )
                (filled, given) = (filled + count, given + count)
                continue
            }
            if inputIsOver || isPaused { break }
            output.removeAll(keepingCapacity: true)
            given = 0
            let got = try read(input)
            transcoder.append(UnsafeRawBufferPointer(rebasing: input[..<got.count]), to: &output)
            isPaused = got.isPaused
            guard got.count < input.count, !isPaused else { continue }
            inputIsOver = true
            transcoder.finish(into: &output)
        }
        return (filled, isPaused && filled < buffer.count)
    }
}
