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

/// Work for another thread. The caller does it itself where that thread has not begun, so that it never waits for a
/// thread to start.
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

    /// Does the work unless the other thread has begun it, else waits for that thread.
    func finish() {
        if let body = take() { body.run() } else { done.wait() }
    }

    private func take() -> Unchecked? { body.withLock { $0.take() } }
}
