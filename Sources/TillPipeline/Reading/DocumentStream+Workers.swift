import TillInput
import TillRows

/// The reader of the next bytes.
private enum Next {
    /// Workers, each its own chunk.
    case plain
    /// The task that inflates, or the caller that waits for a pipe.
    case other
    case rows(InputReader, source: Int)
}

/// The message of a worker about a chunk of a plain file, or about a batch of rows.
private enum Step<Item: Sendable> {
    /// It is filled or cut off its file, so the next one can be.
    case filled
    case finished(Item, number: Int)
    /// There is nothing to fill it with.
    case over(Item)
    case failed(any Error, number: Int)
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
                try await readRows(reader, source: source)
                next = .plain
            }
        }
    }

    /// Lets workers read plain files until another kind of source, or the end.
    private mutating func readPlainFiles(_ chunks: ChunkPrefetcher) async throws -> Next {
        try await workInOrder(
            width: width,
            next: { stream in stream.spare.popLast() ?? stream.newChunk() },
            fill: { chunk in try chunks.takeFromPlainFile(chunk) },
            // Each task gets the digests that are known when it starts.
            work: { stream in
                { [counted = stream.counted] chunk in
                    try chunk.load()
                    chunk.read(passing: counted)
                }
            },
            accept: { stream, chunk in try stream.accept(chunk) },
            isOver: { stream, chunk in stream.spare.append(chunk) }
        )
        return .other
    }

    /// Batches of rows, of some megabytes each, at work or waiting for their turn.
    private static var mostBatches: Int { 4 }

    /// Has workers decode a source of rows to its end.
    private mutating func readRows(_ reader: InputReader, source number: Int) async throws {
        let stored = try open(rows: reader, source: number)
        var spare: [StoredBatch] = []
        // Decoding is for one worker at a time, so more batches would only take memory.
        try await workInOrder(
            width: min(width, Self.mostBatches),
            next: { _ in spare.popLast() ?? StoredBatch() },
            fill: { batch in try stored.decode(into: batch) },
            work: { _ in { batch in stored.prepare(batch) } },
            accept: { stream, batch in
                try stream.hand(on: batch, of: stored)
                spare.append(batch)
            },
            isOver: { _, _ in }
        )
        try endRows(of: stored)
    }

    /// Lets workers fill items one at a time, and process several at once; accepts them in order, until no item can be
    /// filled. The error of an item is thrown when all items before it are accepted.
    ///
    /// - Parameters:
    ///   - width: items at work or waiting for their turn.
    ///   - next: gives an item to fill.
    ///   - fill: runs on a worker, for one item at a time; `false` if there is nothing left.
    ///   - work: gives what runs next on the same worker, while others may fill.
    ///   - accept: takes a finished item.
    ///   - isOver: takes the item that could not be filled.
    private mutating func workInOrder<Item: Sendable>(
        width: Int,
        next: (inout Self) -> Item,
        fill: @escaping @Sendable (Item) throws -> Bool,
        work: (inout Self) -> @Sendable (Item) throws -> Void,
        accept: (inout Self, Item) throws -> Void,
        isOver giveBack: (inout Self, Item) -> Void
    ) async throws {
        var finished = InOrder<Item>()
        var failure: (error: any Error, number: Int)?
        let (steps, continuation) = AsyncStream<Step<Item>>.makeStream()
        // A group with results would keep a kilobyte for each chunk, and each of a million files is a chunk.
        try await withThrowingDiscardingTaskGroup { group in
            var (started, running) = (0, 0)
            var (isFilling, isOver) = (false, false)
            var coming = steps.makeAsyncIterator()
            while true {
                if !isFilling, !isOver, running + finished.count < width {
                    let (item, number, work) = (next(&self), started, work(&self))
                    isFilling = true
                    started += 1
                    running += 1
                    group.addTask {
                        do {
                            guard try fill(item) else {
                                continuation.yield(.over(item))
                                return
                            }
                            continuation.yield(.filled)
                            try work(item)
                            continuation.yield(.finished(item, number: number))
                        } catch {
                            continuation.yield(.failed(error, number: number))
                        }
                    }
                }
                guard running > 0, let step = await coming.next() else { break }
                switch step {
                case .filled: isFilling = false
                case .finished(let item, let number):
                    running -= 1
                    finished.insert(item, number: number)
                    while let item = finished.next() { try accept(&self, item) }
                case .over(let item):
                    running -= 1
                    isOver = true
                    giveBack(&self, item)
                case .failed(let error, let number):
                    running -= 1
                    isOver = true
                    if number < failure?.number ?? .max { failure = (error, number) }
                }
            }
        }
        if let failure { throw failure.error }
    }

    /// Lets workers read inflated sources and pipes until another kind of source, or the end. The error of a source is
    /// thrown when all chunks before it are accepted.
    private mutating func readOtherSources(_ chunks: ChunkPrefetcher) async throws -> Next? {
        var finished = InOrder<Chunk>()
        var next: Next?
        var failure: (any Error)?
        // Filling a chunk after a pause may block, so all finished chunks are passed on first.
        var (isOver, isPaused) = (false, false)
        try await withThrowingTaskGroup(of: (Int, Chunk).self) { group in
            var started = 0
            while true {
                while !isOver, !isPaused, started - finished.taken < width {
                    let chunk = spare.popLast() ?? newChunk()
                    let answer: ChunkReader.Answer?
                    do {
                        answer = try await chunks.fill(chunk)
                    } catch {
                        failure = error
                        isOver = true
                        break
                    }
                    guard case .filled = answer else {
                        spare.append(chunk)
                        if case .skipped = answer { continue }
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
                    guard isPaused, failure == nil else { return }
                    isPaused = false
                    consumer.report(progress)
                    continue
                }
                finished.insert(chunk, number: number)
                while let next = finished.next() { try accept(next) }
            }
        }
        if let failure { throw failure }
        return next
    }

    /// Chunks at work or waiting for their turn.
    private var width: Int { options.jobs + 2 }
}
