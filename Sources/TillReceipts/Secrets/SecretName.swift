import CKernels
import TillInput

/// The names whose values are secrets. Case does not matter, and the letters may be escaped: `pass\u0077ord`.
package enum SecretName {
    /// A word, or two that `_`, `-`, a space or nothing joins.
    struct Name: Sendable {
        /// In lower case, without the joint.
        let letters: [UInt8]
        /// The index of the first letter of the second word; 0 for a single word.
        let joint: Int
        /// The index of the pair of letters that the search looks for. The pair should be rare in receipts.
        let pair: Int
        /// Whether a letter must not follow: `cookies` is another name, `secretKey` is not.
        let isWhole: Bool

        init(_ first: String, _ second: String = "", pair: Int, isWhole: Bool = false) {
            letters = Array((first + second).utf8)
            (joint, self.pair, self.isWhole) = (second.isEmpty ? 0 : first.utf8.count, pair, isWhole)
        }
    }

    static let privateKey = Name("private", "key", pair: 2)
    private static let short = Name("pwd", pair: 0, isWhole: true)
    private static let names = [
        Name("pass", "word", pair: 2), Name("pass", "wd", pair: 2), Name("pass", "phrase", pair: 2),
        Name("pass", "code", pair: 2), Name("secret", pair: 2), privateKey, short,
        Name("bearer", pair: 1, isWhole: true),
        Name("authorization", pair: 0, isWhole: true), Name("cookie", pair: 1, isWhole: true),
        Name("api", "key", pair: 0, isWhole: true), Name("access", "token", pair: 1, isWhole: true),
        Name("refresh", "token", pair: 2, isWhole: true),
    ]

    /// The tables of `till_find_pair`: a bit for each pair of letters, and for each kind of escape.
    private static let tables: (firsts: [UInt16], seconds: [UInt16]) = {
        // `%2` begins `%25`, an escape that is escaped again.
        let escapes: [(String, String)] = [("\\", "ux"), ("%", "24567"), ("&", "#")]
        let pairs = Set(names.map { [$0.letters[$0.pair], $0.letters[$0.pair + 1]] })
        var (firsts, seconds) = ([UInt16](repeating: 0, count: 256), [UInt16](repeating: 0, count: 256))
        for (bit, escape) in escapes.enumerated() {
            for byte in escape.0.utf8 { firsts[Int(byte)] |= 1 << bit }
            for byte in escape.1.utf8 { seconds[Int(byte)] |= 1 << bit }
        }
        for (bit, pair) in pairs.enumerated() {
            for capital: UInt8 in [0, 0x20] {
                firsts[Int(pair[0] & ~capital)] |= 1 << (bit + escapes.count)
                seconds[Int(pair[1] & ~capital)] |= 1 << (bit + escapes.count)
            }
        }
        return (firsts, seconds)
    }()

    /// The next name that begins in `start..<end`. Cost: one pass of a kernel over this part; names are compared only at
    /// its pairs.
    static func next(in text: RawSpan, from start: Int, to end: Int) -> (name: Name, range: Range<Int>)? {
        let (firsts, seconds) = tables
        // A pair further on is of a name that begins later.
        let limit = min(text.byteCount, end + longest + 1)
        var index = start
        while true {
            index = text.withUnsafeBytes { memory in
                memory.baseAddress.map { till_find_pair($0, index, limit, firsts, seconds) } ?? limit
            }
            guard index < limit, index < end + longest else { return nil }
            let isEscape = !text.byte(index).isLetterOrDigit
            if isEscape, let next = text.character(at: index), !(0x61...0x7A).contains(next.byte.lowercased) {
                index += 1
                continue
            }
            let step = !isEscape && text.byte(index + 1) == 0 ? 2 : 1
            for name in names {
                for place in isEscape ? 0..<name.letters.count : name.pair..<name.pair + 1 {
                    let beginning = index - place * step
                    guard beginning >= start, beginning < end, let past = self.end(of: name, in: text, at: beginning),
                        past > index
                    else { continue }
                    return (name, beginning..<past)
                }
            }
            index += 1
        }
    }

    private static let longest = 16

    /// One past the name at `start`; `nil` if another text is there.
    private static func end(of name: Name, in text: RawSpan, at start: Int) -> Int? {
        if name.letters == short.letters, start > 0, text.byte(start - 1).isLetterOrDigit { return nil }
        var index = start
        for (number, letter) in name.letters.enumerated() {
            guard var next = text.character(at: index) else { return nil }
            if number == name.joint, number > 0, [0x5F, 0x2D, 0x20].contains(next.byte) {
                guard let second = text.character(at: next.range.upperBound) else { return nil }
                next = second
            }
            guard next.byte.lowercased == letter else { return nil }
            index = next.range.upperBound
        }
        guard name.isWhole, var next = text.character(at: index) else { return index }
        if next.byte == 0x5F || next.byte == 0x2D { next = text.character(at: next.range.upperBound) ?? next }
        return next.byte.isLetterOrDigit && !next.byte.isDigit ? nil : index
    }

    /// Whether the value of a member of this name is a secret.
    package static func isSecret(_ name: String) -> Bool { isMentioned(in: Array(name.utf8).span.bytes) }

    /// Whether a text has the name of a secret.
    static func isMentioned(in text: RawSpan) -> Bool { next(in: text, from: 0, to: text.byteCount) != nil }

    /// One past each name of a secret in a text.
    package static func ends(in text: [UInt8]) -> [Int] {
        var ends: [Int] = []
        while let found = next(in: text.span.bytes, from: ends.last ?? 0, to: text.count) {
            ends.append(found.range.upperBound)
        }
        return ends
    }

    /// Whether a name may end with these letters, so that a text which begins with them may have lost its beginning.
    static func mayEnd(with letters: [UInt8]) -> Bool {
        let letters = letters.map(\.lowercased).filter { $0 != 0x5F && $0 != 0x2D }
        return names.contains { $0.letters.suffix(letters.count) == letters[...] }
    }
}
