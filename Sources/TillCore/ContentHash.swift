import CDigest

/// A SHA-256 (FIPS 180-4) of bytes that arrive in parts.
///
/// It is for naming content, such as a file, a receipt or a part of a lake. Modules that hash import only this type;
/// the program has to link `TillDigest`, which implements it with swift-crypto.
public final class ContentHash {
    /// Octets of a hash.
    public static let count = 32

    private let state = till_sha256_new()

    /// Makes the hash of no bytes.
    public init() {}

    deinit { till_sha256_free(state) }

    /// Adds the next bytes.
    public func update(_ bytes: UnsafeRawBufferPointer) {
        till_sha256_update(state, bytes.baseAddress, bytes.count)
    }

    /// Adds the next bytes.
    public func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The 32 octets of the hash of all bytes so far; more can be added afterwards.
    public var octets: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.count) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            till_sha256_write(state, start)
            count = Self.count
        }
    }

    /// The hash as 64 digits `0`–`f`.
    public var text: [UInt8] { Self.text(of: octets) }

    /// Octets of a hash as digits `0`–`f`, two for each.
    public static func text(of octets: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return octets.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}
