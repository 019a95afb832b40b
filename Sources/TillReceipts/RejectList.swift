import TillCore

/// The documents of a stretch that could not be read, in their order.
///
/// Input may consist of them, a line of two bytes each. So none holds a copy of its bytes, and those of the same defect, in the
/// same format, have one ``Diagnostic`` in common. Of no more than ``limit`` the places are kept; the others are only counted.
public struct RejectList: RandomAccessCollection, Sendable {
    /// Where the document as it came is found.
    enum Raw: Sendable {
        /// A part of the stretch.
        case place(Range<Int>)
        /// Text that does not stand in the stretch as such.
        case copy([UInt8])
    }

    private struct Entry: Sendable {
        var ordinal: Int
        var line: Int
        var offset: Int
        var length: Int
        var finding: Int
        var raw: Raw
    }

    private struct Finding: Hashable, Sendable {
        var diagnostic: Diagnostic
        var kind: String?
    }

    /// A code, and how many rejects have it whose places are not kept.
    public struct CodeCount: Hashable, Sendable {
        public var code: String
        public var count: Int
    }

    private var entries: [Entry] = []
    private var findings: [Finding] = []
    /// Which of them is that of text that nothing is known of.
    private var unrecognized: Int?
    private let limit: Int
    /// Those that are only counted, by their codes, and all of them.
    public private(set) var counted: [CodeCount] = []
    private var countedCount = 0

    init(limit: Int = .max) { self.limit = limit }

    /// All of them, those included that are only counted.
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
        let number = number(of: Finding(diagnostic: reject.diagnostic, kind: reject.kind))
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

    /// Appends text of which nothing is known, and which nothing wraps.
    mutating func appendUnrecognized(ordinal: Int, line: Int, place: Range<Int>) {
        if entries.count >= limit { return count(Self.unrecognized.code.rawValue) }
        let number = unrecognized ?? number(of: Finding(diagnostic: Self.unrecognizedText, kind: nil))
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

    private static let unrecognized = DecodeError(.unrecognized, at: 0)
    private static let unrecognizedText = Diagnostic(
        code: unrecognized.code.rawValue,
        reason: unrecognized.reason,
        innerOffset: 0
    )

    /// Most of them are alike.
    private mutating func number(of finding: Finding) -> Int {
        if findings.last != finding { findings.append(finding) }
        return findings.count - 1
    }

    /// Counts those whose places are not kept; called when nothing will change about them any more.
    mutating func settle() {
        guard entries.count > limit else { return }
        while entries.count > limit, let entry = entries.popLast() { count(findings[entry.finding].diagnostic.code) }
        guard findings.count > limit + Self.mostUnused else { return }
        let needed = entries.reduce(unrecognized ?? -1) { Swift.max($0, $1.finding) }
        findings.removeSubrange((needed + 1)...)
    }

    /// Findings that no reject has any more.
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

    /// Forgets those from `index` on.
    mutating func removeAll(from index: Int) { entries.removeSubrange(index...) }

    /// Says of those from `index` on that they are in a frame at `place`, in the members of `path`.
    mutating func move(from index: Int, to place: Range<Int>, line: Int, raw: Raw, path: [String]) {
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
                raw: raw
            )
        }
    }
}

extension DocumentReader.Reject {
    /// Where in its stretch the document as it came stands; `nil` where it does not stand there as such.
    public var place: Range<Int>? { if case .place(let range) = raw { range } else { nil } }

    /// The document as it came, from the bytes of its stretch; of one over the size limit, its beginning.
    public func bytes(in stretch: RawSpan) -> [UInt8] {
        switch raw {
        case .place(let range): stretch.extracting(range).withUnsafeBytes(Array.init)
        case .copy(let bytes): bytes
        }
    }
}
