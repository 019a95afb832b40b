import Synchronization
import TillThreads

/// Inflates the second half of the buffered compressed bytes in a task, while the stream inflates the first half.
///
///     buffer   [ member ][ member ][ member ][ member ][ mem…
///              └──────── stream ───────────┘└── a task ──────┘
///
/// Where a member begins is known only when the one before it has been inflated. So the task begins where a member seems to begin.
/// Its result counts only if the stream comes to the end of a member exactly there; then the inflater of the task replaces that of
/// the stream.
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

    /// Bytes that a task inflates at most.
    private static let outputCount = 8 << 20
    /// Fewer compressed bytes are not worth a task.
    static let leastInput = 64 << 10

    /// The inflater of the task. The stream that takes a result swaps it with its own.
    var inflater: any Inflater
    let output = UnsafeMutableRawBufferPointer.allocate(byteCount: outputCount, alignment: 64)
    private let state = Mutex(State.idle)
    private let finished = Semaphore()
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    private var result = Result()

    init(_ inflater: any Inflater) {
        self.inflater = inflater
    }

    deinit {
        output.deallocate()
    }

    /// Begins to inflate `input`, which looks like the beginning of a member and must stay as it is until ``end()``.
    func begin(_ input: UnsafeRawBufferPointer) {
        self.input = input
        state.withLock { $0 = .waiting }
        Task.detached(executorPreference: Workers.shared) { self.run() }
    }

    /// Ends the task, after which the input is not read any more; gives its result, or `nil` where it had not begun to run.
    ///
    /// It waits for a task that runs. The task only inflates and waits for nothing, so this cannot deadlock.
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
