#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A lock with a condition variable.
final class Condition: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        // None of these calls can fail with such attributes, because none allocates anything.
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
        pthread_cond_init(condition, nil)
        #else
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // The clock of the machine may be set while a thread waits.
        pthread_condattr_setclock(&attributes, Self.clock)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        #endif
    }

    /// The clock by which ``wait(milliseconds:)`` waits.
    #if canImport(Darwin)
    private static let clock = CLOCK_REALTIME
    #else
    private static let clock = CLOCK_MONOTONIC
    #endif

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Releases the lock until the condition is signalled; it may also return without a signal.
    func wait() {
        pthread_cond_wait(condition, mutex)
    }

    /// The same, but for at most `milliseconds`.
    func wait(milliseconds: Int) {
        var end = timespec()
        clock_gettime(Self.clock, &end)
        end.tv_sec += milliseconds / 1000
        end.tv_nsec += milliseconds % 1000 * 1_000_000
        if end.tv_nsec >= 1_000_000_000 {
            end.tv_sec += 1
            end.tv_nsec -= 1_000_000_000
        }
        pthread_cond_timedwait(condition, mutex, &end)
    }

    /// Wakes one waiting thread.
    func signal() {
        pthread_cond_signal(condition)
    }

    /// Wakes all waiting threads.
    func signalAll() {
        pthread_cond_broadcast(condition)
    }
}
