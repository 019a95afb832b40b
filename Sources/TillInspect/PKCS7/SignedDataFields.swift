/// The tables of PKCS#7 (RFC 5652).
enum SignedDataFields {
    /// ContentInfo (§3).
    static let contentInfo = [
        BERField(0x06, "contentType", .value),
        BERField(0xA0, .inline([BERField(0x30, "SignedData", .part(signedData))])),
    ]

    /// SignedData (§5.1).
    private static let signedData = [
        BERField(0x02, "version", .value),
        BERField(0x31, "digestAlgorithms", .fields([BERField(0x30, "algorithm", .algorithm, .repeated())])),
        BERField(0x30, "encapContentInfo", .part(encapContentInfo)),
        BERField(nil, .choice(certificatesAndSigners), .repeated()),
    ]

    private static let encapContentInfo = [
        BERField(0x06, "contentType", .value),
        BERField(0xA0, .inline([BERField(nil, "payload", .payload)])),
    ]

    private static let certificatesAndSigners = [
        BERField(0xA0, "certificates", .part([BERField(nil, "certificate", .certificate, .repeated())])),
        BERField(0xA1, "crls", .elements),
        BERField(0x31, "signerInfos", .part([BERField(0x30, "signerInfo", .part(signerInfo), .repeated())])),
        BERField(0x06, "OBJECT IDENTIFIER", .plainValue),
        BERField(nil, .element),
    ]

    /// SignerInfo (§5.3).
    private static let signerInfo = [
        BERField(0x02, "version", .value),
        BERField(
            nil,
            .choice([BERField(0x30, .inline(issuerAndSerial)), BERField(nil, "subjectKeyIdentifier", .value)])
        ),
        BERField(0x30, "digestAlgorithm", .algorithm),
        BERField(0xA0, "signedAttributes", .elements, .optional(absent: "none: the payload itself is signed")),
        BERField(0x30, "signatureAlgorithm", .algorithm),
        BERField(0x04, "signature", .signature),
        BERField(nil, "unsignedAttributes", .elements, .repeated()),
    ]

    private static let issuerAndSerial = [
        BERField(0x30, "issuer", .distinguishedName),
        BERField(0x02, "serialNumber", .octets),
    ]

    /// The attributes of a receipt or of a purchase.
    static let attributes = [BERField(0x30, "attribute", .attribute, .repeated(leftOut: "more attributes"))]
}
