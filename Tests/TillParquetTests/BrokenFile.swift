import TillColumns

@testable import TillParquet

/// A file of one column and one row group, put together by hand, so that any part of it can be wrong.
struct BrokenFile {
    let name: String
    let code: String
    /// Where the error has to say that the defect is.
    let offset: Int
    let bytes: [UInt8]

    /// - Parameters:
    ///   - offset: `nil` is the start of the footer.
    ///   - pages: headers and what follows them.
    ///   - edit: changes what the footer says.
    ///   - finish: changes the bytes of the file.
    init(
        _ name: String,
        _ code: String,
        at offset: Int? = 4,
        column: SampleColumn = .big,
        element: SchemaElement? = nil,
        codec: Int32 = 0,
        rows: Int = 3,
        pages: [[UInt8]],
        edit: (inout FileMetadata) -> Void = { _ in },
        finish: (inout [UInt8]) -> Void = { _ in }
    ) {
        let element = element ?? ParquetColumn(name: column.name, type: column.type).schemaElement
        var chunk = ChunkMetadata()
        chunk.column = ColumnMetadata(type: element.type ?? .int64, path: [element.name], codec: codec)
        chunk.valueCount = rows
        chunk.dataPageOffset = 4
        let body = pages.flatMap(\.self)
        chunk.compressedByteCount = body.count
        chunk.uncompressedByteCount = body.count
        var metadata = FileMetadata()
        metadata.schema = [SchemaElement(name: "schema", childCount: 1), element]
        metadata.rowCount = rows
        metadata.rowGroups = [RowGroupMetadata(chunks: [chunk], byteCount: body.count, rowCount: rows)]
        edit(&metadata)
        let footer = metadata.bytes
        var bytes = Array("PAR1".utf8) + body + footer
        bytes += withUnsafeBytes(of: UInt32(footer.count).littleEndian, Array.init) + Array("PAR1".utf8)
        finish(&bytes)
        self.name = name
        self.code = code
        self.offset = offset ?? 4 + body.count
        self.bytes = bytes
    }

    /// A data page of version 1, uncompressed unless `stored` is given.
    static func page(
        _ encoding: Encoding,
        count: Int = 3,
        _ payload: [UInt8],
        stored: [UInt8]? = nil,
        length: Int? = nil,
        checksum: UInt32? = nil
    ) -> [UInt8] {
        let stored = stored ?? payload
        let header = PageHeader(
            type: .data,
            uncompressedSize: length ?? payload.count,
            compressedSize: stored.count,
            checksum: checksum ?? stored.withUnsafeBytes(Compressor.checksum),
            data: .init(valueCount: count, encoding: encoding.rawValue, definitionEncoding: Encoding.rle.rawValue)
        )
        return header.bytes + stored
    }

    static func dictionary(_ entries: Int, _ payload: [UInt8]) -> [UInt8] {
        let checksum = payload.withUnsafeBytes(Compressor.checksum)
        let header = PageHeader(
            type: .dictionary,
            uncompressedSize: payload.count,
            compressedSize: payload.count,
            checksum: checksum,
            dictionary: .init(entryCount: entries, encoding: Encoding.plain.rawValue)
        )
        return header.bytes + payload
    }

    /// Levels of three values, then three numbers.
    static let levels: [UInt8] = [2, 0, 0, 0, 6, 1]
    static let numbers: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]
    static let good = page(.plain, levels + numbers)
}

extension BrokenFile {
    static let all: [BrokenFile] = footers + pages + values

    private static let footers: [BrokenFile] = [
        BrokenFile("no-magic-at-start", "parquet.magic", at: 0, pages: [good], finish: { $0[0] = 0x51 }),
        BrokenFile("cut-short", "parquet.magic", at: 40, pages: [good], finish: { $0 = Array($0[..<44]) }),
        BrokenFile("too-short", "parquet.magic", at: 8, pages: [], finish: { $0 = Array("PAR1PAR1".utf8) }),
        BrokenFile(
            "footer-longer-than-file",
            "parquet.footer-length",
            at: 0,
            pages: [good],
            finish: { bytes in
                bytes.replaceSubrange(bytes.count - 8..<bytes.count - 4, with: [0xFF, 0xFF, 0xFF, 0x7F])
            }
        ).moved { $0.count - 8 },
        BrokenFile(
            "footer-cut",
            "parquet.thrift",
            at: 0,
            pages: [good],
            finish: { bytes in
                // The last twenty bytes of the footer are gone, and its length says so.
                bytes[bytes.count - 8] -= 20
                bytes.removeSubrange(bytes.count - 28..<bytes.count - 8)
            }
        ).moved { $0.count - 8 },
        BrokenFile(
            "footer-empty",
            "parquet.footer",
            at: 0,
            pages: [],
            finish: { bytes in
                bytes = Array("PAR1".utf8) + [0, 1, 0, 0, 0] + Array("PAR1".utf8)
            }
        ).moved { _ in 4 },
        BrokenFile("encrypted", "parquet.encrypted", at: 0, pages: [good], finish: { $0[$0.count - 1] = 0x45 }).moved {
            $0.count - 4
        },
        BrokenFile("schema-without-root", "parquet.schema", at: nil, pages: [good], edit: { $0.schema.removeFirst() }),
        BrokenFile(
            "schema-ends-early",
            "parquet.schema",
            at: nil,
            pages: [good],
            edit: { $0.schema[0].childCount = 2 }
        ),
        BrokenFile("schema-too-long", "parquet.schema", at: nil, pages: [good], edit: { $0.schema[0].childCount = 0 }),
        BrokenFile(
            "column-missing",
            "parquet.chunk",
            at: nil,
            pages: [good],
            edit: { metadata in
                metadata.schema[0].childCount = 2
                metadata.schema.append(ParquetColumn(name: "word", type: .text).schemaElement)
            }
        ),
        BrokenFile(
            "column-of-another-name",
            "parquet.chunk",
            at: nil,
            pages: [good],
            edit: { $0.rowGroups[0].chunks[0].path = ["x"] }
        ),
        BrokenFile(
            "column-past-footer",
            "parquet.chunk",
            at: nil,
            pages: [good],
            edit: { metadata in
                metadata.rowGroups[0].chunks[0].compressedByteCount += 1
            }
        ),
        BrokenFile(
            "column-before-start",
            "parquet.chunk",
            at: nil,
            pages: [good],
            edit: { $0.rowGroups[0].chunks[0].dataPageOffset = 3 }
        ),
        BrokenFile(
            "column-without-end",
            "parquet.chunk",
            at: nil,
            pages: [good],
            edit: { metadata in
                metadata.rowGroups[0].chunks[0].compressedByteCount = .max
            }
        ),
        BrokenFile(
            "rows-of-column",
            "parquet.row-count",
            at: nil,
            pages: [good],
            edit: { $0.rowGroups[0].chunks[0].valueCount = 4 }
        ),
        BrokenFile("rows-of-file", "parquet.row-count", at: nil, pages: [good], edit: { $0.rowCount = 4 }),
        BrokenFile("codec-not-read", "parquet.codec", at: nil, codec: 4, pages: [good]),
        BrokenFile(
            "column-of-wrong-type",
            "parquet.column-type",
            at: nil,
            column: .big,
            element: ParquetColumn(name: "big", type: .text).schemaElement,
            pages: [good]
        ),
    ]

    private static let pages: [BrokenFile] = [
        BrokenFile(
            "page-header-broken",
            "parquet.page-header",
            at: 5,
            pages: [[0x15, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]
        )
        .moved { _ in 15 },
        BrokenFile("page-header-ends-early", "parquet.page-header", pages: [Array(good[..<10])]).moved { _ in 14 },
        BrokenFile("page-past-column", "parquet.page-length", pages: [Array(good.dropLast())]),
        BrokenFile("page-too-large", "parquet.too-large", pages: [page(.plain, levels + numbers, length: 1 << 30)]),
        BrokenFile("checksum-wrong", "parquet.checksum", pages: [page(.plain, levels + numbers, checksum: 1)]),
        BrokenFile("length-wrong", "parquet.decompressed-length", pages: [page(.plain, levels + numbers, length: 31)])
            .moved { 4 + headerLength($0) },
        BrokenFile(
            "zstd-damaged",
            "parquet.compressed",
            codec: 6,
            pages: [page(.plain, levels + numbers, stored: [1, 2, 3, 4])]
        )
        .moved { 4 + headerLength($0) },
        BrokenFile(
            "gzip-damaged",
            "parquet.compressed",
            codec: 2,
            pages: [page(.plain, levels + numbers, stored: [0x1F, 0x8B, 8, 0])]
        )
        .moved { 4 + headerLength($0) + 4 },
        BrokenFile(
            "snappy-copy-from-before",
            "parquet.compressed",
            codec: 1,
            pages: [page(.plain, levels + numbers, stored: [30, 1, 9])]
        )
        .moved { 4 + headerLength($0) + 3 },
        BrokenFile(
            "snappy-length-cut",
            "parquet.compressed",
            codec: 1,
            pages: [page(.plain, levels + numbers, stored: [30, 0xF4, 1])]
        )
        .moved { 4 + headerLength($0) + 2 },
        BrokenFile("rows-missing", "parquet.row-count", pages: [page(.plain, count: 2, [2, 0, 0, 0, 4, 1] + numbers)]),
        BrokenFile(
            "rows-too-many",
            "parquet.row-count",
            pages: [page(.plain, count: 4, [2, 0, 0, 0, 8, 1] + numbers)]
        ),
    ]

    private static let values: [BrokenFile] = [
        BrokenFile("levels-past-page", "parquet.levels", pages: [page(.plain, [99, 0, 0, 0, 6, 1] + numbers)]),
        BrokenFile("levels-end-early", "parquet.levels", pages: [page(.plain, [2, 0, 0, 0, 4, 1] + numbers)]),
        BrokenFile("level-too-high", "parquet.levels", pages: [page(.plain, [2, 0, 0, 0, 6, 2] + numbers)]),
        BrokenFile("values-end-early", "parquet.values", pages: [page(.plain, levels + numbers.dropLast())]),
        BrokenFile(
            "differences-end-early",
            "parquet.values",
            pages: [page(.deltaBinaryPacked, levels + [128, 1, 4, 3, 2, 2, 9, 9, 9, 9])]
        ),
        BrokenFile(
            "differences-of-no-blocks",
            "parquet.values",
            pages: [page(.deltaBinaryPacked, levels + [0, 0, 3, 2])]
        ),
        BrokenFile("encoding-not-of-type", "parquet.encoding", pages: [page(.deltaByteArray, levels + numbers)]),
        BrokenFile(
            "text-past-page",
            "parquet.values",
            column: .word,
            pages: [page(.plain, levels + [9, 0, 0, 0, 65])]
        ),
        BrokenFile(
            "text-not-utf8",
            "parquet.utf8",
            column: .word,
            rows: 1,
            pages: [page(.plain, count: 1, [2, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0xFF])]
        ),
        BrokenFile(
            "lengths-past-page",
            "parquet.values",
            column: .word,
            pages: [page(.deltaLengthByteArray, levels + [128, 1, 4, 3, 20, 0, 0, 0, 0, 0, 65])]
        ),
        BrokenFile(
            "dictionary-missing",
            "parquet.dictionary",
            column: .word,
            pages: [page(.rleDictionary, levels + [1, 6, 0])]
        ),
        BrokenFile(
            "dictionary-shorter",
            "parquet.dictionary",
            column: .word,
            pages: [dictionary(9, [1, 0, 0, 0, 65]), page(.rleDictionary, levels + [1, 6, 0])]
        ),
        BrokenFile(
            "dictionary-twice",
            "parquet.dictionary",
            column: .word,
            pages: [dictionary(1, [1, 0, 0, 0, 65]), dictionary(1, [1, 0, 0, 0, 65])]
        )
        .moved { 4 + headerLength($0) + 5 },
        BrokenFile(
            "index-past-dictionary",
            "parquet.dictionary-index",
            column: .word,
            pages: [dictionary(1, [1, 0, 0, 0, 65]), page(.rleDictionary, levels + [1, 6, 1])]
        )
        .moved { 4 + headerLength($0) + 5 },
        BrokenFile(
            "indexes-too-wide",
            "parquet.values",
            column: .word,
            pages: [dictionary(1, [1, 0, 0, 0, 65]), page(.rleDictionary, levels + [33, 6, 1])]
        )
        .moved { 4 + headerLength($0) + 5 },
        BrokenFile(
            "number-too-large",
            "parquet.range",
            column: .small,
            element: ParquetColumn(name: "small", type: .int64).schemaElement,
            rows: 1,
            pages: [page(.plain, count: 1, [2, 0, 0, 0, 2, 1, 0, 0, 0, 128, 0, 0, 0, 0])]
        ),
        BrokenFile(
            "instant-inexact",
            "parquet.inexact-instant",
            column: .at,
            element: microseconds,
            rows: 1,
            pages: [page(.plain, count: 1, [2, 0, 0, 0, 2, 1] + numbers.prefix(8))]
        ),
    ]

    private static let microseconds = SchemaElement(
        name: "at",
        type: .int64,
        repetition: .optional,
        logicalType: .timestamp(.microseconds, isAdjustedToUTC: true)
    )

    /// The length of the first page's header.
    private static func headerLength(_ bytes: [UInt8]) -> Int {
        (try? PageHeader.read(Array(bytes[4...])))?.length ?? -1
    }

    private func moved(_ offset: ([UInt8]) -> Int) -> BrokenFile {
        BrokenFile(name: name, code: code, offset: offset(bytes), bytes: bytes)
    }

    private init(name: String, code: String, offset: Int, bytes: [UInt8]) {
        (self.name, self.code, self.offset, self.bytes) = (name, code, offset, bytes)
    }
}
