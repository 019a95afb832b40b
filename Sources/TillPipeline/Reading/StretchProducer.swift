import TillInput

/// Cuts the bytes of the sources, one after the other, into stretches that can be read at once.
///
/// A stretch ends where a document seems to begin (``Framer/lastCut(in:limit:)``); what follows goes into the next.
struct StretchProducer {
    private let files: [InputFile]
    private let chunkSize: Int
    private var next = 0
    private var reader: InputReader?
    private var carry = ByteBuffer()
    private var offset = 0

    init(_ files: [InputFile], chunkSize: Int) {
        self.files = files
        self.chunkSize = chunkSize
    }

    /// Fills `stretch`; `false` when all sources are used up.
    mutating func fill(_ stretch: Stretch) throws(InputError) -> Bool {
        if reader == nil {
            guard next < files.count else { return false }
            reader = try InputReader(files[next])
            next += 1
            offset = 0
        }
        guard let reader else { return false }
        let buffer = stretch.buffer
        buffer.removeAll()
        carry.withPaddedBytes { buffer.append($0.extracting(0..<carry.count)) }
        carry.removeAll()
        let got = try buffer.append(upTo: chunkSize) { memory throws(InputError) in try reader.read(into: memory) }
        stretch.isFinal = got < chunkSize
        stretch.source = next - 1
        stretch.streamOffset = offset
        stretch.bytesRead = reader.bytesRead
        if stretch.isFinal {
            self.reader = nil
        } else {
            buffer.withPaddedBytes { bytes in
                guard let cut = Framer.lastCut(in: bytes, limit: buffer.count) else { return }
                carry.append(bytes.extracting(cut..<buffer.count))
            }
            buffer.truncate(to: buffer.count - carry.count)
        }
        offset += buffer.count
        return true
    }
}
