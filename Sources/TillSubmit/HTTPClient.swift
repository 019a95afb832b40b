/// Sends requests and receives their answers, one at a time.
public protocol HTTPClient {
    /// Sends `body`, which is JSON, by POST. A redirect is an answer like any other, and is not followed.
    func post(_ body: [UInt8], to endpoint: Endpoint) -> HTTPExchange
}

/// The end of a request: an answer, or the reason why there is none.
public enum HTTPExchange: Sendable {
    case answered(HTTPAnswer)
    /// There is no answer. `mayPass` says whether the failure may be temporary.
    case failed(reason: String, mayPass: Bool)
    /// The answer is longer than ``HTTPAnswer/limit``.
    case tooLarge
    /// The run ends.
    case interrupted
}

/// An answer with any HTTP status.
public struct HTTPAnswer: Sendable {
    /// The HTTP status as the server sent it, also that of a redirect or an error.
    public var status: Int
    /// Seconds that the server asks to wait before another try, if it does.
    public var retryAfter: Int?
    /// The body without headers; ``CurlClient`` gives at most ``limit`` bytes.
    public var body: [UInt8]

    /// Bytes of the longest answer. The answer for a customer with 10,000 renewals has some 20 MB.
    public static let limit = 64 << 20

    /// Makes an answer; `retryAfter` counts seconds.
    public init(status: Int, retryAfter: Int? = nil, body: [UInt8]) {
        (self.status, self.retryAfter, self.body) = (status, retryAfter, body)
    }
}
