import TillColumns

/// Turns the codes of one dictionary into those of another.
struct TextTranslation {
    var codes: [Int32] = []

    init() {}

    /// None of `count` texts is known yet.
    init(count: Int) {
        codes = Array(repeating: -1, count: count)
    }

    /// Takes over every text of `other` that has not been yet.
    mutating func extend(with other: borrowing TextDictionary, into texts: inout TextDictionary) {
        codes.reserveCapacity(other.count)
        for code in codes.count..<other.count {
            codes.append(other.withBytes(of: code) { Int32(texts.code(for: $0)) })
        }
    }

    /// The code of a text; -1, which is none, stays.
    func text(_ code: Int32) -> Int32 { code < 0 ? -1 : codes[Int(code)] }

    /// The word of an identifier; one that is not known stays.
    func identifier(_ word: Int64) -> Int64 {
        guard word != TransactionEntry.unknown, let code = Identifier(word: word).code else { return word }
        return Identifier(code: Int(codes[code])).word
    }

    func failure(_ code: FailureCode) -> FailureCode { FailureCode(domain: text(code.domain), code: code.code) }

    func facet(_ facet: TransactionFacet) -> TransactionFacet {
        TransactionFacet(
            environment: text(facet.environment),
            bundleID: text(facet.bundleID),
            productType: text(facet.productType),
            ownership: text(facet.ownership),
            appVersion: text(facet.appVersion)
        )
    }

    func copy(_ copy: TransactionCopy) -> TransactionCopy {
        var translated = copy
        translated.identifier = identifier(copy.identifier)
        translated.original = identifier(copy.original)
        translated.webOrder = identifier(copy.webOrder)
        translated.product = text(copy.product)
        translated.facet = facet(copy.facet)
        translated.extra.currency = text(copy.extra.currency)
        translated.extra.storefront = text(copy.extra.storefront)
        translated.extra.offerID = text(copy.extra.offerID)
        return translated
    }
}
