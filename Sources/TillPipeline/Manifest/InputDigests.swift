import TillCore
public import TillInput

/// SHA-256 of the stored bytes of each source, and of the inflated ones of those that are compressed.
public final class InputDigests: StoredBytesObserver {
    private(set) var digests: [Manifest.File] = []
    private var inflated: [Int: ContentDigest] = [:]
    private let inflates: Bool

    /// Makes the observer of one run, which has seen no source yet.
    public convenience init() {
        self.init(inflates: false)
    }

    /// - Parameter inflates: whether ``contents`` are needed.
    init(inflates: Bool) {
        self.inflates = inflates
    }

    /// The digest of what each source holds, inflated, in the order of reading.
    var contents: [ContentDigest] { digests.indices.map { inflated[$0] ?? digests[$0].digest } }

    /// SHA-256 of each source, as text.
    var sums: [String] { digests.map { String(decoding: $0.digest.text, as: UTF8.self) } }

    public func begin(_ source: String) {
        digests.append((source, ContentDigest()))
    }

    public func update(_ bytes: UnsafeRawBufferPointer) {
        digests[digests.count - 1].digest.update(bytes)
    }

    public func update(inflated bytes: UnsafeRawBufferPointer) {
        if inflates { inflated[digests.count - 1, default: ContentDigest()].update(bytes) }
    }
}
