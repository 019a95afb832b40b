/// Takes secrets out of raw documents before they leave the program.
///
/// The App Store shared secret comes as the member `password` of requests and of V1 notifications; it is replaced by
/// `***`, also where the JSON is broken or stands, escaped, inside a string, and in property lists of either notation.
enum Redaction {
    private static let name = Array("password".utf8)
    private static let mask = Array("***".utf8)

    static func redacted(_ raw: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var copied = 0
        var index = 0
        while let value = nextSecret(in: raw, from: &index) {
            output += raw[copied..<value.lowerBound]
            output += mask
            copied = value.upperBound
        }
        return copied == 0 ? raw : output + raw[copied...]
    }

    private static let xmlValue = Array("</key>".utf8)

    /// The value of the next `"password": …`, `password = …` or `<key>password</key> <string>…`, its quotes not
    /// included; `index` is moved past it.
    private static func nextSecret(in raw: [UInt8], from index: inout Int) -> Range<Int>? {
        while index + name.count < raw.count {
            guard raw[index] == name[0], raw[index..<index + name.count].elementsEqual(name) else {
                index += 1
                continue
            }
            index += name.count
            var position = index
            let quote = takeQuote(raw, &position)
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
                start = position
                while position < raw.count, !isQuote(raw, position, escapes: quote - 1) { position += 1 }
            } else {
                start = position
                while position < raw.count, ![0x2C, 0x3B, 0x7D, 0x0A].contains(raw[position]) { position += 1 }
            }
            index = position
            return start..<position
        }
        return nil
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
