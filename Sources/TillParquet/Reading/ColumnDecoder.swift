import TillColumns
import TillCore

/// Reads one column chunk into words of our columns, a few rows at a time.
final class ColumnDecoder {
    /// The largest number of rows per read.
    static let stepRows = 4096

    private let reader: PageReader
    private let conversion: ValueConversion
    private let type: PhysicalType
    private let isOptional: Bool
    /// Rows of the chunk in pages that are not read yet.
    private var unseenRows: Int
    /// Rows of the current page that are not read yet.
    private var pageRows = 0
    private var isLoaded = false
    private var levels: RunLengthDecoder?
    private var values: ValueDecoder?
    private var dictionary: DictionaryPage?
    private let dropsEmptyTexts: Bool
    private let scratch = UnsafeMutablePointer<Int64>.allocate(capacity: stepRows)
    private let flags = UnsafeMutablePointer<Int64>.allocate(capacity: stepRows)

    init(
        _ leaf: ParquetFile.Leaf,
        chunk: ChunkMetadata,
        of file: ParquetFile,
        as type: ColumnType,
        dropsEmptyTexts: Bool
    ) throws(Finding) {
        self.dropsEmptyTexts = dropsEmptyTexts
        let name = leaf.path[0]
        guard let conversion = ValueConversion(from: leaf.element, to: type), let physical = leaf.element.type else {
            let found = "\(leaf.element.type.map { "\($0)" } ?? "group") \(leaf.element.effectiveLogicalType)"
            let reason = "a column of type \(found) cannot be read as \(type)"
            throw Finding("parquet.column-type", at: file.footerStart, path: name, reason)
        }
        self.conversion = conversion
        self.type = physical
        isOptional = leaf.isOptional
        unseenRows = chunk.valueCount
        reader = try PageReader(chunk, of: file, path: name)
    }

    deinit {
        scratch.deallocate()
        flags.deallocate()
    }

    /// Reads the cells of the next `count` rows, ``stepRows`` at most.
    ///
    /// - Parameters:
    ///   - words: a word for each row; the words of nulls are not changed.
    ///   - presence: bit `column` is set for a value.
    ///   - batch: the number of the batch whose dictionary `texts` is.
    func read(
        _ count: Int,
        words: UnsafeMutablePointer<Int64>,
        presence: UnsafeMutablePointer<UInt64>,
        column: Int,
        texts: inout TextDictionary,
        batch: Int
    ) throws(Finding) {
        var done = 0
        while done < count {
            try beginPage()
            let taken = min(count - done, pageRows)
            do {
                try read(taken, words + done, presence + done, 1 << UInt64(column), &texts, batch)
            } catch {
                throw error.at(reader.pageStart, path: reader.path)
            }
            pageRows -= taken
            done += taken
        }
    }

    // MARK: Pages

    private func beginPage() throws(Finding) {
        while pageRows == 0 { try advance() }
        try load()
    }

    /// Goes to the next data page, reading a dictionary page before it.
    private func advance() throws(Finding) {
        while true {
            guard try reader.advance() else {
                throw reader.error("parquet.row-count", "the column has \(unseenRows) rows less than its row group")
            }
            isLoaded = false
            switch reader.header.type {
            case .data, .dataV2:
                guard let count = reader.header.valueCount else {
                    throw reader.error("parquet.page-header", "a data page without the number of its values")
                }
                guard count <= unseenRows else {
                    throw reader.error("parquet.row-count", "the column has more rows than its row group")
                }
                unseenRows -= count
                pageRows = count
                return
            case .dictionary: try readDictionary()
            // Index pages were never defined. Pages of unknown types are skipped, as the format requires.
            case .index, nil: break
            }
        }
    }

    private func readDictionary() throws(Finding) {
        guard dictionary == nil else { throw reader.error("parquet.dictionary", "a second dictionary") }
        let encoding = reader.header.encoding ?? -1
        guard let count = reader.header.valueCount, [0, 2].contains(encoding), type != .boolean else {
            throw reader.error(
                "parquet.dictionary",
                "a dictionary page that is not plain, or without the number of its entries"
            )
        }
        try reader.load()
        // An entry has at least four bytes, so the count is checked before memory is allocated.
        guard count <= reader.page.count / 4 else {
            throw reader.error("parquet.dictionary", "a dictionary of \(count) entries in \(reader.page.count) bytes")
        }
        do {
            dictionary = try DictionaryPage(reader.page.bytes, count: count, type: type, conversion: conversion)
        } catch {
            let code = error.cause == .brokenValues ? "parquet.dictionary" : error.code
            throw reader.error(code, "a dictionary: \(error.reason)")
        }
    }

    /// Reads the current data page, unless it has been read.
    private func load() throws(Finding) {
        guard !isLoaded else { return }
        isLoaded = true
        try reader.load()
        let header = reader.header
        let bytes = reader.page.bytes
        var start = header.repetitionLevelsLength + header.definitionLevelsLength
        levels = nil
        if header.type == .dataV2 {
            let range = header.repetitionLevelsLength..<start
            if isOptional {
                levels = RunLengthDecoder(
                    UnsafeRawBufferPointer(rebasing: bytes[range]),
                    width: 1,
                    code: "parquet.levels"
                )
            }
        } else if isOptional {
            guard header.data?.definitionEncoding ?? 3 == Encoding.rle.rawValue else {
                throw reader.error(
                    "parquet.encoding",
                    "levels of encoding \(header.data?.definitionEncoding ?? -1) are not read"
                )
            }
            guard bytes.count >= 4 else { throw reader.error("parquet.levels", "levels end early") }
            let length = Int(bytes.loadUnaligned(as: UInt32.self).littleEndian)
            guard length <= bytes.count - 4 else {
                throw reader.error("parquet.levels", "levels of \(length) bytes in a page of \(bytes.count)")
            }
            start = 4 + length
            levels = RunLengthDecoder(
                UnsafeRawBufferPointer(rebasing: bytes[4..<start]),
                width: 1,
                code: "parquet.levels"
            )
        }
        // A page of nulls has no values, and may lack the first bytes of values.
        values = nil
        self.start = start
    }

    private var start = 0

    private func beginValues() throws(Finding) {
        guard values == nil else { return }
        let bytes = UnsafeRawBufferPointer(rebasing: reader.page.bytes[start...])
        let encoding = reader.header.encoding ?? 0
        values = try ValueDecoder(encoding, type, bytes, base: start, dictionaryCount: dictionary?.count)
    }

    // MARK: Cells

    /// Reads levels into ``flags``, and begins the values if there are any. Returns their number.
    private func readLevels(_ count: Int) throws(Finding) -> Int {
        var present = count
        if levels != nil {
            try levels?.read(count, into: flags)
            present = 0
            for index in 0..<count { present += Int(flags[index]) }
        }
        if present > 0 { try beginValues() }
        return present
    }

    private func read(
        _ count: Int,
        _ words: UnsafeMutablePointer<Int64>,
        _ presence: UnsafeMutablePointer<UInt64>,
        _ bit: UInt64,
        _ texts: inout TextDictionary,
        _ batch: Int
    ) throws(Finding) {
        let present = try readLevels(count)
        guard present > 0 else { return }
        try values?.read(present, into: scratch)
        try translate(present, &texts, batch)
        let mayBeEmpty = dropsEmptyTexts && type == .byteArray
        if present == count, !mayBeEmpty {
            words.update(from: scratch, count: count)
            for index in 0..<count { presence[index] |= bit }
            return
        }
        var next = 0
        for index in 0..<count where present == count || flags[index] == 1 {
            words[index] = scratch[next]
            if !mayBeEmpty || scratch[next] != Self.emptyText { presence[index] |= bit }
            next += 1
        }
    }

    /// The word of an empty text that is read as absent. No text has it.
    private static let emptyText = Int64.min

    /// Turns raw values into words.
    private func translate(_ count: Int, _ texts: inout TextDictionary, _ batch: Int) throws(Finding) {
        if values?.isIndexed == true { return translateIndexes(count, &texts, batch) }
        guard type == .byteArray else {
            return try conversion.convert(scratch, count: count, isNarrow: type == .int32)
        }
        if case .sharedTexts(let shared) = values {
            return try shared.texts.span.bytes.withUnsafeBytes { bytes throws(Finding) in
                try translateTexts(count, in: bytes, &texts)
            }
        }
        try translateTexts(count, in: reader.page.bytes, &texts)
    }

    private func translateTexts(
        _ count: Int,
        in bytes: UnsafeRawBufferPointer,
        _ texts: inout TextDictionary
    ) throws(Finding) {
        for index in 0..<count {
            let text = TextPlace(word: scratch[index]).bytes(in: bytes)
            try text.checkUTF8()
            scratch[index] = word(of: text, &texts)
        }
    }

    private func translateIndexes(_ count: Int, _ texts: inout TextDictionary, _ batch: Int) {
        if type == .byteArray {
            dictionary?.translate(scratch, count: count, batch: batch) { word(of: $0, &texts) }
        } else {
            dictionary?.translate(scratch, count: count)
        }
    }

    private func word(of text: UnsafeRawBufferPointer, _ texts: inout TextDictionary) -> Int64 {
        if dropsEmptyTexts, text.isEmpty { return Self.emptyText }
        let bytes = RawSpan(_unsafeBytes: text)
        if case .identifier = conversion { return Identifier(bytes, in: &texts).word }
        return Int64(texts.code(for: bytes))
    }
}
