/// That a document mentions a transaction.
struct Evidence: BitwiseCopyable {
    /// The number of the transaction's entry.
    var transaction: UInt32
    /// The number of the source in ``EvidenceLog/sources``.
    var source: UInt32
    /// Counted from 1 within the source.
    var document: Int64
    /// Counted from 1 within the document.
    var row: Int64
}

/// Every mention of every transaction, in the order of the input: 24 bytes each.
///
/// Which transactions make up a figure is known only when all copies have been joined, and standard input cannot be
/// read twice; so all mentions are kept until then.
struct EvidenceLog: ~Copyable, Sendable {
    private(set) var sources: [String] = []
    private var numbers: [String: UInt32] = [:]
    private(set) var mentions = SegmentedArray<Evidence>()

    init() {}

    /// One that has mentions of the sources of another still to come.
    init(sources: [String]) {
        self.sources = sources
    }

    mutating func number(of source: String) -> UInt32 {
        if let number = numbers[source] { return number }
        let number = UInt32(sources.count)
        numbers[source] = number
        sources.append(source)
        return number
    }

    /// Forgets all mentions, which have been written elsewhere, and keeps the sources.
    mutating func forgetMentions() { mentions = SegmentedArray() }

    mutating func append(_ evidence: Evidence) {
        mentions.append(evidence)
    }
}
