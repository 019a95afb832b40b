import TillCore
import TillInput
import TillJSON
import TillRows

/// Finds documents amid other text: behind the prefix of a log line, in an assignment of a script, in one of several values.
///
///     2026-03-02T10:15:00.120Z stdout F {"status":21003}
///     level=info msg=verified body="{\"status\":0,…}"
///     [INFO] ASN received: {"signedPayload":"eyJ…"}
extension Unwrapper {
    /// Braces in a text behind which there is no JSON, after which no more are tried.
    private static let mostFailures = 16

    /// Whether a text may hold a document behind other text; a quick look at its bytes.
    static func mayHoldDocument(_ text: RawSpan) -> Bool {
        text.firstIndex(of: 0x7B, from: 0, to: text.byteCount) != nil
            || text.firstIndex(of: Array("eyJ".utf8), from: 0, to: text.byteCount) != nil
            || text.firstIndex(of: Array("MI".utf8), from: 0, to: text.byteCount) != nil
    }

    /// Searches text from each `{`, `eyJ` or `MI` on.
    mutating func documents(amid text: RawSpan, depth: Int, rows: inout RowBatch) -> Search {
        var all = Search()
        guard Self.mayHoldDocument(text) else { return all }
        var bytes = text.copied
        bytes.append(contentsOf: repeatElement(0, count: JSONCursor.padding))
        let whole = bytes.span.bytes
        var index = 0
        var failures = 0
        while index < text.byteCount {
            switch text.byte(index) {
            case 0x7B where failures < Self.mostFailures:
                if let end = documents(inJSONAt: index, of: whole, limit: text.byteCount, depth, &all, rows: &rows) {
                    index = end
                    continue
                }
                failures += 1
            case 0x4D, 0x65:
                let end = text.endOfRun(from: index)
                if end - index >= Self.shortestText {
                    let run = text.extracting(index..<end)
                    if text.byte(index) == 0x65 || text.byte(index + 1) == 0x49 {
                        all.append(documents(inRun: run))
                    }
                }
                index = max(end, index + 1)
                continue
            case 0x41...0x5A, 0x61...0x7A, 0x30...0x39:
                // What begins amid a word is no document.
                index = max(text.endOfRun(from: index), index + 1)
                continue
            default: break
            }
            index += 1
        }
        if !all.documents.isEmpty, let date = ClientLogLine.date(text) {
            let line = EnvelopeFacts(loggedAt: date.milliseconds)
            for index in all.documents.indices { all.documents[index].envelope.fill(from: line) }
        }
        return all
    }

    /// Searches the JSON at a brace; gives where it ends, `nil` where there is none.
    private mutating func documents(
        inJSONAt start: Int,
        of text: RawSpan,
        limit: Int,
        _ depth: Int,
        _ all: inout Search,
        rows: inout RowBatch
    ) -> Int? {
        if text.beginsEscapedJSON(at: start) {
            let (unescaped, end) = text.extracting(0..<limit).unescaped(from: start)
            all.append(documents(inText: unescaped.span.bytes, depth: depth + 1, rows: &rows))
            return end
        }
        var cursor = JSONCursor(text, at: start, limit: limit)
        let deepestBefore = deepest
        openLayer(.object)
        defer { closeLayer() }
        guard let found = try? search(value: &cursor, depth: depth + 1, rows: &rows) else {
            deepest = deepestBefore
            return nil
        }
        all.append(found)
        return cursor.position
    }

    /// A JWS or the base64 of a receipt that stands amid other text.
    private mutating func documents(inRun run: RawSpan) -> Search {
        Search(documents: document(whole: run)?.documents ?? [])
    }
}

extension RawSpan {
    /// Where the digits of base64 and the periods end that begin at an index.
    fileprivate func endOfRun(from start: Int) -> Int {
        var index = start
        while index < byteCount, byte(index).isBase64Digit && byte(index) != 0x3D || byte(index) == 0x2E { index += 1 }
        while index < byteCount, byte(index) == 0x3D { index += 1 }
        return index
    }
}
