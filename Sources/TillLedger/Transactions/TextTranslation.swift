package import TillColumns

/// Turns the codes of one dictionary into those of another.
package struct TextTranslation {
    package var codes: [Int32] = []

    package init() {}

    /// None of `count` texts is known yet.
    package init(count: Int) {
        codes = Array(repeating: -1, count: count)
    }

    /// Adds every text of `other` that is still missing.
    package mutating func extend(with other: borrowing TextDictionary, into texts: inout TextDictionary) {
        codes.reserveCapacity(other.count)
        for code in codes.count..<other.count {
            codes.append(other.withBytes(of: code) { Int32(texts.code(for: $0)) })
        }
    }

    /// The code of a text; -1 for none.
    package func text(_ code: Int32) -> Int32 { code < 0 ? -1 : codes[Int(code)] }

    /// The word of an identifier; an unknown one stays unknown.
    package func identifier(_ word: Int64) -> Int64 {
        guard word != TransactionEntry.unknown, let code = Identifier(word: word).code else { return word }
        return Identifier(code: Int(codes[code])).word
    }

    package func failure(_ code: FailureCode) -> FailureCode { FailureCode(domain: text(code.domain), code: code.code) }
}
