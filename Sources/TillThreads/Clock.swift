import TillSystem

/// Calls a function periodically, on a thread of its own.
public final class Clock: Sendable {
    private final class State: @unchecked Sendable {
        let condition = Condition()
        var isOver = false
    }

    private let state = State()

    /// Starts a clock that calls `body` every `interval` milliseconds, first after one interval, until ``stop()``. The
    /// time that `body` takes is added. `nil` if the system starts no further thread.
    public init?(everyMilliseconds interval: Int, _ body: @escaping @Sendable () -> Void) {
        let isStarted = OwnThread.start(stackSize: OwnThread.smallStack) { [state] in
            while true {
                let isOver = state.condition.withLock {
                    if !state.isOver { state.condition.wait(milliseconds: interval) }
                    return state.isOver
                }
                if isOver { return }
                body()
            }
        }
        guard isStarted else { return nil }
    }

    /// Stops the clock. It does not wait: a call of `body` that has begun may end later.
    public func stop() {
        state.condition.withLock {
            state.isOver = true
            state.condition.signal()
        }
    }
}
