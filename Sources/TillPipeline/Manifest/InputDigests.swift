import TillCore
public import TillInput

/// SHA-256 of the stored bytes of each source.
public final class InputDigests: StoredBytesObserver {
    private(set) var digests: [Manifest.File] = []

    /// Makes the observer of one run, which has seen no source yet.
    public init() {}

    /// A name of 16 digits for the content of the input; it does not depend on file names.
    ///
    /// It is the beginning of a SHA-256 over the digests of the sources, in the order of reading, and over the options
    /// that change the rows.
    func contentName(_ options: [GivenOption]) -> String {
        let hash = ContentHash()
        for (_, digest) in digests { hash.update(digest.bytes) }
        for option in options { hash.update(Array("\(option.name) \(option.value)\n".utf8)) }
        return String(decoding: hash.text.prefix(16), as: UTF8.self)
    }

    /// SHA-256 of each source, as text.
    var sums: [String] { digests.map { String(decoding: $0.digest.text, as: UTF8.self) } }

    public func begin(_ source: String) {
        digests.append((source, ContentDigest()))
    }

    public func update(_ bytes: UnsafeRawBufferPointer) {
        digests[digests.count - 1].digest.update(bytes)
    }
}
