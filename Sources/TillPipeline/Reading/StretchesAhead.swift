import TillInput

/// Fills stretches; those of compressed sources in a task of its own, some ahead of those who ask for them.
///
///     compressed sources ─ task ─ filled buffers ─▶ fill(_:)
///                            ▲──── used buffers ────────┘
///
/// So a source is inflated on one processor while its documents are read on the others, and whoever is slower sets the
/// pace. The number of buffers bounds the memory. A plain source is read by whoever asks: there is little to gain.
final class StretchesAhead {
    /// Buffers that are filled or wait to be, beyond those that stretches have.
    private static let depth = 3

    private typealias Answers = AsyncThrowingStream<StretchProducer.Answer, any Error>

    private let shared: SharedProducer
    private var run: Run?

    /// The producer goes to the task and back; one of them has it at a time.
    private final class SharedProducer: @unchecked Sendable {
        var producer: StretchProducer

        init(_ producer: StretchProducer) {
            self.producer = producer
        }
    }

    /// A task, which ends where no compressed source follows.
    private struct Run {
        let task: Task<Void, Never>
        var answers: Answers.Iterator
        let used: AsyncStream<ByteBuffer>.Continuation
    }

    init(_ producer: StretchProducer) {
        shared = SharedProducer(producer)
    }

    /// Fills `stretch` with what comes next.
    func fill(_ stretch: Stretch) async throws -> StretchProducer.Answer {
        if run == nil, try shared.producer.isInflating() { run = begin() }
        if var current = run {
            let answer = try await current.answers.next()
            run = current
            if let answer {
                if case .filled(let input) = answer { current.used.yield(stretch.take(input)) }
                return answer
            }
            await stop()
        }
        return try shared.producer.fill(stretch)
    }

    private func begin() -> Run {
        let (used, returned) = AsyncStream.makeStream(of: ByteBuffer.self)
        let (answers, filled) = Answers.makeStream()
        for _ in 0..<Self.depth { returned.yield(ByteBuffer()) }
        let task = Task { [shared] in
            do {
                for await buffer in used {
                    guard try shared.producer.isInflating() else { break }
                    filled.yield(try shared.producer.fill(buffer))
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
