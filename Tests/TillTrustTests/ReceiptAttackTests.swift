import CryptoExtras
import Testing
import TillTestSupport
import TillTrust

/// Attacks on an app receipt, and the code that each must get.
@Suite("Attacks on app receipts")
struct ReceiptAttackTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        var name: String
        var code: String
        var chain: @Sendable (inout TestChain) throws -> Void = { _ in }
        var receipt: @Sendable (inout SignedReceipt, TestChain) throws -> Void = { _, _ in }

        var testDescription: String { name }
    }

    /// The verdict on the receipt of an attack. The anchor is the honest root.
    private func outcome(_ attack: Attack) throws -> String {
        let honest = try TestChain.rsa()
        var chain = honest
        try attack.chain(&chain)
        var receipt = try SignedReceipt(chain)
        try attack.receipt(&receipt, chain)
        let checker = try TrustChecker.trusting(try honest.root.signed(by: honest.keys.root))
        return Judged(try receipt.octets(signedBy: chain.keys.leaf), checker).outcome
    }

    @Test("An honest receipt is trusted: with and without attributes, with either digest", arguments: [false, true])
    func trusts(_ hasAttributes: Bool) throws {
        for digest in [OID.sha1, OID.sha256] {
            let honest = Attack(name: "none", code: "trusted") { _ in
            } receipt: { receipt, _ in
                (receipt.hasAttributes, receipt.digest) = (hasAttributes, digest)
            }
            #expect(try outcome(honest) == "trusted")
        }
    }

    @Test("A SHA-1 chain, as old receipts have, is trusted")
    func trustsOldChains() throws {
        let chain = try TestChain.rsa()
        var receipt = try SignedReceipt(chain)
        receipt.certificates = [
            try chain.leaf.signed(by: chain.keys.intermediate, algorithm: OID.sha1WithRSA),
            try chain.intermediate.signed(by: chain.keys.root, algorithm: OID.sha1WithRSA),
        ]
        let checker = try TrustChecker.trusting(try chain.root.signed(by: chain.keys.root))
        #expect(Judged(try receipt.octets(signedBy: chain.keys.leaf), checker).outcome == "trusted")
    }

    @Test("Each attack is refused with its code", arguments: content + signers + chains + limits)
    func refuses(_ attack: Attack) throws {
        #expect(try outcome(attack) == attack.code)
    }

    static let content: [Attack] = [
        Attack(name: "a valid signature over other content", code: "trust.signature") { _ in
        } receipt: { receipt, _ in
            receipt.signedPayload = ReceiptDER.sample(purchases: 1).payload
        },
        Attack(name: "the same with signed attributes", code: "trust.digest") { _ in
        } receipt: { receipt, _ in
            receipt.hasAttributes = true
            receipt.signedPayload = ReceiptDER.sample(purchases: 1).payload
        },
        Attack(name: "a digest that lies", code: "trust.digest") { _ in
        } receipt: { receipt, _ in
            receipt.hasAttributes = true
            receipt.messageDigest = Array(repeating: 7, count: 32)
        },
        Attack(name: "a digest of another length", code: "trust.digest") { _ in
        } receipt: { receipt, _ in
            receipt.hasAttributes = true
            receipt.messageDigest = []
        },
        Attack(name: "attributes other than those that were signed", code: "trust.signature") { _ in
        } receipt: { receipt, _ in
            receipt.hasAttributes = true
            let digest = DER.octets(Array(SHA256Octets.of(receipt.payload)))
            receipt.claimedAttributes =
                DER.sequence(OID.messageDigest, DER.set([digest]))
                + DER.sequence(OID.contentType, DER.set([OID.data]))
        },
        Attack(name: "no message digest among the attributes", code: "trust.structure") { _ in
        } receipt: { receipt, _ in
            receipt.hasAttributes = true
            receipt.claimedAttributes = DER.sequence(OID.contentType, DER.set([OID.data]))
        },
        Attack(name: "empty attributes", code: "trust.structure") { _ in
        } receipt: { receipt, _ in
            receipt.hasAttributes = true
            receipt.claimedAttributes = []
        },
        Attack(name: "two message digests", code: "trust.structure") { _ in
        } receipt: { receipt, _ in
            receipt.hasAttributes = true
            let digest = DER.octets(SHA256Octets.of(receipt.payload))
            receipt.extraAttributes = [DER.sequence(OID.messageDigest, DER.set([digest]))]
        },
        Attack(name: "a message digest of two values", code: "trust.structure") { _ in
        } receipt: { receipt, _ in
            receipt.hasAttributes = true
            let digest = DER.octets(SHA256Octets.of(receipt.payload))
            receipt.claimedAttributes =
                DER.sequence(OID.contentType, DER.set([OID.data]))
                + DER.sequence(OID.messageDigest, DER.set([digest, digest]))
        },
        Attack(name: "a content type other than the content's", code: "trust.structure") { _ in
        } receipt: { receipt, _ in
            receipt.hasAttributes = true
            receipt.claimedAttributes = DER.sequence(OID.contentType, DER.set([OID.signedData]))
        },
        Attack(name: "content that is no data", code: "trust.structure") { _ in
        } receipt: { receipt, _ in
            receipt.contentType = OID.signedData
        },
        Attack(name: "a second content behind the first", code: "trust.structure") { _ in
        } receipt: { receipt, _ in
            receipt.behindContent = DER.octets(ReceiptDER.sample(purchases: 1).payload)
        },
        Attack(name: "bytes behind the signer infos", code: "trust.structure") { _ in
        } receipt: { receipt, _ in
            receipt.behindSigners = DER.octets([1, 2, 3])
        },
        Attack(name: "a content that is somebody else's signed attributes", code: "pkcs7.attribute") { _ in
        } receipt: { receipt, _ in
            let digest = DER.octets(SHA256Octets.of(receipt.payload))
            receipt.payload = DER.set([
                DER.sequence(OID.contentType, DER.set([OID.data])),
                DER.sequence(OID.messageDigest, DER.set([digest])),
            ])
        },
    ]

    static let signers: [Attack] = [
        Attack(name: "two signers", code: "trust.signer") { _ in
        } receipt: { receipt, _ in
            receipt.signerCount = 2
        },
        Attack(name: "no signer", code: "trust.signer") { _ in
        } receipt: { receipt, _ in
            receipt.signerCount = 0
        },
        Attack(name: "a signer info that names no certificate", code: "trust.signer") { _ in
        } receipt: { receipt, _ in
            receipt.serial = 99
        },
        Attack(name: "a signer info that names the wrong issuer", code: "trust.signer") { _ in
        } receipt: { receipt, _ in
            receipt.issuer = "Test Root"
        },
        Attack(name: "no certificates", code: "trust.signer") { _ in
        } receipt: { receipt, _ in
            receipt.certificates = []
        },
        Attack(name: "a certificate that is none", code: "trust.certificate") { _ in
        } receipt: { receipt, _ in
            receipt.certificates = [DER.sequence(DER.integer(1))]
        },
        Attack(name: "a signature algorithm of elliptic curves with a key of RSA", code: "trust.algorithm") { _ in
        } receipt: { receipt, _ in
            receipt.algorithm = OID.ecdsaWithSHA256
        },
        Attack(name: "a digest that no receipt has", code: "trust.algorithm") { _ in
        } receipt: { receipt, _ in
            receipt.digest = OID.sha512
        },
        Attack(name: "a signature algorithm whose digest is another", code: "trust.algorithm") { _ in
        } receipt: { receipt, _ in
            receipt.algorithm = OID.sha1WithRSA
        },
        Attack(name: "a leaf with a key of elliptic curves", code: "trust.key") { chain in
            chain.leaf.publicKey = TestKey.ecLeaf.publicKey
        },
    ]

    static let chains: [Attack] = [
        Attack(name: "a chain under a root of somebody", code: "trust.anchor") { chain in
            chain.root.subject = "Other Root"
            chain.root.issuer = "Other Root"
            chain.intermediate.issuer = "Other Root"
            chain.keys.root = try TestKey.leaf.get()
            chain.root.publicKey = chain.keys.root.publicKey
        },
        Attack(name: "a root that has only the right name", code: "trust.anchor") { chain in
            chain.keys.root = try TestKey.leaf.get()
            chain.root.publicKey = chain.keys.root.publicKey
        },
        Attack(name: "the intermediate is missing", code: "trust.anchor") { _ in
        } receipt: { receipt, chain in
            receipt.certificates = [try chain.leaf.signed(by: chain.keys.intermediate)]
        },
        Attack(name: "a leaf that the intermediate did not issue", code: "trust.chain") { _ in
        } receipt: { receipt, chain in
            receipt.certificates[0] = try chain.leaf.signed(by: chain.keys.leaf)
        },
        Attack(name: "an intermediate that is no authority", code: "trust.chain") { chain in
            chain.intermediate.extensions[0] = TestCertificate.basicConstraints(isAuthority: false)
        },
        Attack(name: "an intermediate that does not say what it is", code: "trust.chain") { chain in
            chain.intermediate.extensions.removeFirst(2)
        },
        Attack(name: "an intermediate that may not sign certificates", code: "trust.chain") { chain in
            chain.intermediate.extensions[1] = TestCertificate.keyUsage(0x80)
        },
        Attack(name: "a leaf that may not sign", code: "trust.chain") { chain in
            chain.leaf.extensions[1] = TestCertificate.keyUsage(0x20)
        },
        Attack(name: "a critical extension that nobody knows", code: "trust.chain") { chain in
            chain.intermediate.extensions.append(
                TestCertificate.found(OID.oid(1, 2, 3, 4), [5, 0], isCritical: true)
            )
        },
        Attack(name: "a path longer than the intermediate allows", code: "trust.chain") { _ in
        } receipt: { receipt, chain in
            var upper = chain.intermediate
            upper.extensions[0] = TestCertificate.basicConstraints(isAuthority: true, pathLength: 0)
            var lower = chain.intermediate
            (lower.subject, lower.issuer, lower.serial) = ("Lower", "Test Relations", 11)
            var leaf = chain.leaf
            leaf.issuer = "Lower"
            receipt.issuer = "Lower"
            receipt.certificates = [
                try leaf.signed(by: chain.keys.intermediate), try lower.signed(by: chain.keys.intermediate),
                try upper.signed(by: chain.keys.root),
            ]
        },
        Attack(name: "certificates that issued one another in a circle", code: "trust.anchor") { _ in
        } receipt: { receipt, chain in
            var (first, second) = (chain.intermediate, chain.intermediate)
            (first.subject, first.issuer) = ("First", "Second")
            (second.subject, second.issuer) = ("Second", "First")
            var leaf = chain.leaf
            leaf.issuer = "First"
            receipt.issuer = "First"
            let key = chain.keys.intermediate
            receipt.certificates = try [leaf, first, second].map { try $0.signed(by: key) }
        },
        Attack(name: "a digest for certificates that is broken", code: "trust.chain") { _ in
        } receipt: { receipt, chain in
            receipt.certificates[0] = try chain.leaf.signed(by: chain.keys.intermediate, algorithm: OID.md5WithRSA)
        },
        Attack(name: "an expired chain presented fresh", code: "trust.expired") { chain in
            chain.leaf.notAfter = "200101000000Z"
        },
        Attack(name: "an intermediate that had expired", code: "trust.expired") { chain in
            chain.intermediate.notAfter = "200101000000Z"
        },
        Attack(name: "a leaf that was not valid yet", code: "trust.not-yet-valid") { chain in
            chain.leaf.notBefore = "300101000000Z"
        },
        Attack(name: "certificates that were never valid together", code: "trust.expired") { chain in
            chain.leaf.notBefore = "300101000000Z"
            chain.intermediate.notAfter = "200101000000Z"
        },
    ]

    static let limits: [Attack] = [
        Attack(name: "thousands of certificates", code: "trust.limit") { _ in
        } receipt: { receipt, _ in
            receipt.certificates += Array(repeating: DER.sequence(DER.integer(1)), count: 5000)
        },
        Attack(name: "one certificate more than there may be", code: "trust.limit") { _ in
        } receipt: { receipt, _ in
            receipt.certificates += Array(repeating: DER.sequence(DER.integer(1)), count: TrustLimits.certificates - 2)
        },
        Attack(name: "certificates of a hundred thousand octets", code: "trust.limit") { _ in
        } receipt: { receipt, _ in
            receipt.certificates.append(DER.sequence(DER.octets(Array(repeating: 0, count: 100_000))))
        },
        Attack(name: "a key of sixteen thousand bits", code: "trust.key") { chain in
            chain.leaf.publicKey = rsaKey(modulus: [1] + Array(repeating: 0xFF, count: 2048), exponent: [1, 0, 1])
        },
        Attack(name: "an exponent as long as the modulus", code: "trust.key") { chain in
            chain.leaf.publicKey = rsaKey(
                modulus: Array(repeating: 0x7F, count: 256),
                exponent: Array(repeating: 0x7F, count: 256)
            )
        },
        Attack(name: "an exponent of one, under which every number signs itself", code: "trust.key") { chain in
            chain.leaf.publicKey = rsaKey(modulus: Array(repeating: 0x7F, count: 256), exponent: [1])
        },
        Attack(name: "a key of 1024 bits", code: "trust.key") { chain in
            chain.leaf.publicKey = rsaKey(modulus: [0] + Array(repeating: 0xFF, count: 128), exponent: [1, 0, 1])
        },
        Attack(name: "a modulus of nothing", code: "trust.key") { chain in
            chain.leaf.publicKey = rsaKey(modulus: [0], exponent: [1, 0, 1])
        },
        Attack(name: "fifteen authorities of one name and key, each of which issued all", code: "trust.limit") {
            chain in
            chain.root.publicKey = try TestKey.leaf.get().publicKey
        } receipt: { receipt, chain in
            let key = chain.keys.intermediate
            receipt.certificates =
                try [chain.leaf.signed(by: key)]
                + (0..<TrustLimits.certificates - 1).map { number in
                    var authority = chain.intermediate
                    (authority.issuer, authority.serial) = (authority.subject, Int64(100 + number))
                    return try authority.signed(by: key)
                }
        },
        Attack(name: "a path of seven", code: "trust.limit") { _ in
        } receipt: { receipt, chain in
            receipt.certificates = try path(of: TrustLimits.pathLength + 1, chain)
        },
    ]

    @Test("A path may be as long as its limit")
    func trustsLongPaths() throws {
        let long = Attack(name: "a path of six", code: "trusted") { _ in
        } receipt: { receipt, chain in
            receipt.certificates = try Self.path(of: TrustLimits.pathLength, chain)
        }
        #expect(try outcome(long) == "trusted")
    }

    /// The certificates of a path of `count`, without its root.
    private static func path(of count: Int, _ chain: TestChain) throws -> [[UInt8]] {
        let (intermediate, root) = (chain.keys.intermediate, chain.keys.root)
        let authorities = count - 2
        return try [chain.leaf.signed(by: intermediate)]
            + (0..<authorities).map { number in
                var authority = chain.intermediate
                if number > 0 { authority.subject = "Authority \(number)" }
                authority.serial = Int64(100 + number)
                guard number + 1 < authorities else { return try authority.signed(by: root) }
                authority.issuer = "Authority \(number + 1)"
                return try authority.signed(by: intermediate)
            }
    }

    /// A SubjectPublicKeyInfo of RSA with any modulus and exponent.
    static func rsaKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        let key = DER.sequence(DER.element(0x02, modulus), DER.element(0x02, exponent))
        return DER.sequence(DER.sequence(OID.rsa, [5, 0]), DER.element(0x03, [0] + key))
    }
}
