import TillColumns
import TillLedger

/// Some texts of a dictionary, numbered anew in the order in which they are chosen.
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

    mutating func choose(_ values: TransactionValues) {
        for attribute in NumberAttribute.identifiers { choose(identifier: values[attribute]) }
        for attribute in CodeAttribute.texts { choose(values[attribute]) }
    }

    mutating func choose(_ values: SharedValues) {
        for attribute in CodeAttribute.shared { choose(values[attribute]) }
    }

    /// Chooses the texts of transactions that reports show.
    mutating func chooseReported(_ table: borrowing TransactionTable) {
        for values in table.sharedValues { choose(values) }
        for number in 0..<table.count { choose(Int32(table.entry(number).product) - 1) }
        for values in table.rareValues {
            for attribute in CodeAttribute.rareTexts { choose(values[attribute]) }
        }
    }

    /// Removes the chosen texts. Cost: proportional to their number.
    mutating func reset() {
        for code in chosen { translation.codes[Int(code)] = -1 }
        chosen.removeAll(keepingCapacity: true)
    }
}
