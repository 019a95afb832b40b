/// Does something again and again, on a thread of its own.
public final class Clock: Sendable {
    private final class State: @unchecked Sendable {
        let condition = Condition()
        var isOver = false
    }

    private let state = State()

    /// Has `body` run every so many milliseconds until ``stop()``; `nil` where there is no thread for it.
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

    /// Ends it. What has begun to run may still end a moment later.
    public func stop() {
        state.condition.withLock {
            state.isOver = true
            state.condition.signal()
        }
    }
}
