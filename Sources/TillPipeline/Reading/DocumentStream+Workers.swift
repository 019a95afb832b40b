import TillInput
import TillRows

/// Who reads what comes next.
private enum Next {
    /// Workers, each its own stretch.
    case plain
    /// Whoever inflates, or waits for a pipe.
    case other
    case rows(InputReader, source: Int)
}

/// What a worker tells of a stretch of a plain file.
private enum Step {
    /// It has been filled, so that the next can be.
    case filled
    case finished(Stretch, number: Int)
    /// There is nothing of a plain file to fill it with.
    case over(Stretch)
}

extension DocumentStream {
    /// Keeps `jobs` workers busy and a few stretches ready, and takes results in the order of the input.
    mutating func runTasks(_ producer: StretchesAhead) async throws {
        var next: Next? = .plain
        while let current = next {
            switch current {
            case .plain: next = try await readPlainFiles(producer)
            case .other: next = try await readOtherSources(producer)
            case .rows(let reader, let source):
                try read(rows: reader, source: source)
                next = .plain
            }
        }
    }

    /// Has workers read plain files until something else comes, or nothing.
    private mutating func readPlainFiles(_ producer: StretchesAhead) async throws -> Next {
        var finished = FinishedStretches()
        let (steps, told) = AsyncThrowingStream<Step, any Error>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            var (started, running) = (0, 0)
            var (isFilling, isOver) = (false, false)
            var coming = steps.makeAsyncIterator()
            while true {
                if !isFilling, !isOver, running + finished.count < width {
                    let (stretch, number) = (spare.popLast() ?? newStretch(), started)
                    isFilling = true
                    started += 1
                    running += 1
                    group.addTask { [counted] in
                        do {
                            guard try producer.fillFromPlainFile(stretch) else {
                                told.yield(.over(stretch))
                                return
                            }
                            told.yield(.filled)
                            stretch.read(passing: counted)
                            told.yield(.finished(stretch, number: number))
                        } catch {
                            told.finish(throwing: error)
                        }
                    }
                }
                guard running > 0, let step = try await coming.next() else { return }
                switch step {
                case .filled: isFilling = false
                case .finished(let stretch, let number):
                    running -= 1
                    finished.insert(stretch, number: number)
                    while let next = finished.next() { try accept(next) }
                case .over(let stretch):
                    running -= 1
                    isOver = true
                    spare.append(stretch)
                }
            }
        }
        return .other
    }

    /// Has workers read what is inflated, or comes through a pipe, until something else comes, or nothing.
    private mutating func readOtherSources(_ producer: StretchesAhead) async throws -> Next? {
        var finished = FinishedStretches()
        var next: Next?
        var isOver = false
        try await withThrowingTaskGroup(of: (Int, Stretch).self) { group in
            var started = 0
            while true {
                while !isOver, started - finished.taken < width {
                    let stretch = spare.popLast() ?? newStretch()
                    let answer = try await producer.fill(stretch)
                    guard case .filled = answer else {
                        spare.append(stretch)
                        isOver = true
                        switch answer {
                        case .rows(let reader, let source): next = .rows(reader, source: source)
                        case nil: next = .plain
                        default: next = nil
                        }
                        continue
                    }
                    let number = started
                    started += 1
                    group.addTask { [counted] in
                        stretch.read(passing: counted)
                        return (number, stretch)
                    }
                }
                guard let (number, stretch) = try await group.next() else { return }
                finished.insert(stretch, number: number)
                while let next = finished.next() { try accept(next) }
            }
        }
        return next
    }

    /// Stretches at work or waiting for their turn.
    private var width: Int { options.jobs + 2 }
}
