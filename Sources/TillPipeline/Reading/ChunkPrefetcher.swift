import TillInput
import TillThreads

/// Fills chunks; a separate task fills chunks of compressed sources ahead.
///
///     compressed sources ─ task ─ filled buffers ─▶ fill(_:)
///                            ▲──── used buffers ────────┘
///
/// One processor inflates a source while the others read its documents. The number of buffers limits the memory.
///
/// Workers read plain files themselves (``takeFromPlainFile(_:)``): the bytes are then in the cache of the processor
/// that reads the documents. The caller of ``fill(_:)`` reads from a pipe, because the read may block.
final class ChunkPrefetcher: @unchecked Sendable {
    /// Buffers that are filled or wait to be, beyond those that chunks have.
    private static let depth = 3

    private typealias Answers = AsyncThrowingStream<ChunkReader.Answer, any Error>

    private let shared: SharedReader
    private var run: Run?

    /// The reader of chunks goes to the task, or from worker to worker, and back; one of them has it at a time.
    private final class SharedReader: @unchecked Sendable {
        var reader: ChunkReader

        init(_ reader: ChunkReader) {
            self.reader = reader
        }
    }

    /// A task, which ends where no compressed source follows.
    private struct Run {
        let task: Task<Void, Never>
        var answers: Answers.Iterator
        let used: AsyncStream<ByteBuffer>.Continuation
    }

    init(_ reader: ChunkReader) {
        shared = SharedReader(reader)
    }

    /// Fills `chunk` with the next bytes; `nil` if they are in a plain file, which workers read.
    func fill(_ chunk: Chunk) async throws -> ChunkReader.Answer? {
        if run == nil, try shared.reader.isInflating() { run = begin() }
        if var current = run {
            let answer = try await current.answers.next()
            run = current
            if let answer {
                if case .filled(let input) = answer { current.used.yield(chunk.take(input)) }
                return answer
            }
            await stop()
        }
        return try shared.reader.isPlainFile() ? nil : shared.reader.fill(chunk)
    }

    /// Gives `chunk` the next bytes of a plain file, which ``Chunk/load()`` may still have to read; `false` if the next
    /// source is not a plain file.
    ///
    /// For one worker at a time.
    func takeFromPlainFile(_ chunk: Chunk) throws -> Bool {
        while try shared.reader.isPlainFile() {
            if let unread = try shared.reader.nextUnread() {
                chunk.take(unread)
                return true
            }
            switch try shared.reader.fill(chunk) {
            case .filled: return true
            case .skipped: continue
            case .rows, .end: return false
            }
        }
        return false
    }

    /// The files of folders that were skipped so far. Nothing may be read meanwhile.
    var foreignFiles: ListedNames { shared.reader.foreignFiles }

    private func begin() -> Run {
        let (used, returned) = AsyncStream.makeStream(of: ByteBuffer.self)
        let (answers, filled) = Answers.makeStream()
        for _ in 0..<Self.depth { returned.yield(ByteBuffer()) }
        let task = Task(executorPreference: Workers.shared) { [shared] in
            do {
                for await buffer in used {
                    guard try shared.reader.isInflating() else { break }
                    let answer = try shared.reader.fill(buffer)
                    if case .skipped = answer { returned.yield(buffer) }
                    filled.yield(answer)
                }
                filled.finish()
            } catch {
                filled.finish(throwing: error)
            }
        }
        return Run(task: task, answers: answers.makeAsyncIterator(), used: returned)
    }

    /// Waits until nothing is read any more.
    func stop() async {
        run?.used.finish()
        run?.task.cancel()
        await run?.task.value
        run = nil
    }
}
