import Crypto
import TillJSON

/// The number of bytes of a file, and their SHA-256.
public struct ContentDigest {
    private var hash = SHA256()
    private(set) var byteCount = 0

    /// Makes the digest of no bytes.
    public init() {}

    /// Adds the next bytes of the file.
    public mutating func update(_ bytes: [UInt8]) {
        hash.update(data: bytes)
        byteCount += bytes.count
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        hash.update(bufferPointer: bytes)
        byteCount += bytes.count
    }

    /// The 32 bytes of the SHA-256.
    var bytes: [UInt8] { Array(hash.finalize()) }

    /// The SHA-256 as 64 digits `0`–`f`.
    var text: [UInt8] { Self.hexadecimal(bytes) }

    /// Writes the members of a manifest's object: `"bytes":5,"sha256":"…"`.
    func appendMembers(to text: inout [UInt8]) {
        text += "\"bytes\":\(byteCount),\"sha256\":".utf8
        text.appendJSON(string: self.text)
    }

    static func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}
