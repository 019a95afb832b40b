import CKernels

/// Looks for the brackets that close property lists, quotes minded.
///
/// What a search finds depends on where it stands, how many brackets it has open and whether it is in quotes, and on nothing
/// before. Hence searches that meet in all three go on alike: every ``step`` bytes a search leaves a mark, and the
/// next one that comes upon a mark takes over what was found from there.
///
///     {a="\" …  ⏎ {a="\" …  ⏎ {a="\" …        each line opens a list, and all of them are in quotes from there on
///          └──────────┴──────────┴──── one search
struct ClosingBrackets {
    /// Where a bracket is closed.
    enum Answer: Hashable {
        /// One past the closing bracket.
        case at(Int)
        /// Not within the bytes.
        case open
        /// Nowhere that could be read: more brackets are open than a property list may have.
        case tooDeep
    }

    /// Where a search stands.
    private struct State: Hashable {
        var index: Int
        var depth = 0
        var isQuoted = false
    }

    /// What searches that have met came to.
    private struct Course {
        /// As far as they went.
        var end: State
        var answer: Answer
        /// The course that they met there.
        var next: Int?
    }

    /// Bytes between the places at which searches can meet.
    private static let step = 128
    /// A list that ends so near is read as a whole, so its end is searched only once.
    private static let shortest = 64 << 10
    /// A search that comes to nothing so near costs less than what it would keep; of lists inside one another, each line is such.
    private static let nearby = 1 << 10

    private var courses: [Course] = []
    private var courseAt: [State: Int] = [:]
    /// The marks of the search at hand.
    private var marks: [State] = []
    private(set) var bytesSeen = 0

    /// Looks for the bracket that closes the one at `start`, before `end`, which never lies before that of an earlier search.
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
            guard var met = courseAt[state] else {
                marks.append(state)
                continue
            }
            while let next = courses[met].next { met = next }
            if let own, own != met { courses[own].next = met }
            own = met
            // Only the end of the text that may be looked at has moved since.
            guard courses[met].answer == .open else { return finish(courses[met].answer, at: state, from: start, own) }
            state = courses[met].end
            guard state.index < end else { return finish(.open, at: state, from: start, own) }
            nextMark = (state.index / Self.step + 1) * Self.step
        }
    }

    /// Goes on to `end`, or a byte further where that is escaped; `nil` where that decides nothing.
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

    /// Keeps what a search has found, unless its list is short; `own` is the course that it has met or gone on with.
    private mutating func finish(_ answer: Answer, at state: State, from start: Int, _ own: Int?) -> Answer {
        if case .at(let end) = answer, end - start < Self.shortest { return answer }
        if answer == .tooDeep, own == nil, state.index - start < Self.nearby { return answer }
        let course = own ?? courses.count
        if let own {
            if courses[own].answer == .open { courses[own] = Course(end: state, answer: answer) }
        } else if !marks.isEmpty {
            courses.append(Course(end: state, answer: answer))
        }
        for mark in marks { courseAt[mark] = course }
        return answer
    }
}

extension RawSpan {
    /// The bytes from `index` on that need no closer look in a string (`StringScan.h` of `CKernels`), as many as there are before
    /// `end`, or some fewer.
    func plainRun(at index: Int, to end: Int) -> Int {
        precondition(index >= 0 && index <= end && end <= byteCount)
        return withUnsafeBytes { memory in memory.baseAddress.map { till_plain_run($0 + index, end - index) } ?? 0 }
    }
}
