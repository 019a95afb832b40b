import TillInput
import TillRows

/// Who reads what comes next.
private enum Next {
    /// Workers, each its own chunk.
    case plain
    /// The task that inflates, or the caller that waits for a pipe.
    case other
    case rows(InputReader, source: Int)
}

/// What a worker tells of a chunk of a plain file.
private enum Step {
    /// It has been filled, so that the next can be.
    case filled
    case finished(Chunk, number: Int)
    /// There is nothing of a plain file to fill it with.
    case over(Chunk)
}

extension DocumentStream {
    /// Keeps `jobs` workers busy and a few chunks ready, and takes results in the order of the input.
    mutating func runTasks(_ chunks: ChunkPrefetcher) async throws {
        var next: Next? = .plain
        while let current = next {
            switch current {
            case .plain: next = try await readPlainFiles(chunks)
            case .other: next = try await readOtherSources(chunks)
            case .rows(let reader, let source):
                try await readAhead(rows: reader, source: source)
                next = .plain
            }
        }
    }

    /// Has workers read plain files until something else comes, or nothing.
    private mutating func readPlainFiles(_ chunks: ChunkPrefetcher) async throws -> Next {
        var finished = FinishedChunks()
        let (steps, continuation) = AsyncThrowingStream<Step, any Error>.makeStream()
        // A group that keeps its results would keep a kilobyte for each chunk, and each of a million files is a chunk.
        try await withThrowingDiscardingTaskGroup { group in
            var (started, running) = (0, 0)
            var (isFilling, isOver) = (false, false)
            var coming = steps.makeAsyncIterator()
            while true {
                if !isFilling, !isOver, running + finished.count < width {
                    let (chunk, number) = (spare.popLast() ?? newChunk(), started)
                    isFilling = true
                    started += 1
                    running += 1
                    group.addTask { [counted] in
                        do {
                            guard try chunks.fillFromPlainFile(chunk) else {
                                continuation.yield(.over(chunk))
                                return
                            }
                            continuation.yield(.filled)
                            chunk.read(passing: counted)
                            continuation.yield(.finished(chunk, number: number))
                        } catch {
                            continuation.finish(throwing: error)
                        }
                    }
                }
                guard running > 0, let step = try await coming.next() else { return }
                switch step {
                case .filled: isFilling = false
                case .finished(let chunk, let number):
                    running -= 1
                    finished.insert(chunk, number: number)
                    while let next = finished.next() { try accept(next) }
                case .over(let chunk):
                    running -= 1
                    isOver = true
                    spare.append(chunk)
                }
            }
        }
        return .other
    }

    /// Has workers read what is inflated, or comes through a pipe, until something else comes, or nothing.
    private mutating func readOtherSources(_ chunks: ChunkPrefetcher) async throws -> Next? {
        var finished = FinishedChunks()
        var next: Next?
        // To fill a chunk after a pause may mean to wait, so all that has come is handed on before.
        var (isOver, isPaused) = (false, false)
        try await withThrowingTaskGroup(of: (Int, Chunk).self) { group in
            var started = 0
            while true {
                while !isOver, !isPaused, started - finished.taken < width {
                    let chunk = spare.popLast() ?? newChunk()
                    let answer = try await chunks.fill(chunk)
                    guard case .filled = answer else {
                        spare.append(chunk)
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
                    isPaused = chunk.isPaused
                    group.addTask { [counted] in
                        chunk.read(passing: counted)
                        return (number, chunk)
                    }
                }
                guard let (number, chunk) = try await group.next() else {
                    guard isPaused else { return }
                    isPaused = false
                    consumer.report(progress)
                    continue
                }
                finished.insert(chunk, number: number)
                while let next = finished.next() { try accept(next) }
            }
        }
        return next
    }

    /// Chunks at work or waiting for their turn.
    private var width: Int { options.jobs + 2 }
}
