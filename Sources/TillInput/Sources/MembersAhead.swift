import Synchronization
import TillThreads

/// Inflates what may be the second half of the compressed bytes at hand, while their owner inflates the first.
///
///     at hand  [ member ][ member ][ member ][ member ][ mem…
///              └──────── owner ────────────┘└── a task ──────┘
///
/// Where a member begins is known only once the one before it is inflated. So what looks like a beginning is tried, and counts
/// only if the owner comes to the end of a member exactly there; then the task's inflater takes the place of the owner's,
/// whatever it has come to.
final class MembersAhead: @unchecked Sendable {
    /// What the task came to.
    struct Result {
        /// Compressed bytes, and what they gave at the start of ``MembersAhead/output``.
        var consumed = 0
        var written = 0
        /// Whether that is the end of a member.
        var isBetweenMembers = true
    }

    private enum State {
        case idle
        /// A task is to begin.
        case waiting
        /// It has begun, and signals when it is over.
        case running
    }

    /// The most that is inflated ahead, in bytes.
    private static let outputCount = 8 << 20
    /// Fewer compressed bytes are not worth a task.
    static let leastInput = 64 << 10

    /// What inflates ahead; whoever takes a result takes this too, and leaves another.
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

    /// Ends what was begun, after which the input is not looked at any more; gives what came of it, or `nil` where no task had the
    /// time to begin.
    ///
    /// Waits for a task that runs, which does nothing but inflate: it ends without anybody's help.
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
        // Up to the end of the last whole member, in case there is no more that is sound.
        var sound = result
        while result.consumed < input.count, result.written < output.count {
            if result.isBetweenMembers {
                // Whatever else may stand between members is the owner's to see.
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
