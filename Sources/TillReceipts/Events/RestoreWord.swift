import TillInput

/// The word that says of a failure that it is one of a restore, in any form: `Restore failed`,
/// `restoreCompletedTransactions`, `didRestore`. Firestore is a database.
enum RestoreWord {
    private static let forms = ["estor", "ESTOR"].map { Array($0.utf8) }

    static func isIn(_ text: RawSpan) -> Bool { forms.contains { isIn(text, $0) } }

    private static func isIn(_ text: RawSpan, _ form: [UInt8]) -> Bool {
        var index = 1
        while let found = text.firstIndex(of: form, from: index, to: text.byteCount) {
            if text.byte(found - 1) | 0x20 == 0x72, text.beginsWord(at: found - 1) { return true }
            index = found + form.count
        }
        return false
    }
}

extension RawSpan {
    /// Whether a word begins at a letter: behind no letter, or as a capital behind a small one.
    fileprivate func beginsWord(at index: Int) -> Bool {
        guard index > 0, byte(index - 1).isLetterOrDigit, !byte(index - 1).isDigit else { return true }
        let isCapital = byte(index) & 0x20 == 0
        return isCapital && byte(index - 1) & 0x20 != 0
    }
}
