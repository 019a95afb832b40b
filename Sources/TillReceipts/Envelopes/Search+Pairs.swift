/// Requests and responses of verifyReceipt beside one another in an envelope.
extension Unwrapper.Search {
    /// Connects responses with the receipts beside them, which are then not separate documents: the response keeps the
    /// digest of its receipt, by which the ledger recognises verifications of the same receipt.
    ///
    ///     {"request":{"body":"receipt-data=MII…"},"response":{"body":"{\"status\":0,…}"}}       a pair
    ///     {"receipt":"MII…","attempts":[{"status":21007},{"status":0,…}]}                       one receipt, verified twice
    ///     {"request1":…,"response1":…,"request2":…,"response2":…}                               as many of both: by their order
    ///
    /// If the numbers differ, they cannot be paired, and each is a separate document. So are receipts in lists, because
    /// the elements of a list are separate records.
    ///
    /// A receipt that an inner object has paired is not a document beside it either, as a recording has a request
    /// twice.
    mutating func pair() {
        joinParts()
        dropAnswered()
        let responses = documents.indices.filter { documents[$0].kind == .response && !documents[$0].isPaired }
        guard !responses.isEmpty else { return }
        let receipts = documents.indices.filter { index in
            [.receipt, .request].contains(documents[index].kind) && !documents[index].isOfList
                && !documents[index].isPartOfResponse
        }
        if receipts.count == 1 {
            for response in responses { tie(response, to: receipts[0]) }
        } else {
            let direct = responses.filter { !documents[$0].isOfList }
            guard receipts.count == direct.count else { return }
            for (response, receipt) in zip(direct, receipts) { tie(response, to: receipt) }
        }
        for receipt in receipts.reversed() { documents.remove(at: receipt) }
    }

    /// Applies the response that has no purchases to the parts of a response beside it; then it is not a document of
    /// its own.
    ///
    ///     {"result":{"status":21007,"environment":"Sandbox"},"data":{"receipt":{"in_app":[…]}}}
    ///
    /// Several such responses are documents of their own, and what they agree on applies. Elements of a list are
    /// separate records.
    private mutating func joinParts() {
        let outcomes = documents.indices.filter { documents[$0].outcome != nil && !documents[$0].isOfList }
        let outcome = EnvelopeFacts.agreed(outcomes.compactMap { documents[$0].outcome })
        let parts = documents.indices.filter { documents[$0].isPartOfResponse && !documents[$0].isOfList }
        guard !parts.isEmpty else { return }
        for part in parts { documents[part].envelope.fill(from: outcome) }
        if outcomes.count == 1 { documents.remove(at: outcomes[0]) }
    }

    /// Removes receipts whose response is known.
    private mutating func dropAnswered() {
        let answered = Set(documents.compactMap { $0.isPaired ? $0.envelope.pairKey : nil })
        guard !answered.isEmpty else { return }
        documents.removeAll { document in
            [.receipt, .request].contains(document.kind) && !document.isOfList && !document.isPartOfResponse
                && document.receiptDigest.map(answered.contains) ?? false
        }
    }

    private mutating func tie(_ response: Int, to receipt: Int) {
        documents[response].isPaired = true
        documents[response].envelope.pairKey = documents[receipt].receiptDigest
    }
}

extension FoundDocument {
    /// The digest of the receipt that the document is, or requests to verify; `nil` if a request has none.
    var receiptDigest: [UInt8]? {
        kind == .request ? ReceiptDigest.find(inText: text) : ReceiptDigest.hexadecimal(of: text)
    }
}
