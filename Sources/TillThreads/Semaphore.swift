/// A counting semaphore.
public final class Semaphore: @unchecked Sendable {
    private let condition = Condition()
    private var count = 0

    /// Starts with a count of 0, so that the first ``wait()`` waits for a ``signal()``.
    public init() {}

    /// Increases the count and wakes one waiting thread.
    public func signal() {
        condition.withLock {
            count += 1
            condition.signal()
        }
    }

    /// Waits until the count is above zero, and decreases it.
    public func wait() {
        condition.withLock {
            while count == 0 { condition.wait() }
            count -= 1
        }
    }
}
