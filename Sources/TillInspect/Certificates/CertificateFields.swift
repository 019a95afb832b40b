/// The tables of certificates (RFC 5280 §4.1).
enum CertificateFields {
    static let certificate = [BERField(0x30, .inline([BERField(0x30, .inline(tbsCertificate))]))]

    /// The order in which a certificate is shown.
    static let shown = [
        "subject", "issuer", "serial number", "valid from", "valid until", "key", "signature algorithm", "extensions",
    ]

    private static let tbsCertificate = [
        BERField(0xA0, .hidden, .optional()),
        BERField(0x02, "serial number", .octets),
        BERField(0x30, "signature algorithm", .algorithm),
        BERField(0x30, "issuer", .distinguishedName),
        BERField(0x30, .inline([BERField(nil, "valid from", .time), BERField(nil, "valid until", .time)])),
        BERField(0x30, "subject", .distinguishedName),
        BERField(0x30, "key", .publicKey),
        BERField(
            nil,
            .choice([BERField(0xA3, "extensions", .fields(extensions)), BERField(nil, .hidden)]),
            .repeated()
        ),
    ]

    private static let extensions = [
        BERField(0x30, .inline([BERField(0x30, .certificateExtension, .repeated())]))
    ]
}
