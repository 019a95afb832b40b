import TillCore
import TillInput

/// Finds where in a stream the documents of a ``ByteRange`` begin and end.
struct RangeReader {
    let range: ByteRange
    /// The offset in the stream from which no document is begun, if known.
    private(set) var stop: Int?
    /// Whether the examined bytes end with a line feed; the next byte then decides.
    private var endsWithLineFeed = false

    init(_ range: ByteRange) {
        self.range = range
    }

    /// Drops the bytes before the first place of the range, and reads on until it is there.
    ///
    /// - Parameters:
    ///   - buffer: bytes of the source from ``ByteRange/firstByte`` on.
    ///   - readOn: appends further bytes; whether the source ends with them.
    /// - Returns: where the buffer begins in the stream afterwards.
    mutating func begin(
        _ buffer: ByteBuffer,
        isFinal: inout Bool,
        readOn: () throws(Finding) -> Bool
    ) throws(Finding) -> Int {
        guard range.begin > 0 else { return 0 }
        endsWithLineFeed = true
        var dropped = 0
        while true {
            let place = buffer.withPaddedBytes { bytes in
                Framer.placeOfDocument(in: bytes, at: 0, limit: buffer.count, isFinal: isFinal)
            }
            if let place {
                buffer.removeFirst(place)
                return range.firstByte + dropped + place
            }
            // A line feed at the very end is kept, because the next byte decides.
            let count = max(0, buffer.count - 1)
            buffer.removeFirst(count)
            dropped += count
            isFinal = try readOn()
        }
    }

    /// Looks for the end of the range in the next bytes of the stream.
    mutating func look(at buffer: ByteBuffer, streamOffset: Int) {
        guard let end = range.end, stop == nil, buffer.count > 0 else { return }
        buffer.withPaddedBytes { bytes in
            let start = max(0, end - 1 - streamOffset)
            stop = Framer.placeOfDocument(
                in: bytes,
                at: start,
                isBehindLineFeed: endsWithLineFeed && streamOffset >= end,
                limit: buffer.count,
                isFinal: false
            ).map { $0 + streamOffset }
            endsWithLineFeed = bytes.lastIndex(of: 0x0A, before: buffer.count) == buffer.count - 1
        }
    }
}
