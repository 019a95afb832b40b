import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The threads that tasks run on: as many as there are processors, the one that waits for the result among them.
///
/// Threads are made when there is work for them. Where the system has none to give, those that there are do all of it, and the
/// thread that called ``run(_:)`` is always there: the pool of the Swift runtime tries again for ever.
///
/// A task group inside a task on these threads stays on them; an unstructured task has to name them.
public final class Workers: TaskExecutor, @unchecked Sendable {
    public static let shared = Workers(width: processorCount, startThread: { OwnThread.start($0) })

    private let condition = Condition()
    private let startThread: (@escaping @Sendable () -> Void) -> Bool
    private let width: Int
    // The rest only under the lock.
    private var jobs: [UnownedJob] = []
    /// Jobs before this one have been taken.
    private var next = 0
    /// Threads that take jobs, those in ``run(_:)`` too, and how many of them have none.
    private var count = 0
    private var idleCount = 0

    /// - Parameter startThread: makes a thread, or says that there is none.
    init(width: Int, startThread: @escaping (@escaping @Sendable () -> Void) -> Bool) {
        self.width = max(1, width)
        self.startThread = startThread
    }

    /// Processors that are at work, 1 where the system does not tell.
    public static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

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

    /// Runs `body` on these threads and returns when it has ended; the calling thread is one of them meanwhile.
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
        // There is one: it is what the work has gone on for.
        guard let result = outcome.result.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }

    /// Counts a thread that is about to ask for jobs.
    private func arrive() {
        count += 1
        idleCount += 1
    }

    private func leave() {
        count -= 1
        idleCount -= 1
    }

    /// Takes jobs until `isOver` says so, which is asked before each.
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
