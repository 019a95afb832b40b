import Synchronization

/// Runs `first` on this thread and `second` on one of ``Workers``, and returns when both have ended. They must not
/// share mutable state.
///
/// If no worker has begun `second` when `first` has ended, this thread runs it too.
public func concurrently(_ first: () -> Void, _ second: () -> Void) {
    // The check that `second` has not escaped names this file. The path of the folder of the build would be in the
    // command.
    #sourceLocation(file:"concurrently",line:10)
    withoutActuallyEscaping(second) { second in
        let other = OfferedWork(second)
        Task.detached(executorPreference: Workers.shared) { other.run() }
        first()
        other.finish()
    }
    #sourceLocation()
}

/// Calls `body` with each number below `count`, on at most `width` threads, including this one. The calls must not
/// share mutable state. A thread takes the next number when its call ends.
public func concurrently(_ count: Int, width: Int, _ body: (Int) -> Void) {
    let next = Atomic<Int>(0)
    func takeNumbers() {
        while true {
            let number = next.add(1, ordering: .relaxed).oldValue
            guard number < count else { return }
            body(number)
        }
    }
    func run(on threads: Int) {
        guard threads > 1 else { return takeNumbers() }
        concurrently({ run(on: threads - threads / 2) }, { run(on: threads / 2) })
    }
    run(on: min(count, width))
}

/// Like ``concurrently(_:width:_:)``, and returns the results of `body` in the order of the numbers.
///
/// - Throws: the error of the smallest number for which `body` throws, after all calls.
public func concurrentMap<Value, Failure: Error>(
    _ count: Int,
    width: Int,
    _ body: (Int) throws(Failure) -> Value
) throws(Failure) -> [Value] {
    let results = [Result<Value, Failure>](unsafeUninitializedCapacity: count) { results, initializedCount in
        let results = results
        concurrently(count, width: width) { number in
            results.initializeElement(at: number, to: Result { () throws(Failure) -> Value in try body(number) })
        }
        initializedCount = count
    }
    var values: [Value] = []
    values.reserveCapacity(count)
    for result in results { values.append(try result.get()) }
    return values
}

/// Like ``concurrentMap(_:width:_:)``, and passes each result to `take` in the order of the numbers, instead of
/// returning all. At most `width` results are held at a time.
///
/// - Throws: the errors of `take`.
public func concurrently<Value>(
    _ count: Int,
    width: Int,
    make: (Int) -> Value,
    take: (Value) throws -> Void
) rethrows {
    let width = max(1, width)
    for first in stride(from: 0, to: count, by: width) {
        for value in concurrentMap(min(width, count - first), width: width, { make(first + $0) }) { try take(value) }
    }
}

extension Range<Int> {
    /// Ranges of about equal size, one after the other.
    public func divided(by parts: Int) -> [Range<Int>] {
        (0..<parts).map { lowerBound + count * $0 / parts..<lowerBound + count * ($0 + 1) / parts }
    }
}

/// Work for another thread. If that thread has not begun it, the caller does it. So the caller never waits for a thread
/// to start.
private final class OfferedWork: @unchecked Sendable {
    private let body: Locked<Unchecked?>
    private let done = Semaphore()

    private struct Unchecked: @unchecked Sendable {
        let run: () -> Void
    }

    init(_ body: @escaping () -> Void) {
        self.body = Locked(Unchecked(run: body))
    }

    func run() {
        do {
            guard let body = take() else { return }
            body.run()
        }
        done.signal()
    }

    /// Does the work, or waits for the other thread if it has begun the work.
    func finish() {
        if let body = take() { body.run() } else { done.wait() }
    }

    private func take() -> Unchecked? { body.withLock { $0.take() } }
}
