import TillCore
import TillInput
import TillSubmit

/// Writes answers and rejects in the order of entry, whichever answer arrives first.
///
/// At most ``mostUnwritten`` receipts for each request at once wait to be written, so that one slow answer does not let
/// the others fill the memory.
final class OrderedSender {
    /// An entered document: a receipt or a reject.
    enum Entry {
        case receipt(Submission)
        case reject(Reject)

        /// The number of the document in its source.
        var number: Int {
            switch self {
            case .receipt(let submission): submission.number
            case .reject(let reject): reject.number
            }
        }
    }

    private enum Result {
        /// The statuses of answers that are in the output already.
        case held([Int64])
        case outcome(ReceiptSender.Outcome, of: Submission)
        case reject(Reject)
    }

    private static let mostUnwritten = 4

    private let sender: ReceiptSender
    private let account: RunAccount
    private let output: AnswerFile
    /// Whether all entered documents are written before more is read.
    private let isLive: Bool
    private let window: Int
    private var results = InOrder<Result>()
    /// Receipts without a result, by their numbers.
    private var sent: [Int: Submission] = [:]
    private var entered = 0
    /// The error that stopped writing.
    private var failure: (any Error)?
    private(set) var tally = SubmitTally()

    /// - Parameter isLive: whether all answers to a chunk are written before the next chunk is read, for readers of a
    ///   slow pipe.
    init(
        _ sender: ReceiptSender,
        width: Int,
        account: RunAccount,
        output: AnswerFile,
        isLive: Bool
    ) {
        (self.sender, self.account, self.isLive) = (sender, account, isLive)
        window = Self.mostUnwritten * max(1, width)
        self.output = output
    }

    deinit { sender.close() }

    /// Throws the error that stopped writing.
    func check() throws {
        if let failure { throw failure }
    }

    func enter(_ entries: [Entry]) {
        do {
            for entry in entries {
                try check()
                enter(entry)
                while entered - results.taken > window { try takeResults() }
            }
            while isLive, entered > results.taken { try takeResults() }
        } catch {
            failure = failure ?? error
        }
    }

    /// Waits for all answers.
    func finish() throws {
        try check()
        while entered > results.taken { try takeResults() }
    }

    /// Puts the output in place.
    func finishOutput() throws(RunError) { try output.finish() }

    /// The file that a later run can continue; `nil` if the output is in place or has no answers.
    var unfinishedPath: String? { output.unfinishedPath }

    private func enter(_ entry: Entry) {
        let number = entered
        entered += 1
        switch entry {
        case .reject(let reject): results.insert(.reject(reject), number: number)
        case .receipt(let submission):
            if let statuses = output.takeHeld(submission.receipt) {
                return results.insert(.held(statuses), number: number)
            }
            sent[number] = submission
            sender.send(submission.receipt, number: number)
        }
    }

    /// Waits for a receipt if one is sent, and writes the next results in order.
    private func takeResults() throws {
        if !sent.isEmpty {
            for delivery in sender.take() {
                guard let submission = sent.removeValue(forKey: delivery.number) else { continue }
                results.insert(.outcome(delivery.outcome, of: submission), number: delivery.number)
            }
        }
        while let result = results.next() { try write(result) }
    }

    private func write(_ result: Result) throws {
        switch result {
        case .reject(let reject): try account.write(reject)
        case .held(let statuses): tally.count(statuses)
        case .outcome(.answered(let statuses, let lines), _):
            tally.count(statuses)
            try lines.forEachBlock { block in try output.write(block) }
            if output.isClosed { throw SubmitConsumer.OutputClosed() }
        case .outcome(.broken(let error), _): throw error
        case .outcome(.failed(let error), let submission):
            tally.countFailure()
            try account.write(
                submission.rejected(code: error.code, reason: error.reason),
                sharesRaw: false
            )
        case .outcome(.interrupted, let submission):
            throw Finding(.interrupted, source: submission.source, reason: "interrupted")
        }
    }
}
