/// A count of what has happened, for a thread to wait until it has.
public final class Semaphore: @unchecked Sendable {
    private let condition = Condition()
    private var count = 0

    public init() {}

    public func signal() {
        condition.withLock {
            count += 1
            condition.signal()
        }
    }

    /// Waits for a ``signal()`` and takes it.
    public func wait() {
        condition.withLock {
            while count == 0 { condition.wait() }
            count -= 1
        }
    }
}
