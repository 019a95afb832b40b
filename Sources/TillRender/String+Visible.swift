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

extension Unicode.Scalar {
    /// Whether the character acts instead of showing.
    ///
    /// That is so for controls, line and paragraph separators, and whatever fonts may leave out: bidirectional
    /// overrides, zero-width spaces and joiners, tags. Variation selectors do not count, since they only choose between
    /// shapes.
    var isUnseen: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
        }
    }
}
