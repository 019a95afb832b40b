extension Unicode.Scalar {
    /// Whether the character has an effect on text and is not visible itself.
    ///
    /// These are controls (C0, DEL and C1), line and paragraph separators, and characters that Unicode lets fonts omit:
    /// bidirectional overrides, zero-width spaces and joiners, tags; and the values that are no characters at all, such
    /// as U+FFFF, which XML 1.0 (§2.2) does not allow. Variation selectors are not among them, because
    /// they only choose a shape. All output follows this rule: formats for people spell such characters out, JSON
    /// escapes them.
    public var isUnseen: Bool {
        switch value {
        // Letters and pictures of most texts, decided without a look-up in the tables.
        case 0x20..<0x7F, 0xA0..<0xAD, 0xAE..<0x34F, 0x370..<0x600, 0x3041..<0x3164, 0x4E00..<0xA000, 0xAC00..<0xD7A4,
            0x1F300..<0x1FB00:
            return false
        default: return isUnseenByItsProperties
        }
    }

    var isUnseenByItsProperties: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default:
            properties.isNoncharacterCodePoint
                || properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
        }
    }
}
