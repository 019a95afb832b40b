extension String {
    /// The estimated number of terminal columns of the text. Terminals differ.
    var displayWidth: Int {
        guard !utf8.allSatisfy({ $0 < 0x80 }) else { return utf8.count }
        return reduce(0) { $0 + $1.displayWidth }
    }

    /// The text cut to at most `width` columns, with `…` for the rest.
    func truncated(toWidth width: Int) -> String {
        guard displayWidth > width else { return self }
        var kept = ""
        var remaining = width - 1
        for character in self {
            remaining -= character.displayWidth
            guard remaining >= 0 else { break }
            kept.append(character)
        }
        return kept + "…"
    }

    /// The text cut in its middle to at most `width` columns, because related identifiers often differ only at the end.
    func shortened(toWidth width: Int) -> String {
        guard displayWidth > width else { return self }
        guard width > 3 else { return truncated(toWidth: width) }
        let head = truncated(toWidth: (width - 1) / 3 + 1)
        var remaining = width - head.displayWidth
        var tail: [Character] = []
        for character in reversed() {
            remaining -= character.displayWidth
            guard remaining >= 0 else { break }
            tail.append(character)
        }
        return head + String(tail.reversed())
    }
}

extension Character {
    fileprivate var displayWidth: Int {
        // A variation selector asks for the emoji form of a character that also has a text form (UTS #51). Emoji are
        // wide.
        if unicodeScalars.contains("\u{FE0F}"), unicodeScalars.first?.properties.isEmoji == true { return 2 }
        return unicodeScalars.dropFirst().reduce(unicodeScalars[unicodeScalars.startIndex].displayWidth) {
            width,
            scalar in
            // A skin tone modifies the emoji before it.
            scalar.properties.isEmojiModifier ? width : width + scalar.displayWidth
        }
    }
}

extension Unicode.Scalar {
    fileprivate var displayWidth: Int {
        guard value >= 0x300 else { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: break
        }
        switch value {
        case 0x1160...0x11FF: return 0  // vowels and finals of Hangul, which join the consonant before them
        case 0x1F1E6...0x1F1FF: return 1  // half a flag
        default: return properties.isEmojiPresentation || isWide ? 2 : 1
        }
    }

    /// East_Asian_Width W or F (UAX #11) without emoji. Unassigned ranges between wide blocks count as wide.
    private var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4CF,
            0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
            0xFFE0...0xFFE6, 0x16FE0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
