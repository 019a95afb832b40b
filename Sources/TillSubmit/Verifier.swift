public import TillCore
import TillJSON
import TillSystem

/// Asks the App Store about receipts: production first, then the sandbox after a 21007. Temporary failures are retried.
///
///     receipt ─▶ endpoint ─┬─ status ────────────────────────────────▶ one answer
///                          └─ 21007 ─▶ sandbox endpoint ─▶ status ──▶ two answers
///
/// A request is sent again after a network error, HTTP 429 and 5xx, and the statuses of the class `transient`: 21005,
/// 21009 and 21100 to 21199. It is sent again once after 21002, which mostly means a malformed receipt. It is not sent
/// again if `is-retryable` is 0. Pauses double from half a second. If the server asks for a pause, its length is used,
/// up to ``longestPause``. Only the last answer of an endpoint counts.
public struct Verifier: Sendable {
    /// The result for a receipt.
    public enum Outcome: Sendable {
        /// The answers in the order in which they came: one, or a 21007 and that of the sandbox.
        case answered([StoreAnswer])
        case failed(Finding)
        /// The run ends.
        case interrupted
    }

    /// The endpoint that is asked first about every receipt.
    public var endpoint: Endpoint
    /// The endpoint for a receipt whose status is 21007; `nil` if it is not sent again.
    public var sandbox: Endpoint?
    /// The app's shared secret, which every request has as `password`; `nil` leaves the key out.
    public var secret: SharedSecret?
    /// Whether answers shall contain only the latest renewal of each subscription.
    public var excludesOldTransactions = false
    /// The largest number of retries of a request at each endpoint.
    public var retries = Verifier.usualRetries

    /// The default of ``retries``.
    public static let usualRetries = 3
    /// Milliseconds of the longest pause before a request is sent again.
    public static let longestPause = 120_000
    private static let firstPause = 500
    private static let longestOwnPause = 30_000
    /// The status of a receipt of the sandbox that was sent to production.
    public static let sandboxReceipt: Int64 = 21_007

    /// Starts without a secret; the sandbox is Apple's if `endpoint` is Apple's for production, and else `nil`.
    public init(endpoint: Endpoint) {
        self.endpoint = endpoint
        sandbox = endpoint.ownSandbox
    }

    /// Asks about one receipt.
    ///
    /// - Parameters:
    ///   - receipt: in base64.
    ///   - pause: waits so many milliseconds; `false` if the run ends.
    public func verify(
        _ receipt: [UInt8],
        by client: some HTTPClient,
        pausing pause: (_ milliseconds: Int) -> Bool
    ) -> Outcome {
        let request = VerifyRequest(receipt: receipt, excludesOldTransactions: excludesOldTransactions)
        let body = request.body(secret)
        let first = ask(endpoint, body, client, pause)
        guard case .answered(let answers) = first, answers.last?.status == Self.sandboxReceipt, let sandbox else {
            return first
        }
        let second = ask(sandbox, body, client, pause)
        guard case .answered(let later) = second else { return second }
        return .answered(answers + later)
    }

    /// The output lines for the answers to a receipt: a `{request,response}` pair each.
    public func lines(of receipt: [UInt8], _ answers: [StoreAnswer]) -> [UInt8] {
        let request = VerifyRequest(receipt: receipt, excludesOldTransactions: excludesOldTransactions).text
        var lines: [UInt8] = []
        for answer in answers {
            lines += "{\"logged_at_ms\":\(answer.time.milliseconds),\"request\":".utf8
            lines += request
            lines += ",\"response\":".utf8
            lines += answer.json
            lines += "}\n".utf8
        }
        return lines
    }

    /// Whether a request is sent again after a result.
    private enum Retry {
        case never
        /// If the same result has not come before.
        case once
        case always
    }

    /// The result of one request.
    private struct Attempt {
        var outcome: Outcome
        var retry = Retry.never
        /// Milliseconds that the server asks to wait.
        var wait: Int?
    }

    private func ask(
        _ endpoint: Endpoint,
        _ body: [UInt8],
        _ client: some HTTPClient,
        _ pause: (Int) -> Bool
    ) -> Outcome {
        var tries = 0
        var hasUsedOnce = false
        while true {
            let attempt = attempt(client.post(body, to: endpoint))
            let isRepeated =
                switch attempt.retry {
                case .never: false
                case .once: !hasUsedOnce
                case .always: true
                }
            guard isRepeated, tries < retries else { return attempt.outcome }
            if attempt.retry == .once { hasUsedOnce = true }
            guard pause(Self.pause(afterTry: tries, asked: attempt.wait)) else { return .interrupted }
            tries += 1
        }
    }

    /// Up to a quarter more than the pause, so that requests that failed together are not sent together.
    private static func pause(afterTry number: Int, asked: Int?) -> Int {
        if let asked { return min(asked, longestPause) }
        let own = min(longestOwnPause, firstPause << min(number, 16))
        return own + Int.random(in: 0...(own / 4))
    }

    private func attempt(_ exchange: HTTPExchange) -> Attempt {
        switch exchange {
        case .interrupted: return Attempt(outcome: .interrupted)
        case .tooLarge:
            let reason = "the answer has more than \(HTTPAnswer.limit) bytes"
            return Attempt(outcome: .failed(Finding("submit.too-large", reason)))
        case .failed(let reason, let mayPass):
            return Attempt(outcome: .failed(Finding("submit.transport", reason)), retry: mayPass ? .always : .never)
        case .answered(let answer) where answer.status != 200:
            let isRedirect = (300..<400).contains(answer.status)
            let reason = "HTTP status \(answer.status)\(isRedirect ? "; redirects are not followed" : "")"
            return Attempt(
                outcome: .failed(Finding("submit.http-status", reason)),
                retry: answer.status == 429 || answer.status >= 500 ? .always : .never,
                wait: answer.retryAfter.map { 1000 * min($0, Self.longestPause) }
            )
        case .answered(let answer):
            do {
                let time = Timestamp(milliseconds: Int64(Machine.time / 1_000_000))
                let answer = try StoreAnswer(answer.body, at: time, masking: secret)
                return Attempt(outcome: .answered([answer]), retry: Self.retry(after: answer))
            } catch {
                return Attempt(outcome: .failed(error))
            }
        }
    }

    /// Whether a request is sent again after an answer, by the entry for its status in the catalogue of failures.
    private static func retry(after answer: StoreAnswer) -> Retry {
        guard answer.isRetryable != false else { return .never }
        let known = FailureCatalogue.failureClass(ofStatus: answer.status, isRetryable: answer.isRetryable)
        if known == .transient { return .always }
        let entry = FailureCatalogue.entry(domain: "verifyReceipt", code: answer.status)
        return entry?.retry == .maybe ? .once : .never
    }
}
