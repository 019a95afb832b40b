import CCurl
public import TillCore

/// libcurl, loaded at its first use.
public enum CurlLibrary {
    /// The name of the library and its installed version; the version is `nil` if it is not installed.
    public static var version: (name: String, version: String?) {
        ("libcurl", till_curl_version().map { String(cString: $0) })
    }

    // Functions that take any number of arguments are plain pointers to Swift. None of them changes after this.
    nonisolated(unsafe) private static let opened: Result<till_curl_functions, Finding> = {
        var functions = till_curl_functions()
        guard let reason = till_curl_open(&functions) else { return .success(functions) }
        return .failure(
            Finding(
                "submit.library",
                "sending receipts needs libcurl: \(String(cString: reason)); install it (on Debian: apt-get install libcurl4)"
            )
        )
    }()

    static func functions() throws(Finding) -> till_curl_functions { try opened.get() }
}

/// Sends requests by libcurl: TLS 1.2 or later, with the roots of the system; connections are kept for the next
/// request.
public final class CurlClient: HTTPClient {
    private var functions: till_curl_functions
    private let handle: UnsafeMutableRawPointer
    private let userAgent: String
    private let timeout: Int
    private let isOver: @convention(c) () -> Int32
    private let room: AnswerRoom
    private var isInRoom = false

    /// - Parameters:
    ///   - userAgent: the name of the program, for the server.
    ///   - timeout: milliseconds for a request and its answer.
    ///   - room: the room for answers, which all clients share.
    ///   - isOver: whether the run ends; called about once a second during a request.
    /// - Throws: `submit.library` if libcurl is missing.
    public init(
        userAgent: String,
        timeout: Int,
        room: AnswerRoom,
        isOver: @escaping @convention(c) () -> Int32
    ) throws(Finding) {
        functions = try CurlLibrary.functions()
        guard let handle = till_curl_new(&functions) else {
            throw Finding("submit.library", "libcurl has no memory for a connection")
        }
        (self.handle, self.userAgent, self.timeout, self.isOver) = (handle, userAgent, timeout, isOver)
        self.room = room
    }

    deinit {
        leaveRoom()
        till_curl_free(&functions, handle)
    }

    /// Waits until no other long answer is in memory; `false` if the run ends.
    private func enterRoom() -> Bool {
        if !isInRoom { room.enter() }
        isInRoom = true
        return isOver() == 0
    }

    /// To be called when the answers of a receipt are no longer in memory, and before a pause.
    public func leaveRoom() {
        if isInRoom { room.leave() }
        isInRoom = false
    }

    public func post(_ body: [UInt8], to endpoint: Endpoint) -> HTTPExchange {
        var exchange = till_curl_exchange()
        exchange.body_count = body.count
        exchange.timeout = timeout
        exchange.is_plain = endpoint.isPlain ? 1 : 0
        exchange.answer_limit = HTTPAnswer.limit
        exchange.answer_share = room.share
        exchange.context = Unmanaged.passUnretained(self).toOpaque()
        exchange.await_room = { context in
            guard let context else { return 0 }
            return Unmanaged<CurlClient>.fromOpaque(context).takeUnretainedValue().enterRoom() ? 1 : 0
        }
        exchange.is_over = isOver
        defer { free(exchange.answer) }
        endpoint.url.withCString { url in
            userAgent.withCString { userAgent in
                body.withUnsafeBytes { body in
                    (exchange.url, exchange.user_agent, exchange.body) = (url, userAgent, body.baseAddress)
                    till_curl_post(&functions, handle, &exchange)
                }
            }
        }
        switch exchange.ending {
        case TILL_CURL_ANSWERED:
            let bytes = UnsafeRawBufferPointer(start: exchange.answer, count: exchange.answer_count)
            let retryAfter = exchange.retry_after > 0 ? Int(exchange.retry_after) : nil
            return .answered(HTTPAnswer(status: exchange.status, retryAfter: retryAfter, body: Array(bytes)))
        case TILL_CURL_TOO_LARGE: return .tooLarge
        case TILL_CURL_OVER: return .interrupted
        default:
            let reason = withUnsafeBytes(of: exchange.reason) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            return .failed(reason: reason, mayPass: exchange.ending == TILL_CURL_FAILED)
        }
    }
}
