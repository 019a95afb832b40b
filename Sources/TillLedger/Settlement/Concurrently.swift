import Dispatch

/// Does two things at once, on this thread and another, and returns when both are done. They must not touch the same things.
func concurrently(_ first: () -> Void, _ second: () -> Void) {
    withoutActuallyEscaping(first) { first in
        withoutActuallyEscaping(second) { second in
            nonisolated(unsafe) let both = [first, second]
            DispatchQueue.concurrentPerform(iterations: 2) { both[$0]() }
        }
    }
}
