public import TillCore
import TillInput
package import TillJSON

/// A reject of an earlier run, from a line of `--rejects`.
///
///     {"source":"dump.ndjson","document":4,"line":7,"offset":120,…,"code":"json.syntax",…,"raw":"{…","raw_encoding":"utf8"}
///
/// If the document is rejected again, the reject has its original position, not the position of the line.
public struct EarlierReject: Hashable, Sendable {
    /// The position of a document in the input of an earlier run.
    public struct Place: Hashable, Sendable {
        /// The number of the document in its source, from 1.
        public var document: Int
        /// The position in the source of the earlier run, not in the source that holds the line.
        public var position: SourcePosition
    }

    /// Where the document stood; `nil` if the line does not say, or says what cannot be.
    public var place: Place?
    /// Its finding; `nil` if the line has none.
    var finding: Diagnostic?
    var kind: String?
    /// The document; `nil` if the line was written without it.
    public var raw: [UInt8]?

    /// The finding as an error without a place.
    var error: Finding { Finding(finding?.code ?? "", finding?.reason ?? "") }

    /// Bytes of the longest texts that are believed.
    private static let longestText = 4096
    private static let longestCode = 64

    /// Reads the line at the cursor; `nil` if the object is no such line.
    package init?(at start: borrowing JSONCursor) {
        var members = MemberReader(Key.allCases.map(\.rawValue))
        var cursor = copy start
        guard (try? Self.read(&members, in: &cursor)) != nil else { return nil }
        let line = Line(members: members)
        place = line.place(in: cursor)
        finding = line.finding(in: cursor)
        kind = line.text(.kind, in: cursor, upTo: Self.longestCode).flatMap { name in
            ReceiptFormatRegistry.format(named: name).map { $0.name }
        }
        if let token = line[.raw], token.kind == .string, let encoding = line[.rawEncoding] {
            raw = Self.octets(of: token, encoding, in: cursor)
        } else if line[.raw] != nil || line[.innerOffset] == nil || place == nil || finding == nil {
            return nil
        }
    }

    /// Whether a new finding equals the earlier one.
    ///
    /// A row of delimited text has lost its header, and of a document over the size limit only the beginning is left.
    ///
    /// - Parameter isAlone: whether the document has no other defect.
    func isRepeated(by other: Diagnostic, alone isAlone: Bool) -> Bool {
        guard let finding else { return false }
        guard let raw else { return true }
        if finding.code == other.code { return Self.isSame(finding.path, other.path) }
        let isCut = finding.code == Defect.tooLarge.code && raw.count < place?.position.length ?? 0
        return isAlone && (isCut || finding.code.hasPrefix("csv."))
    }

    /// Whether two paths lead to one defect: one may begin with the column, or the member, that held the document.
    private static func isSame(_ path: String, _ other: String) -> Bool {
        let (longer, shorter) = path.utf8.count < other.utf8.count ? (other, path) : (path, other)
        return longer == shorter || longer.hasSuffix(" › " + shorter) || shorter.isEmpty && !longer.contains(" › ")
    }

    private enum Key: String, CaseIterable {
        case source, document, line, offset, length, code, reason, path, kind, raw
        case innerOffset = "inner_offset"
        case rawEncoding = "raw_encoding"
    }

    @_lifetime(cursor: copy cursor)
    private static func read(_ members: inout MemberReader, in cursor: inout JSONCursor) throws(Finding) {
        try members.enter(&cursor)
        while try members.nextUnread(in: &cursor) != nil { try cursor.skipValue() }
    }

    private static func octets(
        of token: JSONToken,
        _ encoding: JSONToken,
        in cursor: borrowing JSONCursor
    ) -> [UInt8] {
        var text: [UInt8] = []
        cursor.appendText(of: token, to: &text)
        guard cursor.raw(encoding).equals("base64") else { return text }
        var decoded: [UInt8] = []
        return (try? Base64.decode(text.span.bytes, into: &decoded)) == nil ? text : decoded
    }

    /// The members of a line. A line may have been written by anybody, so each value is checked.
    private struct Line {
        let members: MemberReader

        subscript(key: Key) -> JSONToken? { Key.allCases.firstIndex(of: key).flatMap { members[$0] } }

        func place(in cursor: borrowing JSONCursor) -> Place? {
            guard let source = text(.source, in: cursor, upTo: longestText), !source.isEmpty,
                let document = number(.document, from: 1, in: cursor), let line = number(.line, from: 1, in: cursor),
                let offset = number(.offset, from: 0, in: cursor), let length = number(.length, from: 0, in: cursor)
            else { return nil }
            let position = SourcePosition(source: source, line: line, offset: offset, length: length)
            return Place(document: document, position: position)
        }

        func finding(in cursor: borrowing JSONCursor) -> Diagnostic? {
            guard let code = text(.code, in: cursor, upTo: longestCode), code.contains("."),
                code.utf8.allSatisfy({ $0 == 0x2D || $0 == 0x2E || (0x61...0x7A).contains($0) || $0.isDigit }),
                let reason = text(.reason, in: cursor, upTo: longestText),
                let path = text(.path, in: cursor, upTo: longestText),
                let offset = number(.innerOffset, from: 0, in: cursor)
            else { return nil }
            return Diagnostic(code: code, reason: reason, path: path, innerOffset: offset)
        }

        func text(_ key: Key, in cursor: borrowing JSONCursor, upTo count: Int) -> String? {
            guard let token = self[key], token.kind == .string, token.count <= count else { return nil }
            var text: [UInt8] = []
            cursor.appendText(of: token, to: &text)
            return String(input: text)
        }

        private func number(_ key: Key, from least: Int, in cursor: borrowing JSONCursor) -> Int? {
            guard let token = self[key], token.kind == .number, token.count <= 19,
                let number = Int(cursor.raw(token).text(0..<token.count)), number >= least
            else { return nil }
            return number
        }
    }
}
