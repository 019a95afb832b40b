import TillInput

/// Takes secrets out of raw documents before they leave the program.
///
/// The App Store shared secret comes as the member `password` of requests and of V1 notifications; it is replaced by
/// `***`, also where the JSON is broken or stands, escaped, inside a string, and in property lists of either notation.
/// The letters of the name may be escaped themselves. In base64, a secret is masked in place by as many `*`.
enum Redaction {
    /// A part of the document and what is written in its place.
    struct Edit {
        var range: Range<Int>
        var text: [UInt8]
    }

    private static let name = Array("password".utf8)
    private static let mask = Array("***".utf8)
    /// Base64 inside base64 that is looked into.
    private static let depthLimit = 4

    static func redacted(_ raw: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        RedactedText(raw).forEachBlock(of: max(1, raw.count)) { output += $0 }
        return output
    }

    /// What is to be replaced, in the order of the document.
    static func edits(in raw: [UInt8]) -> [Edit] {
        let plain = secrets(in: raw).map { Edit(range: $0, text: mask) }
        return (plain + encodedEdits(in: raw, besides: plain, depth: 0)).sorted {
            $0.range.lowerBound < $1.range.lowerBound
        }
    }

    private static func secrets(in raw: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var index = 0
        while let value = nextSecret(in: raw, from: &index) { found.append(value) }
        return found
    }

    /// Masks for secrets in the base64 that the text holds, none of which touches one of `known`.
    private static func encodedEdits(in raw: [UInt8], besides known: [Edit], depth: Int) -> [Edit] {
        guard depth < depthLimit else { return [] }
        var edits: [Edit] = []
        var rest = known[...]
        var index = 0
        while let run = Base64Run(in: raw, from: &index) {
            rest = rest.drop { $0.range.upperBound <= run.range.lowerBound }
            if let next = rest.first, next.range.overlaps(run.range) { continue }
            for skipped in run.beginsCleanly ? 0..<1 : 0..<4 {
                guard let edit = edit(of: run, in: raw, skipping: skipped, depth: depth) else { continue }
                edits.append(edit)
                break
            }
        }
        return edits
    }

    /// The run with its secrets masked, `nil` where it has none. Behind a byte that is not base64, nobody knows how many
    /// digits its first byte lacks, hence `skipped`.
    private static func edit(of run: Base64Run, in raw: [UInt8], skipping skipped: Int, depth: Int) -> Edit? {
        var octets = run.decoded(in: raw, skipping: skipped)
        let plain = secrets(in: octets).filter { !$0.isEmpty }
            .map { Edit(range: $0, text: Array(repeating: 0x2A, count: $0.count)) }
        let edits = plain + encodedEdits(in: octets, besides: plain, depth: depth + 1)
        guard !edits.isEmpty else { return nil }
        for edit in edits { octets.replaceSubrange(edit.range, with: edit.text) }
        return Edit(range: run.range, text: run.encoded(octets, in: raw, skipping: skipped))
    }

    private static let xmlValue = Array("</key>".utf8)

    /// The value of the next `"password": …`, `password = …` or `<key>password</key> <string>…`, its quotes not
    /// included; `index` is moved past it.
    private static func nextSecret(in raw: [UInt8], from index: inout Int) -> Range<Int>? {
        while index < raw.count {
            let first = raw[index]
            guard first == 0x70 || first == 0x5C else {
                index += 1
                continue
            }
            guard let end = endOfName(in: raw, at: index) else {
                index += 1
                // No name begins in the midst of a run of backslashes that does not begin with it: looked at from each
                // of them, a long run would cost its square.
                while first == 0x5C, index < raw.count, raw[index] == 0x5C { index += 1 }
                continue
            }
            index = end
            var position = index
            let quote = takeQuote(raw, &position)
            // A quote within a quoted cell of delimited text is written twice (RFC 4180 §2).
            let isDoubled = quote == 1 && position < raw.count && raw[position] == 0x22
            if isDoubled { position += 1 }
            skipSpace(raw, &position)
            guard position < raw.count else { continue }
            if quote == 0, raw[position...].starts(with: xmlValue) {
                return xmlSecret(in: raw, from: position + xmlValue.count, &index)
            }
            guard raw[position] == 0x3D || quote > 0 && raw[position] == 0x3A else { continue }
            position += 1
            skipSpace(raw, &position)
            let start: Int
            if takeQuote(raw, &position) > 0 {
                if isDoubled, position < raw.count, raw[position] == 0x22 { position += 1 }
                start = position
                while position < raw.count, !isQuote(raw, position, escapes: quote - 1) {
                    // The two quotes of one that is escaped.
                    if isDoubled, raw[position] == 0x22 { position += 1 }
                    position += 1
                }
                position = min(position, raw.count)
            } else {
                start = position
                while position < raw.count, ![0x2C, 0x3B, 0x7D, 0x0A].contains(raw[position]) { position += 1 }
            }
            index = position
            return start..<position
        }
        return nil
    }

    /// One past the name, where it stands at `start`; its letters may be JSON escapes, within any number of strings:
    /// `pass\u0077ord`, `pass\\u0077ord`.
    private static func endOfName(in raw: [UInt8], at start: Int) -> Int? {
        guard raw[start] == name[0] || raw[start] == 0x5C else { return nil }
        var position = start
        for letter in name {
            guard position < raw.count else { return nil }
            if raw[position] == letter {
                position += 1
                continue
            }
            let first = position
            while position < raw.count, raw[position] == 0x5C { position += 1 }
            guard position > first, position + 5 <= raw.count, raw[position] == 0x75 else { return nil }
            let digits = String(decoding: raw[position + 1..<position + 5], as: UTF8.self)
            guard UInt32(digits, radix: 16) == UInt32(letter) else { return nil }
            position += 5
        }
        return position
    }

    /// The text of the element at `position`; to the end of the bytes where it is cut.
    private static func xmlSecret(in raw: [UInt8], from position: Int, _ index: inout Int) -> Range<Int> {
        let start = raw[position...].firstIndex(of: 0x3E).map { $0 + 1 } ?? position
        let end = raw[start...].firstIndex(of: 0x3C) ?? raw.count
        index = end
        return start..<end
    }

    /// Passes over a quote and the backslashes before it; their number, 0 where there is none.
    private static func takeQuote(_ raw: [UInt8], _ position: inout Int) -> Int {
        var end = position
        while end < raw.count, raw[end] == 0x5C { end += 1 }
        guard end < raw.count, raw[end] == 0x22 else { return 0 }
        defer { position = end + 1 }
        return end - position + 1
    }

    private static func isQuote(_ raw: [UInt8], _ position: Int, escapes: Int) -> Bool {
        guard position + escapes < raw.count, raw[position + escapes] == 0x22 else { return false }
        guard raw[position..<position + escapes].allSatisfy({ $0 == 0x5C }) else { return false }
        guard escapes == 0 else { return true }
        // A backslash before it takes its meaning, unless another one took that of the backslash.
        return (raw[..<position].reversed().prefix { $0 == 0x5C }.count).isMultiple(of: 2)
    }

    private static func skipSpace(_ raw: [UInt8], _ position: inout Int) {
        while position < raw.count, [0x20, 0x09, 0x0A, 0x0D].contains(raw[position]) { position += 1 }
    }
}
