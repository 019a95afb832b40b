import TillInput
import TillReceipts
import TillRows

/// A stretch of input on its way through the pipeline, with everything that is needed to read it.
///
/// It goes from the producer to a worker and to the consumer, one owner at a time, and is then used again, so that a
/// run of any length allocates a handful of them.
final class Stretch: @unchecked Sendable {
    let buffer = ByteBuffer()
    var rows = RowBatch()
    private(set) var summary = DocumentReader.Summary()
    private var reader: DocumentReader

    /// Which of the run's sources it is of.
    var source = 0
    /// Where in the decompressed stream it begins.
    var streamOffset = 0
    /// Whether its source ends with it.
    var isFinal = false
    /// Bytes of the source, as it is stored, that had been read when it was.
    var bytesRead = 0

    /// The compression of its source, if any.
    var compression: String?
    /// The header of its source, where that is delimited text.
    var csvHeader: CSVHeader?

    init(_ reader: DocumentReader, keepsSigners: Bool, wanted: RowBatch.Wanted) {
        self.reader = reader
        rows.keepsSigners = keepsSigners
        rows.wanted = wanted
    }

    /// How its documents were read, where that is kept.
    var traces: [DocumentTrace] { reader.traces }

    /// Reads its documents.
    func read() {
        rows.removeAll()
        reader.csvHeader = csvHeader
        summary = buffer.withPaddedBytes { bytes in
            reader.read(bytes, limit: buffer.count, streamOffset: streamOffset, isFinal: isFinal, into: &rows)
        }
    }

    /// Takes none of its bytes for a document.
    func leaveUnread() {
        rows.removeAll()
        summary = DocumentReader.Summary()
    }

    /// Bytes at the end that are the beginning of something longer.
    var unreadCount: Int { buffer.count - summary.consumed }
}
