import TillColumns
import TillCore
import TillLedger

/// The failures of all codes, as a report lists them: some 60 bytes for each code and 24 for each of its hours.
struct ListedFailures {
    struct Failure {
        /// A text, -1 where not known.
        fileprivate let domain: Int32
        fileprivate let code: Int64?
        /// A text.
        fileprivate let failureClass: Int32
        let count: Int
        let first: Timestamp?
        let last: Timestamp?
        let examples: [RecordPlace]
    }

    /// How many of a code there were in an hour.
    struct Hour {
        /// The number of the hour since 1970.
        let hour: Int
        /// The number of the failure.
        let failure: Int32
        let count: Int
    }

    private var texts = TextDictionary()
    private var failures: [Failure] = []
    /// By hour, then by domain and code, once sorted.
    private(set) var hours: [Hour] = []
    /// Largest count first, then by hour, domain and code, once sorted.
    private(set) var spikes: [Spike] = []
    /// The numbers of the failures by domain and code, once sorted.
    private(set) var order: [Int32] = []

    subscript(_ number: Int32) -> Failure { failures[Int(number)] }

    func key(of failure: Failure) -> FailureKey {
        FailureKey(domain: failure.domain < 0 ? nil : texts.text(of: Int(failure.domain)), code: failure.code)
    }

    func failureClass(of failure: Failure) -> String { texts.text(of: Int(failure.failureClass)) }

    mutating func append(_ counts: FailureCounts) {
        let number = Int32(failures.count)
        failures.append(
            Failure(
                domain: counts.key.domain.map { Int32(texts.code(for: $0)) } ?? -1,
                code: counts.key.code,
                failureClass: Int32(texts.code(for: counts.failureClass)),
                count: counts.count,
                first: counts.first,
                last: counts.last,
                examples: counts.examples
            )
        )
        for told in counts.hours { hours.append(Hour(hour: told.hour, failure: number, count: told.count)) }
        spikes += counts.spikes
    }

    /// Brings all into the order of the report, after the last failure.
    mutating func sort() {
        let ranks = textRanks
        /// A domain that is not known comes last.
        func rank(_ domain: Int32) -> Int { domain < 0 ? .max : ranks[Int(domain)] }
        order = failures.indices.map(Int32.init)
        order.sort { left, right in
            let (first, second) = (failures[Int(left)], failures[Int(right)])
            if first.domain != second.domain { return rank(first.domain) < rank(second.domain) }
            guard let code = first.code else { return false }
            return second.code.map { code < $0 } ?? true
        }
        var places = Array(repeating: Int32(0), count: order.count)
        for (place, number) in order.enumerated() { places[Int(number)] = Int32(place) }
        hours.sort { ($0.hour, places[Int($0.failure)]) < ($1.hour, places[Int($1.failure)]) }
        spikes.sort { left, right in
            if left.count != right.count { return left.count > right.count }
            return left.hour != right.hour ? left.hour < right.hour : left.key < right.key
        }
    }

    /// The place of each text among all of them, bytewise.
    private var textRanks: [Int] {
        var ranks = Array(repeating: 0, count: texts.count)
        for (rank, code) in (0..<texts.count).sorted(by: texts.precedes).enumerated() { ranks[code] = rank }
        return ranks
    }
}
