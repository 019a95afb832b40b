import Crypto
import CryptoExtras

/// Signs samples with the test keys; the same bytes give the same signature.
///
/// RSA with PKCS#1 v1.5 is so by itself. ECDSA asks for a secret number for each signature, which is taken from the key
/// and the digest as RFC 6979 has it in mind; its arithmetic is plain and slow, which is good enough for samples and for
/// nothing else.
enum TestSigner {
    static let receiptCertificates = [TestKeys.rsaLeaf, TestKeys.rsaIntermediate, TestKeys.rsaRoot].map(octets)
    static let xcodeReceiptCertificate = octets(TestKeys.rsaXcode)
    static let jwsCertificates = [TestKeys.ecLeaf, TestKeys.ecIntermediate, TestKeys.ecRoot].map(oneLine)
    static let xcodeJWSCertificate = oneLine(TestKeys.ecXcode)

    /// Both roots as a file of PEM.
    static var roots: String {
        [("receipts", TestKeys.rsaRoot), ("JWS", TestKeys.ecRoot)].map { name, root in
            var lines = ["# TEST ROOT of the samples' \(name). It proves nothing: its keys are public.", pem("BEGIN")]
            var rest = Substring(oneLine(root))
            while !rest.isEmpty {
                lines.append(String(rest.prefix(64)))
                rest = rest.dropFirst(64)
            }
            return (lines + [pem("END")]).joined(separator: "\n") + "\n"
        }
        .joined()
    }

    private static func pem(_ word: String) -> String { "-----\(word) CERTIFICATE-----" }

    private static func oneLine(_ base64: String) -> String { base64.filter { !$0.isWhitespace } }

    private static func octets(_ base64: String) -> [UInt8] { Base64.decode(oneLine(base64)) }

    /// RSA over SHA-256, as app receipts have it.
    static func signReceipt(_ octets: [UInt8]) throws -> [UInt8] { try sign(SHA256.hash(data: octets)) }

    /// RSA over SHA-1, as legacy receipts have it.
    static func signLegacyReceipt(_ octets: [UInt8]) throws -> [UInt8] { try sign(Insecure.SHA1.hash(data: octets)) }

    private static func sign<D: Digest>(_ digest: D) throws -> [UInt8] {
        let key = try _RSA.Signing.PrivateKey(derRepresentation: octets(TestKeys.rsaKey))
        return Array(try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation)
    }

    /// ES256: r and s, 32 octets each (RFC 7518 §3.4).
    static func signJWS(_ octets: [UInt8]) throws -> [UInt8] {
        let key = Self.octets(TestKeys.ecKey)
        let digest = Array(SHA256.hash(data: octets))
        // Hash until it is a scalar, which nearly every digest is.
        var nonce = Array(SHA256.hash(data: key + digest))
        while (try? P256.Signing.PrivateKey(rawRepresentation: nonce)) == nil {
            nonce = Array(SHA256.hash(data: nonce))
        }
        // The public key of a private key k is k times the base point; r is its first coordinate.
        let point = try P256.Signing.PrivateKey(rawRepresentation: nonce).publicKey.x963Representation
        let r = OrderScalar(Array(point.dropFirst().prefix(32)))
        let s = (OrderScalar(digest) + r * OrderScalar(key)) * OrderScalar(nonce).inverse
        return r.octets + s.octets
    }
}

/// A number modulo the order of P-256 (SEC 2 §2.4.2), most significant word first.
struct OrderScalar: Equatable {
    private var words: [UInt64]

    private static let order: [UInt64] = [
        0xFFFF_FFFF_0000_0000, 0xFFFF_FFFF_FFFF_FFFF, 0xBCE6_FAAD_A717_9E84, 0xF3B9_CAC2_FC63_2551,
    ]

    /// Takes 32 octets, of which twice the order is more.
    init(_ octets: [UInt8]) {
        words = stride(from: 0, to: 32, by: 8).map { start in
            octets[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        if !words.lexicographicallyPrecedes(Self.order) { words = Self.subtract(words, Self.order) }
    }

    private init(words: [UInt64]) { self.words = words }

    var octets: [UInt8] {
        words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
    }

    private static func subtract(_ left: [UInt64], _ right: [UInt64]) -> [UInt64] {
        var result = left
        var borrow: UInt64 = 0
        for index in (0..<4).reversed() {
            let (first, underflow) = left[index].subtractingReportingOverflow(right[index])
            let (second, again) = first.subtractingReportingOverflow(borrow)
            result[index] = second
            borrow = underflow || again ? 1 : 0
        }
        return result
    }

    static func + (left: OrderScalar, right: OrderScalar) -> OrderScalar {
        var sum = left.words
        var carry: UInt64 = 0
        for index in (0..<4).reversed() {
            let (first, overflow) = left.words[index].addingReportingOverflow(right.words[index])
            let (second, again) = first.addingReportingOverflow(carry)
            sum[index] = second
            carry = overflow || again ? 1 : 0
        }
        let isReduced = carry == 0 && sum.lexicographicallyPrecedes(order)
        return OrderScalar(words: isReduced ? sum : subtract(sum, order))
    }

    /// Doubling and adding, a bit at a time.
    static func * (left: OrderScalar, right: OrderScalar) -> OrderScalar {
        var product = OrderScalar(words: [0, 0, 0, 0])
        for word in right.words {
            for bit in (0..<64).reversed() {
                product = product + product
                if word >> UInt64(bit) & 1 == 1 { product = product + left }
            }
        }
        return product
    }

    /// The power by the order less two, which is the inverse since the order is prime.
    var inverse: OrderScalar {
        let exponent = Self.subtract(Self.order, [0, 0, 0, 2])
        var power = OrderScalar(words: [0, 0, 0, 1])
        for word in exponent {
            for bit in (0..<64).reversed() {
                power = power * power
                if word >> UInt64(bit) & 1 == 1 { power = power * self }
            }
        }
        return power
    }
}
