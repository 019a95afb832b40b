import TillCore
import TillJSON

/// The number of bytes of a file, and their SHA-256.
///
/// Copies share the hash: update one of them only.
public struct ContentDigest {
    private let hash = ContentHash()
    private(set) var byteCount = 0
    /// The SHA-256 of the first ``headCount`` bytes; `nil` if there are fewer.
    private(set) var head: [UInt8]?

    /// Bytes of a beginning by which contents are distinguished before all of it is compared.
    static let headCount = 256

    /// Makes the digest of no bytes.
    public init() {}

    /// Adds the next bytes of the file.
    public mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        if head == nil, byteCount + rest.count >= Self.headCount {
            let count = Self.headCount - byteCount
            hash.update(UnsafeRawBufferPointer(rebasing: rest[..<count]))
            head = hash.octets
            byteCount += count
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        hash.update(rest)
        byteCount += rest.count
    }

    /// The 32 bytes of the SHA-256.
    var bytes: [UInt8] { hash.octets }

    /// The SHA-256 as 64 digits `0`–`f`.
    var text: [UInt8] { hash.text }

    /// Writes the members of a manifest's object: `"bytes":5,"sha256":"…"`.
    func appendMembers(to text: inout [UInt8]) {
        text += "\"bytes\":\(byteCount),\"sha256\":".utf8
        text.appendJSON(string: self.text)
    }
}
