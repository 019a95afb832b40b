import TillCore

/// Reads the pages of one column chunk, one after the other, decompressed.
final class PageReader {
    /// Bytes of the largest page that is read, decompressed.
    static let pageLimit = 128 << 20
    /// Bytes of the longest page header, which may contain statistics.
    private static let headerLimit = 1 << 20

    private let source: any ParquetSource
    private let decompressor: Decompressor
    private let isUncompressed: Bool
    private let end: Int
    private var position: Int
    /// The column, for errors.
    let path: String

    private var stored = ByteSink()
    private(set) var page = ByteSink()
    private(set) var header = PageHeader()
    /// The offset of the current page in the file, after its header.
    private(set) var pageStart = 0
    private var payload = 0..<0

    init(_ chunk: ChunkMetadata, of file: ParquetFile, path: String) throws(Finding) {
        guard let codec = ParquetCodec(rawValue: chunk.codec) else {
            let name = ParquetCodec.unread[chunk.codec] ?? "number \(chunk.codec)"
            let reason = "codec \(name) is not read; write it with zstd, Snappy, gzip or none"
            throw Finding("parquet.codec", at: file.footerStart, path: path, reason)
        }
        guard let range = chunk.range else {
            throw Finding("parquet.chunk", at: file.footerStart, path: path, "no place")
        }
        source = file.source
        decompressor = Decompressor(codec)
        isUncompressed = codec == .uncompressed
        (position, end) = (range.lowerBound, range.upperBound)
        self.path = path
    }

    func error(_ code: String, _ reason: String) -> Finding {
        Finding(code, at: pageStart, path: path, reason)
    }

    /// Goes to the next page and reads its header; `false` if there is none.
    func advance() throws(Finding) -> Bool {
        guard position < end else { return false }
        pageStart = position
        let length = try readHeader()
        let start = position + length
        guard header.compressedSize <= end - start else {
            throw error("parquet.page-length", "a page of \(header.compressedSize) bytes reaches past its column chunk")
        }
        guard header.uncompressedSize <= Self.pageLimit, header.compressedSize <= Self.pageLimit else {
            let size = max(header.uncompressedSize, header.compressedSize)
            throw error("parquet.too-large", "a page of \(size) bytes (limit: page size, \(Self.pageLimit))")
        }
        payload = start..<start + header.compressedSize
        position = payload.upperBound
        return true
    }

    private func readHeader() throws(Finding) -> Int {
        var length = min(512, end - position)
        while true {
            do {
                let (header, used) = try PageHeader.read(try source.bytes(position..<position + length))
                self.header = header
                return used
            } catch  where error.cause == .defect {
                // Perhaps only our read was too short.
                guard length < min(end - position, Self.headerLimit) else {
                    let reason = "a page header is broken: \(error.reason)"
                    throw Finding("parquet.page-header", at: position + error.offset, path: path, reason)
                }
                length = min(length * 16, end - position, Self.headerLimit)
            }
        }
    }

    /// Reads the bytes after the header, decompressed, into ``page``.
    func load() throws(Finding) {
        stored.removeAll()
        stored.reserve(payload.count)
        try source.read(
            at: payload.lowerBound,
            into: UnsafeMutableRawBufferPointer(start: stored.memory, count: payload.count)
        )
        stored.advance(payload.count)
        if let checksum = header.checksum, checksum != Compressor.checksum(stored.bytes) {
            throw error("parquet.checksum", "the checksum of the page does not match")
        }
        // In version 2, the levels are never compressed.
        let (levels, isOver) = header.repetitionLevelsLength
            .addingReportingOverflow(header.definitionLevelsLength)
        guard !isOver, levels <= header.uncompressedSize, levels <= header.compressedSize else {
            throw error("parquet.levels", "levels of \(levels) bytes in a page of \(header.uncompressedSize)")
        }
        page.removeAll()
        page.reserve(header.uncompressedSize)
        page.append(UnsafeRawBufferPointer(rebasing: stored.bytes[..<levels]))
        let rest = UnsafeRawBufferPointer(rebasing: stored.bytes[levels...])
        let output = UnsafeMutableRawBufferPointer(
            start: page.memory + levels,
            count: header.uncompressedSize - levels
        )
        if header.type == .dataV2, header.dataV2?.isCompressed == false || rest.isEmpty || isUncompressed {
            guard rest.count == output.count else {
                throw error(
                    "parquet.decompressed-length",
                    "the page header says \(output.count) bytes, the page has \(rest.count)"
                )
            }
            output.copyMemory(from: rest)
        } else {
            do {
                try decompressor.decompress(rest, into: output)
            } catch {
                throw error.at(payload.lowerBound + levels + error.offset, path: path)
            }
        }
        page.advance(output.count)
    }
}
