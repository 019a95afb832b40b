import TillCore

extension String {
    /// The text with every invisible character spelled out: `\u{1B}`, `\u{202E}`.
    ///
    /// No character can then control a terminal, and two different identifiers also look different.
    public var madeVisible: String {
        madeVisible(except: { _ in false })
    }

    /// The text with every invisible character spelled out, except those for which `isKept` is true.
    func madeVisible(except isKept: (Unicode.Scalar) -> Bool) -> String {
        guard !utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return self }
        // Bytes, because a view of scalars is copied whenever it grows.
        var visible: [UInt8] = []
        visible.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            if scalar.isUnseen, !isKept(scalar) {
                visible += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".utf8
            } else {
                visible += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        return String(decoding: visible, as: UTF8.self)
    }
}
