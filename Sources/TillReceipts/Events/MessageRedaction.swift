import TillInput

/// Removes secrets, and identifiers of devices and accounts, from an error's text (quirk 73).
///
///     password=0123                           password=***
///     …/buyProduct?guid=8F2A…&price=0         …/buyProduct
///     guid=8F2A…, X-Apple-I-MD: AAAA          guid=***, X-Apple-I-MD: ***
///     a UUID, 40 or 8-16 hexadecimal digits   ***
package enum MessageRedaction {
    private static let mask = Array("***".utf8)
    private static let headerPrefix = Array("x-apple-".utf8)
    private static let guid = Array("guid".utf8)
    private static let urlEnds = Array("\"<>)}".utf8)
    private static let valueEnds = Array("\"&),;\\}".utf8)
    /// Hexadecimal digits between hyphens: old device ids, newer ones, UUIDs.
    private static let identifiers = [[40], [8, 16], [8, 4, 4, 4, 12]]
    /// The shortest and the longest of them, hyphens included.
    private static let shortest = 25
    private static let longest = 40

    /// Whether a text may hold anything of the kind; most do not, and are then not copied.
    package static func mayApply(to text: RawSpan) -> Bool {
        var run = 0
        for index in 0..<text.byteCount {
            let byte = text.byte(index)
            if byte == 0x3D || byte == 0x3F { return true }
            if byte == 0x2D, index > 0, text.byte(index - 1) | 0x20 == 0x78 { return true }
            if byte | 0x20 == 0x64, index > 2, text.byte(index - 3) | 0x20 == 0x67 { return true }
            run = byte.isHexadecimal || byte == 0x2D ? run + 1 : 0
            if run >= shortest { return true }
        }
        return Redaction.mayApply(to: text)
    }

    package static func redacted(_ text: RawSpan) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.byteCount)
        var secrets = Redaction.ranges(in: text, .assignments).sorted { $0.lowerBound < $1.lowerBound }[...]
        // Where the header's name ends that has no value; a word within it that begins like one has none either.
        var endOfBareName = 0
        var index = 0
        while index < text.byteCount {
            let byte = text.byte(index)
            secrets = secrets.drop { $0.upperBound <= index }
            if let secret = secrets.first, secret.contains(index) {
                output += mask
                index = secret.upperBound
                continue
            }
            let isWordStart = index == 0 || !text.byte(index - 1).isLetterOrDigit
            if byte == 0x3F, let end = endOfQuery(text, at: index) {
                index = end
            } else if isWordStart, let end = endOfIdentifier(text, at: index) {
                output += mask
                index = end
            } else if isWordStart, let value = secretValue(text, at: index, &endOfBareName) {
                for position in index..<value.lowerBound { output.append(text.byte(position)) }
                output += mask
                index = value.upperBound
            } else {
                output.append(byte)
                index += 1
            }
        }
        return output
    }

    /// Where the query of a URL ends that begins at `start` with `?`; `nil` if the mark only ends a question.
    private static func endOfQuery(_ text: RawSpan, at start: Int) -> Int? {
        var index = start + 1
        while index < text.byteCount, isNameByte(text.byte(index)) { index += 1 }
        guard index < text.byteCount, index > start + 1, text.byte(index) == 0x3D || text.byte(index) == 0x26 else {
            return nil
        }
        while index < text.byteCount, text.byte(index) > 0x20, !urlEnds.contains(text.byte(index)) { index += 1 }
        return index
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || [0x2D, 0x2E, 0x5F, 0x25].contains(byte)
    }

    private static func endOfIdentifier(_ text: RawSpan, at start: Int) -> Int? {
        guard text.byte(start).isHexadecimal else { return nil }
        var groups = [0]
        var index = start
        while index < text.byteCount {
            guard index - start <= longest else { return nil }
            if text.byte(index).isHexadecimal {
                groups[groups.count - 1] += 1
            } else if text.byte(index) == 0x2D {
                groups.append(0)
            } else {
                break
            }
            index += 1
        }
        let isWhole = index == text.byteCount || !text.byte(index).isLetterOrDigit
        return isWhole && identifiers.contains(groups) ? index : nil
    }

    /// The value behind `guid` or the name of an `X-Apple-` header at `start`, its quotes not included.
    ///
    /// - Parameter endOfBareName: where the name of a header ends that was found to have no value.
    private static func secretValue(_ text: RawSpan, at start: Int, _ endOfBareName: inout Int) -> Range<Int>? {
        var index = start
        let isHeader = matches(text, headerPrefix, at: start)
        if isHeader {
            guard start >= endOfBareName else { return nil }
            index += headerPrefix.count
            while index < text.byteCount, text.byte(index).isLetterOrDigit || text.byte(index) == 0x2D { index += 1 }
        } else if matches(text, guid, at: start) {
            index += guid.count
        } else {
            return nil
        }
        let endOfName = index
        func skip(_ bytes: [UInt8]) {
            while index < text.byteCount, bytes.contains(text.byte(index)) { index += 1 }
        }
        // The name may stand in quotes, escaped ones too.
        skip([0x22, 0x5C])
        skip([0x20])
        guard index < text.byteCount, text.byte(index) == 0x3D || text.byte(index) == 0x3A else {
            if isHeader { endOfBareName = endOfName }
            return nil
        }
        index += 1
        skip([0x20])
        skip([0x22, 0x5C])
        let first = index
        while index < text.byteCount, text.byte(index) > 0x20, !valueEnds.contains(text.byte(index)) { index += 1 }
        return first..<index
    }

    /// Whether lower-case `name` stands at `start` in letters of any case.
    private static func matches(_ text: RawSpan, _ name: [UInt8], at start: Int) -> Bool {
        guard start + name.count <= text.byteCount else { return false }
        return name.indices.allSatisfy { text.byte(start + $0) | 0x20 == name[$0] }
    }
}

extension UInt8 {
    fileprivate var isHexadecimal: Bool {
        (0x30...0x39).contains(self) || (0x61...0x66).contains(self | 0x20)
    }
}
