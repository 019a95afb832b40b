import Foundation
import TillColumns
import TillCore
import TillInput
import TillReceipts
import TillRows

/// What reading a text came to, its cells as text, so that they can be compared and shown.
struct SignedReading: Equatable {
    typealias Row = [String: String]

    struct Reject: Equatable {
        var code: String
        var path: String
        var offset: Int
        var kind: String?
        var reason: String
        /// The document as it came.
        var raw: [UInt8]
    }

    var accepted = 0
    var consumed = 0
    var rejects: [Reject] = []
    var transactions: [Row] = []
    var documents: [Row] = []
    var renewals: [Row] = []
    var events: [Row] = []
    /// The dictionaries of all chunks, one after the other. A text that several chunks use occurs several times.
    var texts: [String] = []

    var codes: [String] { rejects.map(\.code) }

    init(_ text: String, format: String? = nil) {
        self.init(Array(text.utf8), format: format)
    }

    init(_ bytes: [UInt8], format: String? = nil) {
        var reader = DocumentReader(format: format)
        consumed = read(bytes[...], isFinal: true, with: &reader)
    }

    /// Reads `bytes` in two chunks that meet at `cut`, as from a stream.
    init(_ bytes: [UInt8], cutAt cut: Int) {
        var reader = DocumentReader()
        let position = read(bytes[..<cut], isFinal: false, with: &reader)
        consumed = position + read(bytes[position...], isFinal: true, with: &reader)
    }

    private mutating func read(_ bytes: ArraySlice<UInt8>, isFinal: Bool, with reader: inout DocumentReader) -> Int {
        var rows = RowBatch()
        let padded = Array(bytes) + Array(repeating: 0, count: ByteBuffer.padding)
        let summary = reader.read(
            padded.span.bytes,
            limit: bytes.count,
            streamOffset: bytes.startIndex,
            isFinal: isFinal,
            into: &rows
        )
        let number = accepted + rejects.count
        accepted += summary.accepted
        rejects += summary.rejects.map { reject in
            Reject(
                code: reject.diagnostic.code,
                path: reject.diagnostic.path,
                offset: reject.diagnostic.innerOffset,
                kind: reject.kind,
                reason: reject.diagnostic.reason,
                raw: reject.bytes(in: padded.span.bytes) ?? []
            )
        }
        transactions += Self.cells(of: rows.transactions, in: rows.dictionary, from: number)
        documents += Self.cells(of: rows.documents, in: rows.dictionary, from: number)
        renewals += Self.cells(of: rows.renewals, in: rows.dictionary, from: number)
        events += Self.cells(of: rows.events, in: rows.dictionary, from: number)
        texts += (0..<rows.dictionary.count).map(rows.dictionary.text(of:))
        return summary.consumed
    }

    private static func cells<Column: TableColumn>(
        of batch: borrowing RecordBatch<Column>,
        in dictionary: TextDictionary,
        from firstDocument: Int
    ) -> [Row] {
        var rows: [Row] = []
        for index in 0..<batch.rowCount {
            var row: Row = [:]
            for column in Column.allCases {
                guard var word = batch[column, index] else { continue }
                if column.name == "document" { word += Int64(firstDocument) }
                row[column.name] =
                    switch column.type {
                    case .text: dictionary.text(of: Int(word))
                    case .identifier: Identifier(word: word).text(in: dictionary)
                    case .int64, .int32: String(word)
                    case .bool: word == 0 ? "false" : "true"
                    case .instant: Timestamp(milliseconds: word).text(alwaysWithMilliseconds: true)
                    }
            }
            rows.append(row)
        }
        return rows
    }
}

/// Makes texts that look signed. The signature is 64 zeros, which no check may accept.
enum Unsigned {
    static let header = #"{"alg":"ES256","x5c":[]}"#

    static func jws(_ payload: String, header: String = header) -> String {
        [Array(header.utf8), Array(payload.utf8), [UInt8](repeating: 0, count: 64)].map(segment).joined(separator: ".")
    }

    static func segment(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encode(bytes), as: UTF8.self).replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// `text` as a JSON string, quotes included.
    static func quoted(_ text: String) -> String {
        let escaped = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
            .replacingOccurrences(of: "\n", with: "\\n")
        return "\"\(escaped)\""
    }
}
