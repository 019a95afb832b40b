import TillReceipts

/// The members of a SignedData that identify its signer, as ranges of its octets. Nothing is copied.
///
///     rest of SignedData        certificates [0], crls [1], signerInfos SET OF SignerInfo      RFC 5652 §5.1
///     SignerInfo ::= SEQUENCE { version, sid IssuerAndSerialNumber, digestAlgorithm,           §5.3
///                               signedAttrs [0] IMPLICIT OPTIONAL, signatureAlgorithm,
///                               signature OCTET STRING, unsignedAttrs [1] IMPLICIT OPTIONAL }
///
/// There must be exactly one signer info. A `sid` that is a subject key identifier is refused.
struct SignedDataSigner {
    enum Digest {
        case sha1, sha256
    }

    /// The contents octets of `certificates`.
    var certificates: Range<Int>?
    /// The issuer's name, tag and length included.
    var issuer = 0..<0
    /// The contents octets of the serial number.
    var serial = 0..<0
    /// One past the `sid`. Everything that identifies the signer lies before it.
    var identityEnd = 0
    var digest = Digest.sha256
    /// The contents octets of `signedAttrs`.
    var signedAttributes: Range<Int>?
    var signature = 0..<0

    /// Reads the part of a SignedData after the content.
    ///
    /// - Throws: `signer` for a number of signer infos other than one or a `sid` of another kind, `algorithm` for a
    ///   digest or signature algorithm that is not supported, `structure` for every other defect.
    init(_ rest: RawSpan) throws(TrustCode) {
        do {
            try self.init(reading: rest)
        } catch {
            throw error as? TrustCode ?? .structure
        }
    }

    private init(reading rest: RawSpan) throws {
        var members = BERCursor(rest)
        var element = try members.next()
        if element.tag == 0xA0 {
            certificates = element.content
            element = try members.next()
        }
        if element.tag == 0xA1 { element = try members.next() }
        guard element.tag == 0x31, members.isAtEnd else { throw TrustCode.structure }
        var signers = members.contents(of: element)
        guard !signers.isAtEnd else { throw TrustCode.signer }
        let info = try signers.next(0x30)
        guard signers.isAtEnd else { throw TrustCode.signer }
        try read(signers.contents(of: info))
    }

    private mutating func read(_ info: consuming BERCursor) throws {
        _ = try info.next(0x02)
        let identifier = try info.next()
        guard identifier.tag == 0x30 else { throw TrustCode.signer }
        identityEnd = info.position
        var names = info.contents(of: identifier)
        let issuer = try names.next(0x30)
        self.issuer = issuer.start..<names.position
        serial = try names.next(0x02).content
        guard names.isAtEnd else { throw TrustCode.structure }
        digest = try Self.digest(try info.next(0x30), in: info)
        var element = try info.next()
        if element.tag == 0xA0 {
            signedAttributes = element.content
            element = try info.next()
        }
        guard element.tag == 0x30 else { throw TrustCode.structure }
        try checkSignatureAlgorithm(element, in: info)
        signature = try info.next(0x04).content
        if !info.isAtEnd { _ = try info.next(0xA1) }
        guard info.isAtEnd else { throw TrustCode.structure }
    }

    // 1.3.14.3.2.26 and 2.16.840.1.101.3.4.2.1
    private static let sha1: [UInt8] = [0x2B, 0x0E, 0x03, 0x02, 0x1A]
    private static let sha256: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
    // 1.2.840.113549.1.1: rsaEncryption (1), sha1WithRSAEncryption (5), sha256WithRSAEncryption (11)
    private static let pkcs1: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01]

    private static func digest(_ algorithm: BERElement, in cursor: borrowing BERCursor) throws -> Digest {
        var members = cursor.contents(of: algorithm)
        let identifier = try members.next(0x06)
        if cursor.bytes.has(sha256, at: identifier.content) { return .sha256 }
        if cursor.bytes.has(sha1, at: identifier.content) { return .sha1 }
        throw TrustCode.algorithm
    }

    /// Accepts RSA with PKCS#1 v1.5 padding: `rsaEncryption`, or the algorithm that also names the digest of
    /// `digestAlgorithm`.
    private func checkSignatureAlgorithm(_ algorithm: BERElement, in cursor: borrowing BERCursor) throws {
        var members = cursor.contents(of: algorithm)
        let identifier = try members.next(0x06)
        let combined: UInt8 = digest == .sha1 ? 5 : 11
        guard
            cursor.bytes.has(Self.pkcs1 + [1], at: identifier.content)
                || cursor.bytes.has(Self.pkcs1 + [combined], at: identifier.content)
        else { throw TrustCode.algorithm }
    }
}

extension RawSpan {
    /// Whether `range` holds exactly `octets`.
    func has(_ octets: [UInt8], at range: Range<Int>) -> Bool {
        guard octets.count == range.count else { return false }
        for index in octets.indices
        where unsafeLoad(fromByteOffset: range.lowerBound + index, as: UInt8.self) != octets[index] {
            return false
        }
        return true
    }
}
