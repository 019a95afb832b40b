extension Unicode.Scalar {
    /// Whether the character acts instead of showing.
    ///
    /// That is so for controls (C0, DEL and C1), line and paragraph separators, and whatever fonts may leave out:
    /// bidirectional overrides, zero-width spaces and joiners, tags. Variation selectors do not count, since they only
    /// choose between shapes. Every format that tillroll writes goes by this: what is for people spells such characters
    /// out, JSON escapes them.
    public var isUnseen: Bool {
        switch value {
        // Letters and pictures of most texts, told without a look at the tables.
        case 0x20..<0x7F, 0xA0..<0xAD, 0xAE..<0x34F, 0x370..<0x600, 0x3041..<0x3164, 0x4E00..<0xA000, 0xAC00..<0xD7A4,
            0x1F300..<0x1FB00:
            return false
        default: return isUnseenByItsProperties
        }
    }

    var isUnseenByItsProperties: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
        }
    }
}
