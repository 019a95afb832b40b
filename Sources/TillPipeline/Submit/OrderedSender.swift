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
        case outcome(Verifier.Outcome, of: Submission)
        case reject(Reject)
    }

    private static let mostUnwritten = 4

    private let verifier: Verifier
    private let sender: ReceiptSender
    private let account: RunAccount
    private var output: OutputStream
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
        _ verifier: Verifier,
        sender: ReceiptSender,
        width: Int,
        account: RunAccount,
        outputPath: String?,
        isLive: Bool
    ) throws(RunError) {
        (self.verifier, self.sender, self.account, self.isLive) = (verifier, sender, account, isLive)
        window = Self.mostUnwritten * max(1, width)
        output = try OutputStream(outputPath, isPrivate: true)
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

    private func enter(_ entry: Entry) {
        let number = entered
        entered += 1
        switch entry {
        case .reject(let reject): results.insert(.reject(reject), number: number)
        case .receipt(let submission):
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
        case .outcome(.answered(let answers), let submission):
            tally.count(answers)
            try output.write(verifier.lines(of: submission.receipt, answers))
            if output.isClosed { throw SubmitConsumer.OutputClosed() }
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
