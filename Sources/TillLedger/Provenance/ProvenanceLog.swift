/// A mention of a transaction in a document.
package struct Provenance: BitwiseCopyable {
    /// The number of the transaction's entry.
    package var transaction: UInt32
    /// The number of the source in ``ProvenanceLog/sources``.
    package var source: UInt32
    /// Counted from 1 within the source.
    package var document: Int64
    /// Counted from 1 within the document.
    package var row: Int64

    package init(transaction: UInt32, source: UInt32, document: Int64, row: Int64) {
        (self.transaction, self.source, self.document, self.row) = (transaction, source, document, row)
    }
}

/// Every mention of every transaction, in the order of the input: 24 bytes each.
///
/// The transactions behind a figure are known only after all duplicates are joined, and standard input cannot be read
/// twice. So all mentions are kept until then.
package struct ProvenanceLog: ~Copyable, Sendable {
    package private(set) var sources: [String] = []
    private var numbers: [String: UInt32] = [:]
    private(set) var mentions = SegmentedArray<Provenance>()

    init() {}

    /// An empty log for further mentions in the given sources.
    package init(sources: [String]) {
        self.sources = sources
    }

    /// All of ``mentions``.
    package var all: [Provenance] {
        var all: [Provenance] = []
        all.reserveCapacity(mentions.count)
        for index in 0..<mentions.count { all.append(mentions[index]) }
        return all
    }

    mutating func number(of source: String) -> UInt32 {
        if let number = numbers[source] { return number }
        let number = UInt32(sources.count)
        numbers[source] = number
        sources.append(source)
        return number
    }

    /// Removes all mentions, after they were written to a file, and keeps the sources.
    mutating func forgetMentions() { mentions = SegmentedArray() }

    package mutating func append(_ provenance: Provenance) {
        mentions.append(provenance)
    }
}
