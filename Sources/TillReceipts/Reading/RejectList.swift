import TillCore

/// The documents of a chunk that could not be read, in their order.
///
/// Input may consist of rejects alone, of two bytes each. So no reject holds a copy of its bytes, and rejects with the
/// same defect and format share one ``Diagnostic``. The first ``limit`` rejects are listed; further ones are only
/// counted.
public struct RejectList: RandomAccessCollection, Sendable {
    /// The position of the unchanged document.
    enum Raw: Sendable {
        /// A part of the chunk.
        case place(Range<Int>)
        /// Text that the chunk does not hold as it is.
        case copy([UInt8])
        /// A line of `--rejects` holds it.
        case earlier(EarlierReject)
    }

    private struct Entry: Sendable {
        var ordinal: Int
        var line: Int
        var offset: Int
        var length: Int
        var finding: Int
        var raw: Raw

        /// Whether an earlier run has rejected the document already.
        var isRepeated: Bool { if case .earlier = raw { true } else { false } }
    }

    private struct Reason: Hashable, Sendable {
        var diagnostic: Diagnostic
        var kind: String?
    }

    /// A code, and the number of rejects with it that are not listed.
    public struct CodeCount: Hashable, Sendable {
        /// The stable name of the defect, as in ``Diagnostic/code``.
        public var code: String
        /// At least 1.
        public var count: Int
    }

    private var entries: [Entry] = []
    private var findings: [Reason] = []
    /// The index of the finding for text that no format recognizes.
    private var unrecognized: Int?
    private let limit: Int
    /// The rejects that are not listed, by their codes.
    public private(set) var counted: [CodeCount] = []
    private var countedCount = 0

    init(limit: Int = .max) { self.limit = limit }

    /// All rejects, listed or only counted.
    public var total: Int { entries.count + countedCount }

    public var startIndex: Int { 0 }
    public var endIndex: Int { entries.count }

    public subscript(index: Int) -> DocumentReader.Reject {
        let entry = entries[index]
        let finding = findings[entry.finding]
        return DocumentReader.Reject(
            ordinal: entry.ordinal,
            line: entry.line,
            offset: entry.offset,
            length: entry.length,
            diagnostic: finding.diagnostic,
            kind: finding.kind,
            raw: entry.raw
        )
    }

    mutating func append(_ reject: DocumentReader.Reject) {
        let number = number(of: Reason(diagnostic: reject.diagnostic, kind: reject.kind))
        entries.append(
            Entry(
                ordinal: reject.ordinal,
                line: reject.line,
                offset: reject.offset,
                length: reject.length,
                finding: number,
                raw: reject.raw
            )
        )
    }

    /// Appends text that no format recognizes and that nothing wraps.
    mutating func appendUnrecognized(ordinal: Int, line: Int, place: Range<Int>) {
        if entries.count >= limit { return count(Defect.unrecognized.code) }
        let number = unrecognized ?? number(of: Reason(diagnostic: Self.unrecognizedText, kind: nil))
        unrecognized = number
        entries.append(
            Entry(
                ordinal: ordinal,
                line: line,
                offset: place.lowerBound,
                length: place.count,
                finding: number,
                raw: .place(place)
            )
        )
    }

    private static let unrecognizedText = Diagnostic(Finding(.unrecognized))

    /// The index of a finding. Most rejects have the same as the one before.
    private mutating func number(of finding: Reason) -> Int {
        if findings.last != finding { findings.append(finding) }
        return findings.count - 1
    }

    /// Turns rejects behind the limit into counts. Called after each document: its rejects do not change any more.
    mutating func settle() {
        guard entries.count > limit else { return }
        while entries.count > limit, let entry = entries.popLast() { count(findings[entry.finding].diagnostic.code) }
        guard findings.count > limit + Self.mostUnused else { return }
        let needed = entries.reduce(unrecognized ?? -1) { Swift.max($0, $1.finding) }
        findings.removeSubrange((needed + 1)...)
    }

    /// Findings without a reject that are kept before the list is cleaned up.
    private static let mostUnused = 64

    private mutating func count(_ code: String) {
        countedCount += 1
        if let last = counted.indices.last, counted[last].code == code {
            counted[last].count += 1
        } else if let index = counted.firstIndex(where: { $0.code == code }) {
            counted[index].count += 1
        } else {
            counted.append(CodeCount(code: code, count: 1))
        }
    }

    /// Removes the rejects from `index` on.
    mutating func removeAll(from index: Int) { entries.removeSubrange(index...) }

    /// Gives the rejects from `index` on the place of the frame that holds them, and puts the members of `path` before
    /// theirs.
    mutating func move(
        from index: Int,
        to place: Range<Int>,
        line: Int,
        raw: Raw,
        path: [String]
    ) {
        for index in index..<entries.count {
            var finding = findings[entries[index].finding]
            finding.diagnostic.path = (path + [finding.diagnostic.path]).filter { !$0.isEmpty }.joined(separator: " › ")
            let number = path.isEmpty ? entries[index].finding : self.number(of: finding)
            entries[index] = Entry(
                ordinal: entries[index].ordinal,
                line: line,
                offset: place.lowerBound,
                length: place.count,
                finding: number,
                raw: entries[index].isRepeated ? entries[index].raw : raw
            )
        }
    }

    /// Makes the rejects from `index` on those of a document that an earlier run has rejected.
    ///
    /// - Parameter kept: the only one of them that stays, as the reject of then; `nil` keeps all.
    mutating func settle(from index: Int, on earlier: EarlierReject, keeping kept: Int?, ordinal: Int) {
        if let kept {
            var entry = entries[kept]
            entry.ordinal = ordinal
            if let finding = earlier.finding {
                entry.finding = number(of: Reason(diagnostic: finding, kind: earlier.kind))
            }
            entries[index...] = [entry]
        }
        for repeated in index..<entries.count { entries[repeated].raw = .earlier(earlier) }
    }
}

extension DocumentReader.Reject {
    /// The range of the unchanged document in its chunk; `nil` if the chunk does not contain it.
    public var place: Range<Int>? { if case .place(let range) = raw { range } else { nil } }

    /// The unchanged document, from the bytes of its chunk; for a document above the size limit, its beginning. `nil`
    /// for a line of `--rejects` without the document.
    public func bytes(in chunk: RawSpan) -> [UInt8]? {
        switch raw {
        case .place(let range): chunk.extracting(range).withUnsafeBytes(Array.init)
        case .copy(let bytes): bytes
        case .earlier(let earlier): earlier.raw
        }
    }

    /// The reject of an earlier run that this one repeats.
    public var earlier: EarlierReject? { if case .earlier(let earlier) = raw { earlier } else { nil } }
}
