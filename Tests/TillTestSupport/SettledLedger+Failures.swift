public import TillLedger

/// A ledger's failures in one piece, which no report wants: there may be millions.
extension SettledLedger {
    public var failures: [FailureKey: FailureCounts] { failures() }

    public func failureExamples(_ limit: Int) -> [FailureKey: [RecordPlace]] {
        failures(mostExamples: limit).mapValues(\.examples).filter { !$0.value.isEmpty }
    }

    private func failures(mostExamples: Int = 0) -> [FailureKey: FailureCounts] {
        var failures: [FailureKey: FailureCounts] = [:]
        do {
            try forEachFailure(mostExamples: mostExamples) { failures[$0.key] = $0 }
        } catch {
            preconditionFailure("the store of a test failed: \(error)")
        }
        return failures
    }
}

extension FailureCounts {
    public var countsByHour: [Int: Int] { Dictionary(uniqueKeysWithValues: hours.map { ($0.hour, $0.count) }) }
}
