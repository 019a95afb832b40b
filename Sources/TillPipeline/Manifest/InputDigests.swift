import Crypto
public import TillInput

/// What was read, as SHA-256 of the bytes that are stored, source by source.
public final class InputDigests: StoredBytesObserver {
    /// One source.
    struct Digest {
        var source: String
        var byteCount = 0
        var hash = SHA256()
    }

    private(set) var digests: [Digest] = []

    public init() {}

    public func begin(_ source: String) {
        digests.append(Digest(source: source))
    }

    public func update(_ bytes: UnsafeRawBufferPointer) {
        digests[digests.count - 1].byteCount += bytes.count
        digests[digests.count - 1].hash.update(bufferPointer: bytes)
    }
}
