import TillThreads

/// Inflates the second half of the buffered compressed bytes in a task, while the stream inflates the first half.
///
///     buffer   [ member ][ member ][ member ][ member ][ mem…
///              └──────── stream ───────────┘└── a task ──────┘
///
/// The beginning of a member is certain only when the member before it has been inflated. So the task begins at bytes
/// that look like a member's header. Its result is used only if the stream ends a member exactly there. The inflater of
/// the task then replaces that of the stream.
final class MemberPrefetcher: @unchecked Sendable {
    /// How far the task came.
    struct Result {
        /// Compressed bytes that were read.
        var consumed = 0
        /// Bytes at the start of ``MemberPrefetcher/output``.
        var written = 0
        /// Whether the task stopped at the end of a member.
        var isBetweenMembers = true
    }

    private enum State {
        case idle
        /// A task has been started and does not run yet.
        case waiting
        /// The task runs, and signals when it is done.
        case running
    }

    /// The largest output of a task, in bytes.
    private static let outputCount = 8 << 20
    /// The fewest compressed bytes that are worth a task.
    static let leastInput = 64 << 10

    /// The inflater of the task. The stream that takes a result swaps it with its own.
    var inflater: any Inflater
    let output = UnsafeMutableRawBufferPointer.allocate(byteCount: outputCount, alignment: 64)
    private let state = Locked(State.idle)
    private let finished = Semaphore()
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    private var result = Result()

    init(_ inflater: any Inflater) {
        self.inflater = inflater
    }

    deinit {
        output.deallocate()
    }

    /// Starts a task that inflates `input`. The memory of `input` must not change until ``end()``.
    func begin(_ input: UnsafeRawBufferPointer) {
        self.input = input
        state.withLock { $0 = .waiting }
        Task.detached(executorPreference: Workers.shared) { self.run() }
    }

    /// Waits for the task if it runs, or else cancels it. The input is not read after this.
    ///
    /// The task itself never waits, so this cannot deadlock.
    ///
    /// - Returns: the result, or `nil` where the task had not begun to run.
    func end() -> Result? {
        let hasBegun = state.withLock { state in
            defer { if state == .waiting { state = .idle } }
            return state == .running
        }
        guard hasBegun else { return nil }
        finished.wait()
        state.withLock { $0 = .idle }
        return result
    }

    private func run() {
        let isWanted = state.withLock { state in
            guard state == .waiting else { return false }
            state = .running
            return true
        }
        guard isWanted else { return }
        inflate()
        finished.signal()
    }

    private func inflate() {
        result = Result()
        // The end of the last whole member; the result where the next one is damaged.
        var sound = result
        while result.consumed < input.count, result.written < output.count {
            if result.isBetweenMembers {
                // The stream has to read other bytes between members, such as padding.
                guard input[result.consumed] != 0 else { break }
                sound = result
                inflater.beginMember()
                result.isBetweenMembers = false
            }
            let step = inflater.step(
                UnsafeRawBufferPointer(rebasing: input[result.consumed...]),
                into: UnsafeMutableRawBufferPointer(rebasing: output[result.written...])
            )
            result.consumed += step.consumed
            result.written += step.written
            switch step.outcome {
            case .ended: result.isBetweenMembers = true
            case .damaged:
                result = sound
                return
            case .unfinished: if step.isIdle { return }
            }
        }
    }
}
