import TillRows

extension Ledger {
    /// A copy, which can be settled while this ledger gets more rows. Cost: that of merging it into an empty ledger.
    public borrowing func copied() -> Ledger {
        var copy = Ledger(
            environments: environments,
            period: period,
            keepsAppVersions: keepsAppVersions,
            keepsSubscriptionGroups: keepsSubscriptionGroups,
            needs: needs
        )
        copy.merge(self)
        return copy
    }

    /// Merges another ledger, as if its documents had been read here.
    ///
    /// Merging is commutative and associative; transactions, attempts and verifications that both know count once,
    /// counters add up. Both must have been made for the same environments and needs, and not for an explanation of
    /// failures.
    public mutating func merge(_ other: borrowing Ledger) {
        precondition(environments == other.environments && needs == other.needs && other.chosen == nil)
        var translation = TextTranslation()
        translation.extend(with: other.texts, into: &texts)

        var numbers: [UInt32] = []
        for number in 0..<other.transactions.count {
            var merged = 0
            other.transactions.forEachCopy(number) { copy, _ in
                merged = transactions.enter(copy.translated(translation), in: texts)
            }
            if needs.contains(.provenance) { numbers.append(UInt32(merged)) }
        }
        mergeEvidence(of: other, numbers: numbers)
        rowCount += other.rowCount
        omitted.add(other.omitted)
        withheld += other.withheld
        reading.add(other.reading)
        trust.add(other.trust)
        verifications.merge(other.verifications, translation)
        events.merge(other.events, translation)
        examples.merge(other.examples, translation)
        subscriptions.documents.merge(other.subscriptions.documents)
        for (chain, renewal) in other.subscriptions.renewals {
            subscriptions.note(renewal, of: translation.identifier(chain))
        }
    }

    private mutating func mergeEvidence(of other: borrowing Ledger, numbers: [UInt32]) {
        let sources = other.provenance.sources.map { provenance.number(of: $0) }
        for index in 0..<other.provenance.mentions.count {
            var mention = other.provenance.mentions[index]
            mention.transaction = numbers[Int(mention.transaction)]
            mention.source = sources[Int(mention.source)]
            provenance.append(mention)
        }
    }
}
