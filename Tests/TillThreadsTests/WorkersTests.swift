import Synchronization
import Testing
import TillSystem

@testable import TillThreads

@Suite("Threads")
struct WorkersTests {
    private struct Failure: Error {}

    /// Counts the threads that it is asked to start.
    private final class Starter: Sendable {
        let count = Atomic<Int>(0)
        let hasThreads: Bool

        init(hasThreads: Bool) {
            self.hasThreads = hasThreads
        }

        func start(_ body: @escaping @Sendable () -> Void) -> Bool {
            count.add(1, ordering: .relaxed)
            return hasThreads && OwnThread.start(body)
        }
    }

    /// A sum that a task group computes. Each task suspends several times.
    @Sendable
    private static func sum() async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...200 {
                group.addTask {
                    await Task.yield()
                    return number
                }
            }
            return try await group.reduce(0, +)
        }
    }

    @Test(
        "All work is done with the threads that the system gives, even with only the waiting one",
        arguments: [1, 2, 8],
        [false, true]
    )
    func needsNoThread(_ width: Int, _ hasThreads: Bool) throws {
        let starter = Starter(hasThreads: hasThreads)
        let workers = Workers(width: width, startThread: starter.start)
        #expect(try workers.run(Self.sum) == 20_100)
        if hasThreads { #expect(starter.count.load(ordering: .relaxed) < width) }
    }

    @Test("A single task starts no further thread")
    func makesThreadsForWorkOnly() throws {
        let starter = Starter(hasThreads: true)
        let workers = Workers(width: 8, startThread: starter.start)
        #expect(try workers.run { 1 } == 1)
        #expect(starter.count.load(ordering: .relaxed) == 0)
    }

    @Test("The caller gets the error that a task throws")
    func throwsFailures() {
        let workers = Workers(width: 2, startThread: { OwnThread.start($0) })
        #expect(throws: Failure.self) { try workers.run { throw Failure() } }
    }

    @Test("Two concurrent functions have both ended when the call returns")
    func doesTwoThings() {
        for _ in 0..<1000 {
            var (one, other) = (0, 0)
            concurrently({ one += 1 }, { other += 1 })
            #expect(one == 1 && other == 1)
        }
    }

    @Test("Each number is worked on once, whatever the number of threads", arguments: [0, 1, 2, 7], [0, 1, 5, 1000])
    func doesManyThings(_ width: Int, _ count: Int) {
        let calls = (0..<count).map { _ in Counter() }
        concurrently(count, width: width) { calls[$0].add() }
        #expect(calls.allSatisfy { $0.count == 1 })
        #expect(concurrentMap(count, width: width) { "\($0)" } == (0..<count).map(String.init))
        var taken: [String] = []
        concurrently(count, width: width) {
            "\($0)"
        } take: {
            taken.append($0)
        }
        #expect(taken == (0..<count).map(String.init))
    }

    @Test("Of several errors the one of the smallest number is thrown, after all calls", arguments: [1, 2, 7])
    func throwsTheFirst(_ width: Int) {
        let calls = (0..<100).map { _ in Counter() }
        #expect(throws: Numbered(number: 30)) {
            try concurrentMap(100, width: width) { number throws(Numbered) -> Int in
                calls[number].add()
                if number >= 30 { throw Numbered(number: number) }
                return number
            }
        }
        #expect(calls.allSatisfy { $0.count == 1 })
    }

    @Test("A result that is not taken ends the work", arguments: [1, 2, 7])
    func stopsTaking(_ width: Int) {
        let made = Counter()
        #expect(throws: Numbered(number: 30)) {
            try concurrently(100, width: width) { number in
                made.add()
                return number
            } take: { number in
                if number == 30 { throw Numbered(number: number) }
            }
        }
        #expect(made.count < 31 + width)
    }

    private struct Numbered: Error, Equatable {
        let number: Int
    }

    private final class Counter: Sendable {
        private let calls = Atomic<Int>(0)
        var count: Int { calls.load(ordering: .relaxed) }
        func add() { calls.add(1, ordering: .relaxed) }
    }

    @Test("A clock runs until it is stopped")
    func runsClock() throws {
        let ticks = Semaphore()
        let clock = try #require(Clock(everyMilliseconds: 1) { ticks.signal() })
        for _ in 0..<3 { ticks.wait() }
        clock.stop()
    }
}
