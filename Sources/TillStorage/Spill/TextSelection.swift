import TillColumns
import TillLedger

/// Some texts of a dictionary, numbered anew in the order in which they are asked for.
struct TextSelection {
    private(set) var translation: TextTranslation
    /// Codes of the dictionary by new number.
    private(set) var chosen: [Int32] = []

    init(among count: Int) {
        translation = TextTranslation(count: count)
    }

    mutating func choose(_ code: Int32) {
        guard code >= 0, translation.codes[Int(code)] < 0 else { return }
        translation.codes[Int(code)] = Int32(chosen.count)
        chosen.append(code)
    }

    mutating func choose(identifier word: Int64) {
        guard word != TransactionEntry.unknown, let code = Identifier(word: word).code else { return }
        choose(Int32(code))
    }

    mutating func choose(_ copy: TransactionCopy) {
        choose(identifier: copy.identifier)
        choose(identifier: copy.original)
        choose(identifier: copy.webOrder)
        choose(copy.product)
        choose(copy.facet)
        choose(copy.extra.currency)
        choose(copy.extra.storefront)
        choose(copy.extra.offerID)
    }

    mutating func choose(_ facet: TransactionFacet) {
        choose(facet.environment)
        choose(facet.bundleID)
        choose(facet.productType)
        choose(facet.ownership)
        choose(facet.appVersion)
    }

    /// Chooses the texts by which reports tell transactions apart.
    mutating func chooseReported(_ table: borrowing TransactionTable) {
        for facet in table.facets { choose(facet) }
        for number in 0..<table.count { choose(Int32(table.entry(number).product) - 1) }
        for extra in table.extras {
            choose(extra.currency)
            choose(extra.storefront)
            choose(extra.offerID)
        }
    }

    /// Forgets what was chosen; the cost is that of what was.
    mutating func reset() {
        for code in chosen { translation.codes[Int(code)] = -1 }
        chosen.removeAll(keepingCapacity: true)
    }
}
