import TillColumns

/// Turns the codes of a batch's dictionary into those of the ledger's, each text looked up at most once.
///
/// Only texts that the ledger keeps are copied; a batch has many more, such as messages and request ids.
struct TextMapping {
    private var codes: [Int32] = []

    /// Begins with a new batch.
    mutating func reset(for dictionary: borrowing TextDictionary) {
        codes.removeAll(keepingCapacity: true)
        codes.append(contentsOf: repeatElement(-1, count: dictionary.count))
    }

    /// The ledger's code for a cell of the batch; -1 for an absent cell.
    mutating func code(
        _ cell: Int64?,
        from batch: borrowing TextDictionary,
        to ledger: inout TextDictionary
    ) -> Int32 {
        guard let cell else { return -1 }
        let code = codes[Int(cell)]
        return code >= 0 ? code : enter(Int(cell), from: batch, to: &ledger)
    }

    // A separate function, so that a known text needs no call.
    @inline(never)
    private mutating func enter(
        _ cell: Int,
        from batch: borrowing TextDictionary,
        to ledger: inout TextDictionary
    ) -> Int32 {
        let code = batch.withBytes(of: cell) { Int32(ledger.code(for: $0)) }
        codes[cell] = code
        return code
    }

    /// The ledger's word for an identifier cell of the batch.
    mutating func identifier(
        _ cell: Int64,
        from batch: borrowing TextDictionary,
        to ledger: inout TextDictionary
    ) -> Int64 {
        guard let local = Identifier(word: cell).code else { return cell }
        return Identifier(code: Int(code(Int64(local), from: batch, to: &ledger))).word
    }

    /// A combination of texts of the batch, with those of the ledger.
    mutating func combination(
        _ combination: Combination,
        from batch: borrowing TextDictionary,
        to ledger: inout TextDictionary
    ) -> Combination {
        combination.mapTexts { code(Int64($0), from: batch, to: &ledger) }
    }
}
