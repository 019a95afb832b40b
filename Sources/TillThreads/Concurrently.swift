import Synchronization

/// Does two things at once, on this thread and another, and returns when both are done. They must not touch the same things.
///
/// Where no other thread has time, this one does both.
public func concurrently(_ first: () -> Void, _ second: () -> Void) {
    withoutActuallyEscaping(second) { second in
        let other = OtherHalf(second)
        Task.detached(executorPreference: Workers.shared) { other.run() }
        first()
        other.finish()
    }
}

/// What the other thread is to do. Whoever takes it does it, so that nobody waits for a thread that has not begun.
private final class OtherHalf: @unchecked Sendable {
    private let body: Mutex<Unchecked?>
    private let done = Semaphore()

    private struct Unchecked: @unchecked Sendable {
        let run: () -> Void
    }

    init(_ body: @escaping () -> Void) {
        self.body = Mutex(Unchecked(run: body))
    }

    func run() {
        do {
            guard let body = take() else { return }
            body.run()
        }
        done.signal()
    }

    /// Does it unless somebody has begun to, else waits for him.
    func finish() {
        if let body = take() { body.run() } else { done.wait() }
    }

    private func take() -> Unchecked? { body.withLock { $0.take() } }
}
