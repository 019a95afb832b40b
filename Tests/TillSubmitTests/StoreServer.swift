import Foundation

/// A verifyReceipt endpoint on this machine that answers as a test says. It speaks enough HTTP/1.1 for that.
final class StoreServer: @unchecked Sendable {
    struct Request: Sendable {
        var path: String
        var body: [UInt8]
        /// Which request of this path and this receipt it is, from 1.
        var number: Int

        private var members: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
        }
        var receipt: String { members["receipt-data"] as? String ?? "" }
        var password: String? { members["password"] as? String }
        var keys: Set<String> { Set(members.keys) }
    }

    enum Reply: Sendable {
        case json(String)
        case http(Int, headers: [String] = [], String)
        /// The same after so many milliseconds.
        case late(Int, String)
        /// A body of so many bytes.
        case huge(Int)
        /// The beginning of an answer, and then the end of the connection.
        case cut
    }

    let port: UInt16
    private let socket: Int32
    private let reply: @Sendable (Request) -> Reply
    private let lock = NSLock()
    private var received: [Request] = []
    private var underWay = 0
    private var most = 0

    struct NoSocket: Error {}

    /// Listens at a free port of 127.0.0.1 until it is stopped.
    init(_ reply: @escaping @Sendable (Request) -> Reply) throws {
        self.reply = reply
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && listen(socket, 64) == 0
                    && getsockname(socket, address, &length) == 0
            }
        }
        guard isListening else { throw NoSocket() }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { self.accept() }
    }

    func stop() {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
    /// What was received so far, in the order in which it came.
    var requests: [Request] { lock.withLock { received } }
    /// The most requests that were under way at once.
    var mostAtOnce: Int { lock.withLock { most } }

    private func accept() {
        while true {
            let connection = Glibc.accept(socket, nil, nil)
            guard connection >= 0 else { return }
            Thread.detachNewThread {
                while self.answerNext(on: connection) {}
                close(connection)
            }
        }
    }

    /// Answers one request; `false` where the connection ends.
    private func answerNext(on connection: Int32) -> Bool {
        guard let (path, body) = Self.read(from: connection) else { return false }
        let request = lock.withLock {
            var request = Request(path: path, body: body, number: 1)
            let receipt = request.receipt
            request.number += received.count { $0.path == path && $0.receipt == receipt }
            received.append(request)
            underWay += 1
            most = max(most, underWay)
            return request
        }
        defer { lock.withLock { underWay -= 1 } }
        switch reply(request) {
        case .json(let text): return Self.write(200, [], Array(text.utf8), to: connection)
        case .http(let status, let headers, let text):
            return Self.write(status, headers, Array(text.utf8), to: connection)
        case .late(let milliseconds, let text):
            usleep(UInt32(milliseconds) * 1000)
            return Self.write(200, [], Array(text.utf8), to: connection)
        case .huge(let count): return Self.write(200, [], Array(repeating: 0x20, count: count), to: connection)
        case .cut:
            _ = Self.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"status\"".utf8), to: connection)
            return false
        }
    }

    private static func read(from connection: Int32) -> (path: String, body: [UInt8])? {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        var head: (text: String, end: Int, length: Int)?
        while true {
            if head == nil, let end = Data(bytes).range(of: Data("\r\n\r\n".utf8)) {
                let text = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                let line = text.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                let length = line.flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) }
                head = (text, end.upperBound, length ?? 0)
            }
            if let head, bytes.count >= head.end + head.length {
                let path = head.text.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                return (path, Array(bytes[head.end...]))
            }
            let count = recv(connection, &part, part.count, 0)
            guard count > 0 else { return nil }
            bytes += part[..<count]
        }
    }

    private static func write(_ status: Int, _ headers: [String], _ body: [UInt8], to connection: Int32) -> Bool {
        let lines = ["HTTP/1.1 \(status) X", "Content-Length: \(body.count)"] + headers
        return send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body, to: connection)
    }

    private static func send(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
