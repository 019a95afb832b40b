import TillInput

/// The word that says of a failure that it is one of a restore, in any form: `Restore failed`, `restoreCompletedTransactions`.
enum RestoreWord {
    private static let forms = ["estor", "ESTOR"].map { Array($0.utf8) }

    static func isIn(_ text: RawSpan) -> Bool {
        forms.contains { form in
            guard let found = text.firstIndex(of: form, from: 1, to: text.byteCount) else { return false }
            return text.byte(found - 1) | 0x20 == 0x72
        }
    }
}
