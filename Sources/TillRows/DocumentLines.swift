import TillCore

/// The lines in which the documents of a batch begin.
///
/// Most dumps have one document per line. So only documents that break this pace are noted: for NDJSON, one note for
/// the whole batch.
public struct DocumentLines: Sendable {
    private struct Step: Sendable {
        let ordinal: Int
        let line: Int
    }

    private var steps: [Step] = []
    /// Line less ordinal, while it stays the same.
    private var pace: Int?

    /// Starts without documents, so that ``line(of:)`` is `nil` for all.
    public init() {}

    /// Removes all documents.
    public mutating func removeAll() {
        steps.removeAll(keepingCapacity: true)
        pace = nil
    }

    /// Notes that document `ordinal` begins in `line`. Ordinals must ascend.
    public mutating func note(_ ordinal: Int, at line: Int) {
        guard line - ordinal != pace else { return }
        pace = line - ordinal
        steps.append(Step(ordinal: ordinal, line: line))
    }

    /// The line of a document; `nil` before the first noted one.
    public func line(of ordinal: Int) -> Int? {
        let next = steps.partitioningIndex { $0.ordinal > ordinal }
        guard next > 0 else { return nil }
        return steps[next - 1].line + ordinal - steps[next - 1].ordinal
    }
}
