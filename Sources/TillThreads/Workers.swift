import TillSystem

/// The threads on which tasks run. There are at most as many as processors, and the thread that waits in ``run(_:)`` is
/// one of them.
///
/// Threads start when there is work for them. If the system has no further thread, the existing ones do all the work;
/// the thread that called ``run(_:)`` always exists. The pool of the Swift runtime instead retries for ever.
///
/// A task group inside a task on these threads stays on them. An unstructured task must name them as its preferred
/// executor.
///
/// Why: `docs/decisions.md`, Tasks run on our own executor.
public final class Workers: TaskExecutor, @unchecked Sendable {
    /// The workers of this process, at most one for each processor that is online.
    public static let shared = Workers(width: processorCount, startThread: { OwnThread.start($0) })

    private let condition = Condition()
    private let startThread: (@escaping @Sendable () -> Void) -> Bool
    private let width: Int
    // The lock guards the following properties.
    private var jobs: [UnownedJob] = []
    /// The index of the first job that no thread has taken.
    private var next = 0
    /// Threads that take jobs, those in ``run(_:)`` included.
    private var count = 0
    /// The number of those that have no job.
    private var idleCount = 0

    /// - Parameters:
    ///   - width: the largest number of threads, at least 1.
    ///   - startThread: starts a thread that runs its argument; `false` if the system starts none.
    init(width: Int, startThread: @escaping (@escaping @Sendable () -> Void) -> Bool) {
        self.width = max(1, width)
        self.startThread = startThread
    }

    /// The number of processors that are online, at least 1.
    public static var processorCount: Int { Machine.processorCount }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsThread = condition.withLock {
            jobs.append(job)
            condition.signal()
            guard idleCount < jobs.count - next, count < width else { return false }
            arrive()
            return true
        }
        guard needsThread else { return }
        if !startThread({ self.work { false } }) { condition.withLock { leave() } }
    }

    /// Runs `body` on these threads and returns its result. The calling thread takes jobs until `body` has ended.
    ///
    /// - Throws: the error of `body`.
    public func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let outcome = Outcome<Value>()
        condition.withLock { arrive() }
        Task(executorPreference: self) {
            do {
                let value = try await body()
                outcome.result.withLock { $0 = .success(value) }
            } catch {
                outcome.result.withLock { $0 = .failure(error) }
            }
            self.condition.withLock { self.condition.signalAll() }
        }
        work { outcome.result.withLock { $0 != nil } }
        // `work` returns only when there is a result.
        guard let result = outcome.result.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let result = Locked<Result<Value, any Error>?>(nil)
    }

    /// Counts a thread that begins to take jobs. The lock must be held, as for `leave` and `forgetTaken`.
    private func arrive() {
        count += 1
        idleCount += 1
    }

    private func leave() {
        count -= 1
        idleCount -= 1
    }

    /// Takes and runs jobs until `isOver` is true. It is checked before each job.
    private func work(until isOver: () -> Bool) {
        while let job = take(isOver) {
            job.runSynchronously(on: asUnownedTaskExecutor())
            condition.withLock { idleCount += 1 }
        }
    }

    private func take(_ isOver: () -> Bool) -> UnownedJob? {
        condition.withLock {
            while true {
                if isOver() {
                    leave()
                    return nil
                }
                if next < jobs.count {
                    defer { forgetTaken() }
                    idleCount -= 1
                    next += 1
                    return jobs[next - 1]
                }
                condition.wait()
            }
        }
    }

    private func forgetTaken() {
        guard next == jobs.count || next > 64 else { return }
        jobs.removeFirst(next)
        next = 0
    }
}
