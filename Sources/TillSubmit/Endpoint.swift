public import TillCore

/// The address of a verifyReceipt endpoint.
///
///     https :// host [ : port ] / path ? query
///
/// The request contains receipts and the shared secret, so `http` is for this machine only: `localhost`, `127.0.0.1`
/// and `[::1]`. The address must not hold a user name or a password, because other users of the machine see the
/// arguments of a command. Few characters are accepted, so that libcurl and this type cannot read different hosts in
/// one address.
public struct Endpoint: Hashable, Sendable {
    /// The address as it was given.
    public let url: String
    /// Whether it begins with `http`, without TLS.
    public let isPlain: Bool

    private static let ownHosts = ["localhost", "127.0.0.1", "[::1]"]
    /// Bytes of the longest address.
    private static let longest = 2048

    /// Apple's endpoint for receipts of production.
    public static let production = Endpoint(known: "https://buy.itunes.apple.com/verifyReceipt")
    /// Apple's endpoint for receipts of the sandbox.
    public static let sandbox = Endpoint(known: "https://sandbox.itunes.apple.com/verifyReceipt")

    private init(known url: String) { (self.url, isPlain) = (url, false) }

    /// Reads the address.
    public init(_ text: String) throws(Finding) {
        func failure(_ reason: String) -> Finding { Finding("submit.endpoint", reason) }
        // The text may hold a password, so messages do not repeat it.
        guard text.utf8.count <= Self.longest, text.utf8.allSatisfy(Self.isAllowed) else {
            throw failure("the address has characters that a URL cannot have, or more than \(Self.longest) of them")
        }
        guard let colon = text.firstRange(of: "://") else {
            throw failure("the address must be a whole URL, such as \(Self.production.url)")
        }
        let scheme = text[..<colon.lowerBound].lowercased()
        guard ["http", "https"].contains(scheme) else { throw failure("the address must begin with https://") }
        let rest = text[colon.upperBound...]
        let authority = rest[..<(rest.firstIndex { "/?".contains($0) } ?? rest.endIndex)]
        guard !authority.contains("@") else {
            throw failure("the address must not hold a user name or a password")
        }
        guard let host = Self.host(of: authority) else { throw failure("the host or the port of the address is wrong") }
        isPlain = scheme == "http"
        guard !isPlain || Self.ownHosts.contains(host) else {
            throw failure("receipts are sent by https only; http is for \(Self.ownHosts.joined(separator: ", "))")
        }
        url = text
    }

    /// The endpoint for receipts of the sandbox that belongs to this one: Apple's for Apple's, else none.
    public var ownSandbox: Endpoint? { self == .production ? .sandbox : nil }

    /// Whether a byte is a character of URLs (RFC 3986). `#` is not accepted: it begins a fragment, which is not sent.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~:/?[]@!$&'()*+,;=%".utf8.contains(byte)
        }
    }

    /// The host in lower case, without its port; `nil` if either is wrong.
    private static func host(of authority: Substring) -> String? {
        let isBracketed = authority.hasPrefix("[")
        let end: Substring.Index
        if isBracketed {
            guard let bracket = authority.firstIndex(of: "]") else { return nil }
            end = authority.index(after: bracket)
        } else {
            end = authority.firstIndex(of: ":") ?? authority.endIndex
        }
        let (host, port) = (authority[..<end].lowercased(), authority[end...])
        let letters = isBracketed ? "0123456789abcdef:." : "abcdefghijklmnopqrstuvwxyz0123456789-."
        let name = isBracketed ? host.dropFirst().dropLast() : host[...]
        guard !name.isEmpty, name.allSatisfy(letters.contains) else { return nil }
        guard !port.isEmpty else { return host }
        guard port.hasPrefix(":"), port.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(port.dropFirst()), (1...65_535).contains(number)
        else { return nil }
        return host
    }
}
