extension AnomalyCount: Summed {
    public mutating func visitSums(_ coder: inout some SumCoder) throws {
        guard coder.isReading else {
            try coder.add(&transactions)
            return try examples.visitTexts(&coder)
        }
        var other = AnomalyCount()
        try coder.add(&other.transactions)
        try other.examples.visitTexts(&coder)
        add(other)
    }
}

extension AccountAnomaly {
    /// Passes an account to a coder; a reader replaces it.
    mutating func visitSums(_ coder: inout some SumCoder) throws {
        for count in Self.counts {
            var number = Int64(self[keyPath: count])
            try coder.value(&number)
            guard number >= 0 else { throw coder.refusal("a negative count") }
            self[keyPath: count] = Int(number)
        }
        try coder.value(&first)
        try coder.value(&last)
        try examples.visitTexts(&coder)
    }

    private static let counts: [WritableKeyPath<AccountAnomaly, Int> & Sendable] = [
        \.chains, \.storeAccounts, \.identifiedChains, \.mostInDay,
    ]
}

extension [String] {
    /// Passes the ids of examples to a coder; a reader replaces them.
    fileprivate mutating func visitTexts(_ coder: inout some SumCoder) throws {
        let count = try coder.elements(count)
        guard count <= AnomalyFindings.exampleCount else { throw coder.refusal("\(count) examples") }
        for place in 0..<count {
            var text = coder.isReading ? "" : self[place]
            try coder.value(&text)
            if coder.isReading { append(text) }
        }
    }
}
