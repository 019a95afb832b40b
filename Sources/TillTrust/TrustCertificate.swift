import Crypto
import SwiftASN1
import TillCore
import TillReceipts
import X509

/// The members of an X.509 certificate (RFC 5280 §4.1) that path validation needs.
///
/// The certificate type of swift-certificates is not used, because it refuses RSA keys below 2048 bits, and every
/// legacy receipt of version 2 has such a key. Its types for names and extensions are used.
struct TrustCertificate: Sendable {
    /// The whole certificate in DER.
    let octets: [UInt8]
    /// The TBSCertificate, which ``signature`` covers.
    let signed: ArraySlice<UInt8>
    let signatureAlgorithm: ASN1ObjectIdentifier
    let signature: ArraySlice<UInt8>
    /// 1 to 3.
    let version: Int
    /// The contents octets of the serial number.
    let serial: ArraySlice<UInt8>
    /// Names in DER. Two names are equal if their octets are; the comparison of RFC 5280 §7.1 is not needed for
    /// Apple's.
    let issuer: ArraySlice<UInt8>
    let subject: ArraySlice<UInt8>
    let validity: ValidityPeriod
    /// `nil` where the key is of an unsupported kind, or outside ``TrustLimits``.
    let key: VerificationKey?
    private let extensions: [Certificate.Extension]

    /// Apple's marker extensions for the leaf and the intermediate (Apple, "Validating Receipts on the Device").
    static let receiptSigning: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
    static let developerRelations: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]
    /// The arc of Apple's object identifiers.
    private static let appleArc: [UInt] = [1, 2, 840, 113_635, 100]

    init(_ octets: [UInt8]) throws {
        self.octets = octets
        let parts = try DER.sequence(try DER.parse(octets), identifier: .sequence) { members in
            guard let signed = members.next(), let algorithm = members.next() else { throw TrustCode.certificate }
            return (signed, algorithm, try ASN1BitString(derEncoded: &members))
        }
        signed = parts.0.encodedBytes
        signatureAlgorithm = try Self.algorithm(parts.1)
        signature = parts.2.bytes
        let fields = try Fields(parts.0)
        // RFC 5280 §4.1.1.2: the signature algorithm must be the same inside and outside the TBSCertificate.
        guard fields.algorithm == parts.1.encodedBytes else { throw TrustCode.certificate }
        version = fields.version + 1
        (serial, issuer, subject) = (fields.serial, fields.issuer, fields.subject)
        (validity, key, extensions) = (fields.validity, fields.key, fields.extensions)
    }

    private static func algorithm(_ node: ASN1Node) throws -> ASN1ObjectIdentifier {
        try DER.sequence(node, identifier: .sequence) { members in
            defer { while members.next() != nil {} }
            return try ASN1ObjectIdentifier(derEncoded: &members)
        }
    }

    // MARK: Extensions

    private func find(_ identifier: ASN1ObjectIdentifier) -> Certificate.Extension? {
        extensions.first { $0.oid == identifier }
    }

    /// Whether it has the extension `marker`, whatever its value.
    func has(_ marker: ASN1ObjectIdentifier) -> Bool { find(marker) != nil }

    /// Whether basicConstraints says that it is an authority, and the pathLenConstraint there (RFC 5280 §4.2.1.9): the
    /// largest number of authorities between it and the signer, self-issued ones not counted; `nil` for no limit.
    var authority: (isOne: Bool, pathLength: Int?) {
        guard let found = find(.X509ExtensionID.basicConstraints), let constraints = try? BasicConstraints(found) else {
            return (false, nil)
        }
        switch constraints {
        case .isCertificateAuthority(let maxPathLength): return (true, maxPathLength)
        case .notCertificateAuthority: return (false, nil)
        }
    }

    // Without a keyUsage extension a certificate may do both, with an unreadable one neither (RFC 5280 §4.2.1.3).
    var maySignCertificates: Bool { usage?.keyCertSign ?? true }
    var maySignDocuments: Bool { usage.map { $0.digitalSignature || $0.nonRepudiation } ?? true }

    private var usage: KeyUsage? {
        find(.X509ExtensionID.keyUsage).map { (try? KeyUsage($0)) ?? KeyUsage() }
    }

    /// Whether all of its critical extensions are understood (RFC 5280 §4.2).
    ///
    /// extKeyUsage, certificatePolicies (2.5.29.32) and subjectAltName (2.5.29.17) count as understood, because no
    /// receipt can violate them. So do extensions of Apple's arc; ``CertificatePath`` checks Apple's markers under
    /// Apple's roots.
    var isUnderstood: Bool {
        extensions.allSatisfy { found in
            switch found.oid {
            case .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
                [2, 5, 29, 32], [2, 5, 29, 17]:
                true
            default: !found.critical || found.oid.oidComponents.starts(with: Self.appleArc)
            }
        }
    }

    /// Whether `other` verifies its signature. SHA-1 is accepted because the chains of old receipts use it. An ECDSA
    /// digest may be shorter or longer than the curve.
    func isSigned(by other: VerificationKey) -> Bool {
        switch (signatureAlgorithm, other) {
        case (.sha1WithRSA, .rsa):
            other.isValid(signature, over: Insecure.SHA1.hash(data: signed))
        case (.sha256WithRSA, .rsa), (.ecdsaWithSHA256, .p256),
            (.ecdsaWithSHA256, .p384):
            other.isValid(signature, over: SHA256.hash(data: signed))
        case (.sha384WithRSA, .rsa), (.ecdsaWithSHA384, .p256),
            (.ecdsaWithSHA384, .p384):
            other.isValid(signature, over: SHA384.hash(data: signed))
        case (.sha512WithRSA, .rsa):
            other.isValid(signature, over: SHA512.hash(data: signed))
        default: false
        }
    }

    // MARK: Descriptions for users

    /// SHA-256 of the certificate, in upper-case hexadecimal.
    var fingerprint: String {
        let digits = Array("0123456789ABCDEF".utf8)
        let text = SHA256.hash(data: octets).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// The common name of the subject, or else its whole name; empty where the name cannot be read.
    var name: String {
        guard let name = try? DistinguishedName(derEncoded: try DER.parse(subject)) else { return "" }
        for relative in name.reversed() {
            for attribute in relative where attribute.type == .RDNAttributeType.commonName {
                return String(describing: attribute.value)
            }
        }
        return name.description
    }

    /// A name in the notation of RFC 4514; empty where it cannot be read.
    static func text(ofName octets: ArraySlice<UInt8>) -> String {
        guard let node = try? DER.parse(octets), let name = try? DistinguishedName(derEncoded: node) else { return "" }
        return name.description
    }
}

extension TrustCertificate {
    /// The members of a TBSCertificate.
    ///
    ///     version [0] DEFAULT v1, serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo,
    ///     issuerUniqueID [1], subjectUniqueID [2], extensions [3]
    private struct Fields {
        var version: Int
        var serial: ArraySlice<UInt8>
        var algorithm: ArraySlice<UInt8>
        var issuer: ArraySlice<UInt8>
        var validity: ValidityPeriod
        var subject: ArraySlice<UInt8>
        var key: VerificationKey?
        var extensions: [Certificate.Extension]

        init(_ node: ASN1Node) throws {
            self = try DER.sequence(node, identifier: .sequence) { members in
                let version = try DER.decodeDefaultExplicitlyTagged(
                    &members,
                    tagNumber: 0,
                    tagClass: .contextSpecific,
                    defaultValue: 0
                )
                guard let serialNode = members.next(), serialNode.identifier == .integer,
                    case .primitive(let serial) = serialNode.content
                else { throw TrustCode.certificate }
                guard let algorithm = members.next(), let issuer = members.next(), let validity = members.next(),
                    let subject = members.next(), let key = members.next(), (0...2).contains(version)
                else { throw TrustCode.certificate }
                for number: UInt in 1...2 {
                    _ = DER.optionalImplicitlyTagged(&members, tagNumber: number, tagClass: .contextSpecific) { _ in }
                }
                let extensions = try DER.optionalExplicitlyTagged(&members, tagNumber: 3, tagClass: .contextSpecific) {
                    try DER.sequence(of: Certificate.Extension.self, identifier: .sequence, rootNode: $0)
                }
                return Fields(
                    version: version,
                    serial: serial,
                    algorithm: algorithm.encodedBytes,
                    issuer: issuer.encodedBytes,
                    validity: try Self.validity(validity),
                    subject: subject.encodedBytes,
                    key: VerificationKey(subjectPublicKeyInfo: key),
                    extensions: extensions ?? []
                )
            }
            // RFC 5280 §4.2: no extension may occur twice. Two readers could use different ones.
            guard Set(extensions.map(\.oid)).count == extensions.count else { throw TrustCode.certificate }
        }

        private init(
            version: Int,
            serial: ArraySlice<UInt8>,
            algorithm: ArraySlice<UInt8>,
            issuer: ArraySlice<UInt8>,
            validity: ValidityPeriod,
            subject: ArraySlice<UInt8>,
            key: VerificationKey?,
            extensions: [Certificate.Extension]
        ) {
            (self.version, self.serial, self.algorithm, self.issuer) = (version, serial, algorithm, issuer)
            (self.validity, self.subject, self.key, self.extensions) = (validity, subject, key, extensions)
        }

        private static func validity(_ node: ASN1Node) throws -> ValidityPeriod {
            try DER.sequence(node, identifier: .sequence) { members in
                let notBefore = try instant(&members)
                // The certificate is valid through the last millisecond of its last second.
                return ValidityPeriod(notBefore: notBefore, notAfter: try instant(&members) + 999)
            }
        }

        /// A UTCTime or GeneralizedTime in milliseconds since 1970. Both have whole seconds (RFC 5280 §4.1.2.5).
        private static func instant(_ members: inout ASN1NodeCollection.Iterator) throws -> Int64 {
            guard let node = members.next() else { throw TrustCode.certificate }
            let (date, seconds): (CivilDate, Int)
            if node.identifier == .utcTime {
                let time = try UTCTime(derEncoded: node)
                date = CivilDate(year: time.year, month: time.month, day: time.day)
                seconds = time.hours * 3600 + time.minutes * 60 + time.seconds
            } else {
                let time = try GeneralizedTime(derEncoded: node)
                date = CivilDate(year: time.year, month: time.month, day: time.day)
                seconds = time.hours * 3600 + time.minutes * 60 + time.seconds
            }
            return Int64(date.daysSinceEpoch) * Timestamp.millisecondsPerDay + Int64(seconds) * 1000
        }
    }
}
