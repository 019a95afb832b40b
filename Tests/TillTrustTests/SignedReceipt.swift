import Crypto
import Foundation
import TillReceipts
import TillTestSupport
import TillTrust

/// An app receipt to be signed. Its properties may be those of a hostile one.
struct SignedReceipt {
    var payload = ReceiptDER.sample().payload
    var certificates: [[UInt8]]
    var issuer = "Test Relations"
    var serial: Int64 = 3
    var digest = OID.sha256
    var algorithm = OID.rsa
    var hasAttributes = false
    /// Replaces the message digest.
    var messageDigest: [UInt8]?
    var extraAttributes: [[UInt8]] = []
    /// Attributes that the message has in place of those that were signed.
    var claimedAttributes: [UInt8]?
    var signerCount = 1
    var contentType = OID.data
    /// Bytes after the payload's OCTET STRING, after the signer infos, and after the whole.
    var behindContent: [UInt8] = []
    var behindSigners: [UInt8] = []
    var behindAll: [UInt8] = []
    /// The octets that are signed, where they differ from those that are sent.
    var signedPayload: [UInt8]?

    init(_ chain: TestChain) throws {
        certificates = try chain.certificates()
    }

    func octets(signedBy key: TestKey) throws -> [UInt8] {
        let isSHA1 = digest == OID.sha1
        let signedPayload = signedPayload ?? payload
        let hash = isSHA1 ? Array(Insecure.SHA1.hash(data: signedPayload)) : Array(SHA256.hash(data: signedPayload))
        let attributes =
            [
                DER.sequence(OID.contentType, DER.set([OID.data])),
                DER.sequence(OID.messageDigest, DER.set([DER.octets(messageDigest ?? hash)])),
            ] + extraAttributes
        let signed = hasAttributes ? DER.set(attributes) : signedPayload
        let attributeOctets = hasAttributes ? DER.element(0xA0, claimedAttributes ?? attributes.flatMap(\.self)) : []
        let info = [
            DER.integer(1), DER.sequence(TestCertificate.name(issuer), DER.integer(serial)),
            DER.sequence(digest, [5, 0]), attributeOctets, DER.sequence(algorithm, [5, 0]),
            DER.octets(try key.sign(signed, sha1: isSHA1)),
        ]
        let signer = DER.element(0x30, info.flatMap(\.self))
        let signedData = [
            DER.integer(1), DER.set([DER.sequence(digest, [5, 0])]),
            DER.sequence(contentType, DER.explicit(DER.octets(payload) + behindContent)),
            DER.element(0xA0, certificates.flatMap(\.self)),
            DER.set(Array(repeating: signer, count: signerCount)), behindSigners,
        ]
        return DER.sequence(OID.signedData, DER.explicit(DER.element(0x30, signedData.flatMap(\.self)))) + behindAll
    }
}

/// Reads documents and gives their trust verdicts.
struct Judged {
    var trust: String?
    var code: String?
    var rows: [String?]
    var reading: Reading

    init(_ octets: [UInt8], _ checker: TrustChecker) {
        reading = Reading(octets, trust: .check(checker))
        trust = reading.documents.first?["trust"]
        code = reading.documents.first?["trust_code"]
        rows = (reading.transactions + reading.renewals).map { $0["trust"] }
    }

    /// The verdict as one word, to compare with tables of attacks; for a reject its code.
    var outcome: String {
        reading.rejects.first?.code ?? code ?? trust ?? "nothing"
    }
}

extension TrustChecker {
    /// A checker that trusts these certificates in addition to Apple's roots.
    static func trusting(_ certificates: [UInt8]..., device: String? = nil) throws -> TrustChecker {
        let files = certificates.enumerated().map { (name: "anchor \($0.offset)", octets: $0.element) }
        return TrustChecker(
            anchors: try TrustAnchors(files: files),
            device: device.flatMap(DeviceIdentifier.init)
        )
    }
}
