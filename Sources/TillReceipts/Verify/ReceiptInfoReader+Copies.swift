import TillColumns
import TillJSON
import TillRows

extension ReceiptInfoReader {
    /// Passes over a transaction whose very text was counted before, or read earlier in the document.
    @_lifetime(cursor: copy cursor)
    mutating func passes(_ text: FlatObject, isLatest: Bool, in cursor: inout JSONCursor) -> Bool {
        if let earlier = copies.earlier(text.digest) {
            // The row has it all; only what a `latest_*` list has told may be more.
            if isLatest { index.tell(earlier.cells, of: earlier.identifier) }
        } else if let found = copies.pass(text.digest) {
            index.pass(IdentifierPlace(found.place).identifier(in: text, of: cursor.values))
        } else {
            return false
        }
        cursor.position = text.end
        if text.spansLines { cursor.sawNewline = true }
        (place.key, place.transactionKey) = ("", KeyTable<TransactionKey>.start)
        return true
    }

    /// Remembers the text of a transaction that was read, if it is all of it and names it by a number. The number 0 names nothing, so
    /// that the same text once more is another row.
    mutating func note(_ text: FlatObject, _ told: ToldTransaction, in cursor: borrowing JSONCursor) {
        guard text.end == cursor.position, let token = told.identifier, !token.hasEscapes,
            let place = IdentifierPlace(token, in: text),
            let identifier = cursor.values.decimal(token.start, token.end), identifier == told.cell,
            identifier != 0
        else { return }
        copies.note(text.digest, place: place.rawValue, of: identifier, told: told.cells, in: told.joined)
    }
}

/// Where in the text of a transaction its id stands: eleven bits for the offset, five for the number of digits.
struct IdentifierPlace {
    let rawValue: UInt16

    init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }

    init?(_ token: JSONToken, in text: FlatObject) {
        let offset = token.start - text.start
        guard (0..<1 << 11).contains(offset), (1..<1 << 5).contains(token.count) else { return nil }
        rawValue = UInt16(offset << 5 | token.count)
    }

    /// The id of a text that is, byte by byte, the one that the place is of.
    func identifier(in text: FlatObject, of json: JSONBytes) -> Int64 {
        let start = text.start + Int(rawValue >> 5)
        return json.decimal(start, start + Int(rawValue & 31)) ?? 0
    }
}
