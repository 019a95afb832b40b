import CKernels

/// Finds the bracket that closes a property list. Brackets in quotes do not count.
///
/// The rest of a search depends only on its state: its position, how many brackets are open, and whether it is in
/// quotes. Two searches in the same state have the same result. So a search records its state every ``step`` bytes, and
/// a later search that reaches a recorded state takes over the result.
///
///     {a="\" …  ⏎ {a="\" …  ⏎ {a="\" …        each line opens a list, and from there on all of them are in quotes
///          └──────────┴──────────┴──── one search
struct ClosingBrackets {
    /// Where the bracket is closed.
    enum Answer: Hashable {
        /// One past the closing bracket.
        case at(Int)
        /// Not before the end of the search.
        case open
        /// More brackets are open than ``PropertyListLimits/depth``, so the list cannot be read.
        case tooDeep
    }

    /// The state of a search.
    private struct State: Hashable {
        var index: Int
        var depth = 0
        var isQuoted = false
    }

    /// The result of all searches that reached the same state.
    private struct MergedSearch {
        /// The state in which they ended.
        var end: State
        var answer: Answer
        /// The result that these searches took over, as an index of ``merged``.
        var next: Int?
    }

    /// Bytes between recorded states.
    private static let step = 128
    /// Bytes. The end of a shorter list is not recorded: the list is read as a whole, so nothing in it is searched
    /// again.
    private static let shortest = 64 << 10
    /// Bytes. A search that is too deep after fewer bytes is not recorded: repeating it costs less than the record. In
    /// lists inside one another, every line begins such a search.
    private static let nearby = 1 << 10

    private var merged: [MergedSearch] = []
    private var mergedAt: [State: Int] = [:]
    /// The states that the current search has passed.
    private var marks: [State] = []
    private(set) var bytesSeen = 0

    /// Finds the bracket that closes the one at `start`. `end` is where the search ends; it must not be less than in an
    /// earlier call.
    mutating func closing(in bytes: RawSpan, from start: Int, to end: Int) -> Answer {
        marks.removeAll(keepingCapacity: true)
        var state = State(index: start)
        var own: Int?
        var nextMark = (start / Self.step + 1) * Self.step
        while true {
            let before = state.index
            let answer = Self.search(bytes, &state, to: min(end, nextMark))
            bytesSeen += state.index - before
            if let answer { return finish(answer, at: state, from: start, own) }
            guard state.index < end else { return finish(.open, at: state, from: start, own) }
            nextMark = (state.index / Self.step + 1) * Self.step
            guard var met = mergedAt[state] else {
                marks.append(state)
                continue
            }
            while let next = merged[met].next { met = next }
            if let own, own != met { merged[own].next = met }
            own = met
            // An open search goes on where the earlier one ended, because `end` may have grown.
            guard merged[met].answer == .open else { return finish(merged[met].answer, at: state, from: start, own) }
            state = merged[met].end
            guard state.index < end else { return finish(.open, at: state, from: start, own) }
            nextMark = (state.index / Self.step + 1) * Self.step
        }
    }

    /// Searches up to `end`, or one byte further if that byte is escaped; `nil` where the bracket is not closed there.
    private static func search(_ bytes: RawSpan, _ state: inout State, to end: Int) -> Answer? {
        var (index, depth, isQuoted) = (state.index, state.depth, state.isQuoted)
        defer { state = State(index: index, depth: depth, isQuoted: isQuoted) }
        while index < end {
            // Most of a document is in quotes.
            if isQuoted {
                index += bytes.plainRun(at: index, to: end)
                if index == end { break }
            }
            switch bytes.byte(index) {
            case 0x5C where isQuoted: index += 1
            case 0x22: isQuoted.toggle()
            case 0x7B where !isQuoted, 0x5B where !isQuoted:
                depth += 1
                if depth > PropertyListLimits.depth { return .tooDeep }
            case 0x7D where !isQuoted, 0x5D where !isQuoted:
                depth -= 1
                if depth == 0 { return .at(index + 1) }
            default: break
            }
            index += 1
        }
        return nil
    }

    /// Records the result of a search, unless it is not worth it. `own` is the record that the search took over, if
    /// any.
    private mutating func finish(_ answer: Answer, at state: State, from start: Int, _ own: Int?) -> Answer {
        if case .at(let end) = answer, end - start < Self.shortest { return answer }
        if answer == .tooDeep, own == nil, state.index - start < Self.nearby { return answer }
        let index = own ?? merged.count
        if let own {
            if merged[own].answer == .open { merged[own] = MergedSearch(end: state, answer: answer) }
        } else if !marks.isEmpty {
            merged.append(MergedSearch(end: state, answer: answer))
        }
        for mark in marks { mergedAt[mark] = index }
        return answer
    }
}

extension RawSpan {
    /// The number of plain bytes of a string from `index` on (`StringScan.h` of `CKernels`). It may be less than the
    /// true number by up to 31, never more.
    func plainRun(at index: Int, to end: Int) -> Int {
        precondition(index >= 0 && index <= end && end <= byteCount)
        return withUnsafeBytes { memory in memory.baseAddress.map { till_plain_run($0 + index, end - index) } ?? 0 }
    }
}
