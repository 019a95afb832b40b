import TillCore

extension String {
    /// The text with every unseen character spelled out: `\u{1B}`, `\u{202E}`.
    ///
    /// None can then act on a terminal, and two identifiers that differ also look different.
    public var madeVisible: String {
        madeVisible(except: { _ in false })
    }

    /// The same, save for characters that the format can hold and `isKept` names.
    func madeVisible(except isKept: (Unicode.Scalar) -> Bool) -> String {
        guard !utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return self }
        // Bytes, for a view of scalars is copied as a whole each time that it grows.
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
