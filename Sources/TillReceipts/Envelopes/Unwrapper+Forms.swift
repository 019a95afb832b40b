import TillCore
import TillInput
import TillJSON
import TillRows

/// Finds the documents in forms (WHATWG URL §5).
///
///     receipt-data=MII…&password=…                              one in a value
///     notification_type=RENEWAL&latest_receipt_info=%7B…        one of all of it (``FormObject``)
extension Unwrapper {
    /// The response or notification that the names and values of a form are together; `nil` where they are none.
    private mutating func document(inForm text: RawSpan, depth: Int, rows: inout RowBatch) -> Search? {
        guard Self.namesOfObjects.contains(where: { text.firstIndex(of: $0, from: 0, to: text.byteCount) != nil })
        else {
            return nil
        }
        guard spend(text.byteCount),
            let found = documents(inJSON: FormObject.json(text).span.bytes, depth: depth, rows: &rows),
            found.documents.count == 1, let only = found.documents.first, only.members.isEmpty,
            only.kind == .response || only.kind == .other
        else { return nil }
        return found
    }

    /// Parts of the names of members, one of which a response or a notification has. Requests have none.
    private static let namesOfObjects = ["tatus", "otification"].map { Array($0.utf8) }

    /// The documents in the values of a form; `nil` where the text is none.
    mutating func documents(inForm text: RawSpan, depth: Int, rows: inout RowBatch) -> Search? {
        guard let equals = text.endOfFormName,
            // `user[password]=x` is one of a form, `Response[status=0` begins a record of Java.
            text.byte(equals - 1) == 0x5D || text.firstIndex(of: 0x5B, from: 0, to: equals) == nil
        else { return nil }
        // A single name and value may be anything.
        let isSeveral = text.firstIndex(of: 0x26, from: equals, to: text.byteCount) != nil
        if text.extracting(equals + 1..<text.byteCount).endOfBase64BeforeWords != nil { return nil }
        // These are encoded in a form: `body="…"` is a line of a log.
        let isLine = equals + 1 < text.byteCount && [0x22, 0x5B, 0x7B].contains(text.byte(equals + 1))
        let all = inside(isLine ? .text : .form, of: text, isCertain: isSeveral && !isLine) { unwrapper in
            if isSeveral, !isLine, let whole = unwrapper.document(inForm: text, depth: depth, rows: &rows) {
                return whole
            }
            var all = Search()
            var facts = EnvelopeFacts()
            var start = 0
            while start < text.byteCount {
                let end = text.firstIndex(of: 0x26, from: start, to: text.byteCount) ?? text.byteCount
                if let equals = text.firstIndex(of: 0x3D, from: start, to: end) {
                    let value = text.extracting(equals + 1..<end)
                    if let member = TextMember(name: text.extracting(start..<equals)) { facts.note(member, value) }
                    guard value.byteCount >= Self.shortestText else {
                        start = end + 1
                        continue
                    }
                    var found = unwrapper.documents(inPercentEncoded: value, depth: depth, rows: &rows)
                    found.prepend(text.text(start..<equals))
                    all.append(found)
                }
                start = end + 1
            }
            for index in all.documents.indices { all.documents[index].envelope.fill(from: facts) }
            return all
        }
        return all.flatMap { $0.results.isEmpty ? nil : $0 }
    }
}

extension RawSpan {
    /// Where the name ends with which a form begins, which is at its first `=`; `nil` if the text begins with none.
    var endOfFormName: Int? {
        guard let equals = firstIndex(of: 0x3D, from: 0, to: min(byteCount, 64)), equals > 0,
            (0..<equals).allSatisfy({ byte($0).isFormName })
        else { return nil }
        return equals
    }
}

extension UInt8 {
    fileprivate var isFormName: Bool {
        switch self {
        case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2D, 0x5F, 0x2E, 0x25, 0x5B, 0x5D: true
        default: false
        }
    }
}
