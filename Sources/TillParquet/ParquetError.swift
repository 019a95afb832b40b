/// The reason why a Parquet file cannot be read: its defect, and the place of the defect.
public struct ParquetError: Error, Hashable, Sendable {
    /// A stable name, `parquet.defect`.
    public enum Code: String, Sendable, CaseIterable {
        /// The file does not begin or end with `PAR1`, or is too short to.
        case magic = "parquet.magic"
        /// The footer's length is not one that the file can hold.
        case footerLength = "parquet.footer-length"
        /// The footer ends inside a value, or has an impossible value.
        case footer = "parquet.footer"
        /// Bytes that are not in Thrift's compact protocol.
        case thrift = "parquet.thrift"
        /// The schema is not a tree, or is too large.
        case schema = "parquet.schema"
        /// The type of a column cannot be converted to ours.
        case columnType = "parquet.column-type"
        /// The footer of an encrypted file.
        case encrypted = "parquet.encrypted"
        /// A column chunk is in another file, or outside this one.
        case chunk = "parquet.chunk"
        /// A page header is broken or missing.
        case pageHeader = "parquet.page-header"
        /// A page extends past the end of its column chunk, or its parts past its own end.
        case pageLength = "parquet.page-length"
        /// A page, list or text over a limit.
        case tooLarge = "parquet.too-large"
        /// The checksum of a page differs from its header.
        case checksum = "parquet.checksum"
        /// An unsupported codec.
        case codec = "parquet.codec"
        /// Compressed bytes that do not decompress.
        case compressed = "parquet.compressed"
        /// The decompressed length of a page differs from its header.
        case decompressedLength = "parquet.decompressed-length"
        /// An encoding that is unsupported, or unsupported for this type.
        case encoding = "parquet.encoding"
        /// Definition levels that end early or are out of range.
        case levels = "parquet.levels"
        /// A dictionary page that is missing, repeated or broken.
        case dictionary = "parquet.dictionary"
        /// An index past the end of the dictionary.
        case dictionaryIndex = "parquet.dictionary-index"
        /// Values that end early.
        case values = "parquet.values"
        /// Text that is not UTF-8.
        case utf8 = "parquet.utf8"
        /// A number that our column cannot hold.
        case range = "parquet.range"
        /// An instant that is not a whole number of milliseconds.
        case inexactInstant = "parquet.inexact-instant"
        /// A column has fewer or more rows than its row group.
        case rowCount = "parquet.row-count"
        /// The file has the columns of none of the tables.
        case table = "parquet.table"
        /// The schema version is newer than this program.
        case version = "parquet.version"
    }

    /// The kind of defect; ``reason`` tells it in words.
    public var code: Code
    /// Bytes from the start of the file to the defect, or to the page that has it.
    public var offset: Int
    /// The column's name; empty if the defect is not in a column.
    public var path: String
    /// One clause for a person.
    public var reason: String

    /// Makes an error; `path` stays empty if the defect is not in a column.
    public init(_ code: Code, at offset: Int, path: String = "", _ reason: String) {
        self.code = code
        self.offset = offset
        self.path = path
        self.reason = reason
    }

    /// The same defect, with the offset in the enclosing bytes.
    func moved(by base: Int, path: String) -> ParquetError {
        ParquetError(code, at: base + offset, path: self.path.isEmpty ? path : self.path, reason)
    }
}

extension ParquetError: CustomStringConvertible {
    public var description: String {
        let place = path.isEmpty ? "@ \(offset)" : "@ \(offset) \(path)"
        return "\(place): \(reason) (\(code.rawValue))"
    }
}
