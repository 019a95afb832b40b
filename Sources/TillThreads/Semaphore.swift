/// A counting semaphore.
public final class Semaphore: @unchecked Sendable {
    private let condition = Condition()
    private var count = 0

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
