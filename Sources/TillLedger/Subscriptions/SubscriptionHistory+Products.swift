extension SubscriptionHistory {
    /// Counts a chain for the products of its charges, by the same service as ``flows``.
    ///
    ///     charges   ├──gold──┤├──gold──┤├──pro──┤      ├──pro──┤
    ///               new               joined  expired  resubscribed
    ///                                 (gold: left)
    ///
    /// - Parameters:
    ///   - paid: the charges to which the numbers of `spans` refer.
    ///   - spans: the chain's paid service, one after the other.
    mutating func countProducts(
        _ charges: ArraySlice<SubscriptionCharge>,
        paid: [SubscriptionCharge],
        _ spans: [ServiceTimeline.Span],
        isEarlier: Bool,
        asOf: Int64
    ) {
        for charge in paid { count(charge.product, at: charge.start, \.charges) }
        if let trial = charges.first(where: \.isTrial) {
            count(trial.product, at: trial.start, \.trials)
            if let charge = Self.conversion(of: trial, in: charges) {
                count(charge.product, at: charge.start, \.conversions)
            }
        }
        for (number, span) in spans.enumerated() {
            let product = paid[span.charge].product
            let before = number > 0 ? spans[number - 1] : nil
            if let before, before.end >= span.start {
                let other = paid[before.charge].product
                guard other != product, span.start <= asOf else { continue }
                count(other, at: span.start, \.left)
                count(product, at: span.start, \.joined)
            } else {
                if let before { end(paid[before.charge].product, at: before.end, asOf: asOf) }
                count(product, at: span.start, before != nil ? \.resubscribed : isEarlier ? \.startedBefore : \.new)
            }
        }
        if let last = spans.last { end(paid[last.charge].product, at: last.end, asOf: asOf) }
    }

    private mutating func end(_ product: Int?, at end: Int64, asOf: Int64) {
        if end <= asOf { count(product, at: end, \.expired) }
    }

    private mutating func count(_ product: Int?, at milliseconds: Int64, _ what: WritableKeyPath<ProductFlow, Int>) {
        products[ProductKey(month: month(of: milliseconds), product: product), default: ProductFlow()][keyPath: what] +=
            1
    }
}
