import Crypto
import CryptoExtras

/// Signs samples with the test keys; the same bytes give the same signature.
///
/// RSA with PKCS#1 v1.5 is deterministic. ECDSA needs a secret number for each signature; it is derived from the key
/// and the digest, in the spirit of RFC 6979. The arithmetic is plain and slow: good enough for samples and for nothing
/// else.
enum TestSigner {
    /// Both roots as a file of PEM.
    static var roots: SampleFile {
        let blocks = [("receipts", TestKeys.rsaRoot), ("JWS", TestKeys.ecRoot)].map { name, root in
            """
            # TEST ROOT of the samples' \(name). It proves nothing: its keys are public.
            -----BEGIN CERTIFICATE-----
            \(root.octets.pemBase64)
            -----END CERTIFICATE-----
            """
        }
        return SampleFile("test-roots.pem", lines: blocks)
    }

    /// RSA over SHA-256, as app receipts have it.
    static func signReceipt(_ octets: [UInt8]) throws -> [UInt8] { try sign(SHA256.hash(data: octets)) }

    /// RSA over SHA-1, as legacy receipts have it.
    static func signLegacyReceipt(_ octets: [UInt8]) throws -> [UInt8] { try sign(Insecure.SHA1.hash(data: octets)) }

    private static func sign<D: Digest>(_ digest: D) throws -> [UInt8] {
        let key = try _RSA.Signing.PrivateKey(derRepresentation: TestKeys.rsaKey.octets)
        return Array(try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation)
    }

    /// ES256: r and s, 32 octets each (RFC 7518 §3.4).
    static func signJWS(_ octets: [UInt8]) throws -> [UInt8] {
        let key = TestKeys.ecKey.octets
        let digest = Array(SHA256.hash(data: octets))
        let nonce = Array(SHA256.hash(data: key + digest))
        // The public key of a private key k is k times the base point; r is its first coordinate.
        let point = try P256.Signing.PrivateKey(rawRepresentation: nonce).publicKey.x963Representation
        let r = OrderScalar(point.dropFirst().prefix(32))
        let s = (OrderScalar(digest) + r * OrderScalar(key)) * OrderScalar(nonce).inverse
        return r.octets + s.octets
    }
}

/// A number modulo the order of P-256 (SEC 2 §2.4.2).
private struct OrderScalar {
    let high: UInt128
    let low: UInt128

    static let zero = OrderScalar(high: 0, low: 0)
    private static let order = OrderScalar(
        high: 0xFFFF_FFFF_0000_0000_FFFF_FFFF_FFFF_FFFF,
        low: 0xBCE6_FAAD_A717_9E84_F3B9_CAC2_FC63_2551
    )

    var octets: [UInt8] {
        [high, low].flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }

    /// The most significant bit first.
    private var bits: [Bool] {
        [high, low].flatMap { word in (0..<128).reversed().map { word >> $0 & 1 == 1 } }
    }

    static func + (left: OrderScalar, right: OrderScalar) -> OrderScalar {
        let (low, carry) = left.low.addingReportingOverflow(right.low)
        let (half, isOver) = left.high.addingReportingOverflow(right.high)
        let (high, isOverByCarry) = half.addingReportingOverflow(carry ? 1 : 0)
        guard isOver || isOverByCarry || (high, low) >= (order.high, order.low) else {
            return OrderScalar(high: high, low: low)
        }
        return OrderScalar(high: high &- order.high &- (low < order.low ? 1 : 0), low: low &- order.low)
    }

    /// Doubling and adding, a bit at a time.
    static func * (left: OrderScalar, right: OrderScalar) -> OrderScalar {
        right.bits.reduce(zero) { $1 ? $0 + $0 + left : $0 + $0 }
    }

    /// The power by the order less two, which is the inverse since the order is prime.
    var inverse: OrderScalar {
        OrderScalar(high: Self.order.high, low: Self.order.low - 2).bits
            .reduce(OrderScalar(high: 0, low: 1)) { $1 ? $0 * $0 * self : $0 * $0 }
    }
}

extension OrderScalar {
    /// Takes 32 octets, most significant first. Their number is less than twice the order, so adding zero reduces it.
    init(_ octets: some Collection<UInt8>) {
        func number(_ octets: some Collection<UInt8>) -> UInt128 { octets.reduce(0) { $0 << 8 | UInt128($1) } }
        self = OrderScalar(high: number(octets.prefix(16)), low: number(octets.dropFirst(16))) + .zero
    }
}
