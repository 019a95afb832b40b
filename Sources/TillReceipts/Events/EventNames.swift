import TillColumns
import TillJSON

/// The names of events that were met last, which a dump has a dozen of and millions of events: a name is told by two words, and its
/// code in the batch's dictionary and whether it is a failure need not be found out anew.
///
///     p u r c h a s e │ d · · · · · · ·        the first sixteen bytes; what is behind the name is zeros
struct EventNames {
    private struct Name {
        var words: (UInt64, UInt64) = (0, 0)
        /// In the dictionary of the batch.
        var code: Int64 = -1
        /// Whether a report asks where and why it happened.
        var isFailure = false
    }

    /// By a hash of the words; a newer name takes the place of an older. An empty slot has no words, as no name has.
    private var recent = [Name](repeating: Name(), count: 16)

    /// Forgets all, for a batch that has another dictionary.
    mutating func removeAll() {
        for slot in recent.indices { recent[slot] = Name() }
    }

    /// What is known of a name, if it is a short one; `nil` where it is to be read as any text is.
    mutating func find(
        _ token: JSONToken,
        in json: JSONBytes,
        _ dictionary: inout TextDictionary
    ) -> (code: Int64, isFailure: Bool)? {
        let count = token.count
        guard token.kind == .string, !token.hasEscapes, count > 0, count <= 16 else { return nil }
        let words = (json.word(token.start) & Self.mask(count), json.word(token.start + 8) & Self.mask(count - 8))
        let slot = Int(truncatingIfNeeded: ((words.0 ^ words.1) &* 0x9E37_79B9_7F4A_7C15) >> 60)
        if recent[slot].words != words {
            let text = json.raw(token)
            let code = Int64(dictionary.code(for: text))
            recent[slot] = Name(words: words, code: code, isFailure: Self.isFailure(text))
        }
        return (recent[slot].code, recent[slot].isFailure)
    }

    /// Whether an event of a name is a failure.
    static func isFailure(_ name: RawSpan) -> Bool { name.ends(with: "failed") }

    /// The bits of a word that the first `count` bytes have.
    private static func mask(_ count: Int) -> UInt64 {
        count >= 8 ? .max : count > 0 ? (1 << UInt64(8 * count)) - 1 : 0
    }
}
