import TillCore
import TillInput
import TillSubmit
import TillSystem
import TillThreads

/// Sends receipts for verification on its own threads, several at once.
///
///     send ─▶ waiting ─┬─ thread, its own connection ─┬─▶ finished ─▶ take
///                      └─ thread, its own connection ─┘
///
/// Requests wait for the network and not for a processor, so they do not run on ``Workers``. Threads start when there
/// is work for them. Where the system has none at all, ``send(_:number:)`` does the work itself.
final class ReceiptSender: Sendable {
    /// A receipt and its outcome.
    struct Delivery: Sendable {
        var number: Int
        var outcome: Outcome
    }

    enum Outcome: Sendable {
        /// The statuses of the answers, and their lines for the output.
        case answered([Int64], AnswerLines)
        case failed(Finding)
        /// The run ends.
        case interrupted
        /// The lines could not be put aside.
        case broken(any Error)
    }

    private struct State {
        var waiting: [(number: Int, receipt: [UInt8])] = []
        var finished: [Delivery] = []
        var threads = 0
        /// Receipts that a thread has taken and not finished.
        var underWay = 0
        var isClosed = false
    }

    private let state = Locked(State())
    /// Counts waiting receipts; after ``close()``, threads too.
    private let work = Semaphore()
    /// Counts finished receipts.
    private let done = Semaphore()
    private let verifier: Verifier
    private let width: Int
    private let share: Int
    private let makeClient: @Sendable () throws(Finding) -> CurlClient

    /// - Parameters:
    ///   - width: the largest number of requests at once.
    ///   - share: bytes of the longest answer that waits in memory until it is written.
    ///   - makeClient: makes the client of a thread.
    init(
        _ verifier: Verifier,
        width: Int,
        share: Int,
        makeClient: @escaping @Sendable () throws(Finding) -> CurlClient
    ) {
        (self.verifier, self.width, self.share, self.makeClient) = (verifier, max(1, width), share, makeClient)
    }

    /// Sends a receipt; its outcome is returned by ``take()`` with the same number.
    func send(_ receipt: [UInt8], number: Int) {
        let needsThread = state.withLock { state in
            state.waiting.append((number, receipt))
            guard state.threads < width, state.threads < state.waiting.count + state.underWay else { return false }
            state.threads += 1
            return true
        }
        work.signal()
        guard needsThread, !OwnThread.start(stackSize: Self.stackSize, { self.run() }) else { return }
        let isAlone = state.withLock { state in
            state.threads -= 1
            return state.threads == 0
        }
        if isAlone { deliverNext() }
    }

    /// Verifies one receipt on the thread of the caller.
    private func deliverNext() {
        guard let next = next() else { return }
        do {
            verify(next.number, next.receipt, by: try makeClient())
        } catch {
            finish(next.number, .failed(error))
        }
    }

    /// Waits until a further receipt is finished, and gives all that are. It must be called only while some are not
    /// taken.
    func take() -> [Delivery] {
        done.wait()
        return state.withLock { state in
            defer { state.finished.removeAll() }
            return state.finished
        }
    }

    /// Lets the threads end when they have finished what they have begun.
    func close() {
        let count = state.withLock { state in
            state.isClosed = true
            state.waiting.removeAll()
            return state.threads
        }
        for _ in 0..<count { work.signal() }
    }

    /// libcurl and the resolver of names need some 100 kB.
    private static let stackSize = 1 << 20

    private func run() {
        do {
            let client = try makeClient()
            while let next = next() { verify(next.number, next.receipt, by: client) }
        } catch {
            while let next = next() { finish(next.number, .failed(error)) }
        }
    }

    /// Waits for a receipt; `nil` if no more come.
    private func next() -> (number: Int, receipt: [UInt8])? {
        work.wait()
        return state.withLock { state in
            guard !state.isClosed, !state.waiting.isEmpty else { return nil }
            state.underWay += 1
            return state.waiting.removeFirst()
        }
    }

    private func verify(_ number: Int, _ receipt: [UInt8], by client: CurlClient) {
        let outcome = outcome(of: receipt, by: client)
        client.leaveRoom()
        finish(number, outcome)
    }

    private func outcome(of receipt: [UInt8], by client: CurlClient) -> Outcome {
        let outcome = verifier.verify(receipt, by: client) { pause in
            client.leaveRoom()
            return Self.pause(milliseconds: pause)
        }
        switch outcome {
        case .failed(let error): return .failed(error)
        case .interrupted: return .interrupted
        case .answered(let answers):
            do {
                let lines = try AnswerLines(verifier.lines(of: receipt, answers), longestInMemory: share)
                return .answered(answers.map(\.status), lines)
            } catch {
                return .broken(error)
            }
        }
    }

    private func finish(_ number: Int, _ outcome: Outcome) {
        state.withLock { state in
            state.underWay -= 1
            state.finished.append(Delivery(number: number, outcome: outcome))
        }
        done.signal()
    }

    /// Sleeps in short parts, so that a run that is interrupted ends soon.
    private static func pause(milliseconds: Int) -> Bool {
        let end = Machine.uptime + milliseconds * 1_000_000
        while Machine.uptime < end {
            guard !Interruption.isRequested else { return false }
            OwnThread.sleep(milliseconds: min(50, (end - Machine.uptime) / 1_000_000 + 1))
        }
        return !Interruption.isRequested
    }
}
