/// The reason why a receipt has no answer, or why no request can be sent.
public struct SubmitError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable codes, as in rejects.
    public enum Code: String, Sendable, CaseIterable {
        /// The address of an endpoint cannot be used.
        case endpoint = "submit.endpoint"
        /// The shared secret cannot be used.
        case secret = "submit.secret"
        /// libcurl is missing.
        case library = "submit.library"
        /// There is no answer: the host is unknown, the connection failed, the certificate is wrong, or the time is
        /// over.
        case transport = "submit.transport"
        /// The HTTP status is not 200.
        case httpStatus = "submit.http-status"
        /// The answer is longer than ``HTTPAnswer/limit``.
        case tooLarge = "submit.too-large"
        /// The answer is not one JSON object.
        case notJSON = "submit.not-json"
        /// The answer is a JSON object without a `status`, so not a verifyReceipt response.
        case notResponse = "submit.not-response"
    }

    /// The kind of failure; ``reason`` tells it in words.
    public var code: Code
    /// A sentence for people. It contains no text of the request and no text of the body of an answer.
    public var reason: String

    public var description: String { reason }

    init(_ code: Code, _ reason: String) {
        (self.code, self.reason) = (code, reason)
    }
}
