import Crypto
import CryptoExtras
import Foundation
import TillTestSupport

/// A key that signs certificates and documents in tests. It is generated in each run.
enum TestKey {
    case rsa(_RSA.Signing.PrivateKey)
    case ec(P256.Signing.PrivateKey)

    static let root = Result { try TestKey.rsa(_RSA.Signing.PrivateKey(keySize: .bits2048)) }
    static let intermediate = Result { try TestKey.rsa(_RSA.Signing.PrivateKey(keySize: .bits2048)) }
    static let leaf = Result { try TestKey.rsa(_RSA.Signing.PrivateKey(keySize: .bits2048)) }
    static let ecRoot = TestKey.ec(P256.Signing.PrivateKey())
    static let ecIntermediate = TestKey.ec(P256.Signing.PrivateKey())
    static let ecLeaf = TestKey.ec(P256.Signing.PrivateKey())

    /// SubjectPublicKeyInfo.
    var publicKey: [UInt8] {
        switch self {
        case .rsa(let key): Array(key.publicKey.derRepresentation)
        case .ec(let key): Array(key.publicKey.derRepresentation)
        }
    }

    /// A signature over SHA-256 or SHA-1, encoded as in certificates and CMS.
    func sign(_ octets: [UInt8], sha1: Bool = false) throws -> [UInt8] {
        switch self {
        case .rsa(let key):
            let padding = _RSA.Signing.Padding.insecurePKCS1v1_5
            return sha1
                ? Array(try key.signature(for: Insecure.SHA1.hash(data: octets), padding: padding).rawRepresentation)
                : Array(try key.signature(for: SHA256.hash(data: octets), padding: padding).rawRepresentation)
        case .ec(let key): return Array(try key.signature(for: SHA256.hash(data: octets)).derRepresentation)
        }
    }

    var algorithm: [UInt8] {
        switch self {
        case .rsa: OID.sha256WithRSA
        case .ec: OID.ecdsaWithSHA256
        }
    }
}

/// Object identifiers in DER.
enum OID {
    static let sha1 = oid(1, 3, 14, 3, 2, 26)
    static let sha256 = oid(2, 16, 840, 1, 101, 3, 4, 2, 1)
    static let sha512 = oid(2, 16, 840, 1, 101, 3, 4, 2, 3)
    static let rsa = oid(1, 2, 840, 113_549, 1, 1, 1)
    static let md5WithRSA = oid(1, 2, 840, 113_549, 1, 1, 4)
    static let sha1WithRSA = oid(1, 2, 840, 113_549, 1, 1, 5)
    static let sha256WithRSA = oid(1, 2, 840, 113_549, 1, 1, 11)
    static let ecdsaWithSHA256 = oid(1, 2, 840, 10_045, 4, 3, 2)
    static let data = oid(1, 2, 840, 113_549, 1, 7, 1)
    static let signedData = oid(1, 2, 840, 113_549, 1, 7, 2)
    static let contentType = oid(1, 2, 840, 113_549, 1, 9, 3)
    static let messageDigest = oid(1, 2, 840, 113_549, 1, 9, 4)
    static let commonName = oid(2, 5, 4, 3)
    static let receiptSigning = oid(1, 2, 840, 113_635, 100, 6, 11, 1)
    static let developerRelations = oid(1, 2, 840, 113_635, 100, 6, 2, 1)

    static func oid(_ components: UInt...) -> [UInt8] {
        var content = [UInt8(components[0] * 40 + components[1])]
        for component in components.dropFirst(2) {
            var digits = [UInt8(component & 0x7F)]
            var rest = component >> 7
            while rest > 0 {
                digits.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
                rest >>= 7
            }
            content += digits
        }
        return DER.element(0x06, content)
    }
}

/// A certificate to be written. Its properties may be those of a hostile one.
struct TestCertificate {
    var subject: String
    var issuer: String
    var serial: Int64 = 7
    var notBefore = "150101000000Z"
    var notAfter = "450101000000Z"
    var publicKey: [UInt8]
    var extensions: [[UInt8]] = []

    static func basicConstraints(isAuthority: Bool, pathLength: Int64? = nil) -> [UInt8] {
        let flag = isAuthority ? DER.element(0x01, [0xFF]) : []
        let length = pathLength.map { DER.integer($0) } ?? []
        return found(OID.oid(2, 5, 29, 19), DER.element(0x30, flag + length), isCritical: true)
    }

    static func keyUsage(_ bits: UInt8) -> [UInt8] {
        found(OID.oid(2, 5, 29, 15), DER.element(0x03, [UInt8(bits.trailingZeroBitCount), bits]), isCritical: true)
    }

    static func marker(_ identifier: [UInt8]) -> [UInt8] { found(identifier, [5, 0], isCritical: false) }

    static func found(_ identifier: [UInt8], _ value: [UInt8], isCritical: Bool) -> [UInt8] {
        DER.element(0x30, identifier + (isCritical ? DER.element(0x01, [0xFF]) : []) + DER.octets(value))
    }

    static func name(_ text: String) -> [UInt8] {
        DER.sequence(DER.set([DER.sequence(OID.commonName, DER.utf8(text))]))
    }

    func signed(by key: TestKey, algorithm: [UInt8]? = nil) throws -> [UInt8] {
        let algorithm = DER.element(0x30, (algorithm ?? key.algorithm) + (algorithm == nil ? [] : [5, 0]))
        let validity = DER.sequence(
            DER.element(0x17, Array(notBefore.utf8)),
            DER.element(0x17, Array(notAfter.utf8))
        )
        let body = [
            DER.explicit(DER.integer(2)), DER.integer(serial), algorithm, Self.name(issuer), validity,
            Self.name(subject), publicKey,
            extensions.isEmpty ? [] : DER.element(0xA3, DER.element(0x30, extensions.flatMap(\.self))),
        ]
        let signed = DER.element(0x30, body.flatMap(\.self))
        let isSHA1 = self.isSHA1(algorithm)
        return DER.sequence(signed, algorithm, DER.element(0x03, [0] + (try key.sign(signed, sha1: isSHA1))))
    }

    private func isSHA1(_ algorithm: [UInt8]) -> Bool { algorithm.contains(sequence: OID.sha1WithRSA) }
}

extension [UInt8] {
    fileprivate func contains(sequence: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: sequence) }
    }
}

/// A root, an intermediate and a signer as in the App Store. Tests may change the certificates.
struct TestChain {
    var root: TestCertificate
    var intermediate: TestCertificate
    var leaf: TestCertificate
    var keys: (root: TestKey, intermediate: TestKey, leaf: TestKey)

    static func rsa() throws -> TestChain {
        TestChain(keys: (try TestKey.root.get(), try TestKey.intermediate.get(), try TestKey.leaf.get()))
    }

    static func ec() -> TestChain {
        TestChain(keys: (TestKey.ecRoot, TestKey.ecIntermediate, TestKey.ecLeaf))
    }

    init(keys: (root: TestKey, intermediate: TestKey, leaf: TestKey)) {
        self.keys = keys
        root = TestCertificate(
            subject: "Test Root",
            issuer: "Test Root",
            serial: 1,
            publicKey: keys.root.publicKey,
            extensions: [TestCertificate.basicConstraints(isAuthority: true), TestCertificate.keyUsage(0x06)]
        )
        intermediate = TestCertificate(
            subject: "Test Relations",
            issuer: "Test Root",
            serial: 2,
            publicKey: keys.intermediate.publicKey,
            extensions: [
                TestCertificate.basicConstraints(isAuthority: true), TestCertificate.keyUsage(0x06),
                TestCertificate.marker(OID.developerRelations),
            ]
        )
        leaf = TestCertificate(
            subject: "Test Receipt Signing",
            issuer: "Test Relations",
            serial: 3,
            publicKey: keys.leaf.publicKey,
            extensions: [
                TestCertificate.basicConstraints(isAuthority: false), TestCertificate.keyUsage(0x80),
                TestCertificate.marker(OID.receiptSigning),
            ]
        )
    }

    /// Leaf, intermediate, root.
    func certificates() throws -> [[UInt8]] {
        [
            try leaf.signed(by: keys.intermediate), try intermediate.signed(by: keys.root),
            try root.signed(by: keys.root),
        ]
    }
}
