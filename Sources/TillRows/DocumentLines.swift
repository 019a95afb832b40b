import TillCore

/// In which lines the documents of a batch begin.
///
/// A dump has mostly a document a line, so only those are kept that do not follow the one before at that pace: for
/// NDJSON it is one note for the whole batch.
public struct DocumentLines: Sendable {
    private struct Step: Sendable {
        let ordinal: Int
        let line: Int
    }

    private var steps: [Step] = []
    /// Line less ordinal, while it stays the same.
    private var pace: Int?

    public init() {}

    /// Forgets all documents.
    public mutating func removeAll() {
        steps.removeAll(keepingCapacity: true)
        pace = nil
    }

    /// Says that document `ordinal` begins in `line`; documents come in their order.
    public mutating func note(_ ordinal: Int, at line: Int) {
        guard line - ordinal != pace else { return }
        pace = line - ordinal
        steps.append(Step(ordinal: ordinal, line: line))
    }

    /// The line of a document that was noted, or lies between two at the same pace; `nil` before the first.
    public func line(of ordinal: Int) -> Int? {
        let next = steps.partitioningIndex { $0.ordinal > ordinal }
        guard next > 0 else { return nil }
        return steps[next - 1].line + ordinal - steps[next - 1].ordinal
    }
}
