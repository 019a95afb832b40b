/// The names of the object identifiers in receipts and their certificates. A new name is a line here.
enum ObjectIdentifierNames {
    private static let names: [String: String] = [
        "1.2.840.113549.1.7.1": "data",
        "1.2.840.113549.1.7.2": "signedData",
        "1.2.840.113549.1.9.3": "contentType",
        "1.2.840.113549.1.9.4": "messageDigest",
        "1.2.840.113549.1.9.5": "signingTime",
        "1.3.14.3.2.26": "SHA-1",
        "2.16.840.1.101.3.4.2.1": "SHA-256",
        "2.16.840.1.101.3.4.2.2": "SHA-384",
        "2.16.840.1.101.3.4.2.3": "SHA-512",
        "1.2.840.113549.1.1.1": "RSA",
        "1.2.840.113549.1.1.5": "RSA with SHA-1",
        "1.2.840.113549.1.1.11": "RSA with SHA-256",
        "1.2.840.113549.1.1.12": "RSA with SHA-384",
        "1.2.840.113549.1.1.13": "RSA with SHA-512",
        "1.2.840.10045.2.1": "EC",
        "1.2.840.10045.3.1.7": "P-256",
        "1.3.132.0.34": "P-384",
        "1.3.132.0.35": "P-521",
        "1.2.840.10045.4.3.2": "ECDSA with SHA-256",
        "1.2.840.10045.4.3.3": "ECDSA with SHA-384",
        "2.5.4.3": "CN", "2.5.4.5": "serialNumber", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST",
        "2.5.4.10": "O", "2.5.4.11": "OU", "1.2.840.113549.1.9.1": "emailAddress",
        "0.9.2342.19200300.100.1.1": "UID", "0.9.2342.19200300.100.1.25": "DC",
        "2.5.29.14": "subject key identifier",
        "2.5.29.15": "key usage",
        "2.5.29.17": "subject alternative name",
        "2.5.29.19": "basic constraints",
        "2.5.29.31": "CRL distribution points",
        "2.5.29.32": "certificate policies",
        "2.5.29.35": "authority key identifier",
        "2.5.29.37": "extended key usage",
        "1.3.6.1.5.5.7.1.1": "authority information access",
        "1.2.840.113635.100.6.11.1": "Apple: receipt signing",
        "1.2.840.113635.100.6.2.1": "Apple: WWDR intermediate",
        "1.2.840.113635.100.6.5.1": "Apple: purchase receipt signing",
        "1.2.840.113635.100.5.6.1": "Apple: certificate policy",
    ]

    static func name(of identifier: String) -> String? { names[identifier] }

    /// The contents of an OBJECT IDENTIFIER (X.690 §8.19) as arcs with points between them; `nil` if they are
    /// malformed.
    static func dotted(_ octets: [UInt8]) -> String? {
        var arcs: [UInt64] = []
        var arc: UInt64 = 0
        var isOpen = false
        for octet in octets {
            guard arc >> 57 == 0 else { return nil }
            arc = arc << 7 | UInt64(octet & 0x7F)
            isOpen = octet & 0x80 != 0
            guard !isOpen else { continue }
            arcs.append(arc)
            arc = 0
        }
        guard !isOpen, let first = arcs.first else { return nil }
        let root = min(first / 40, 2)
        return ([root, first - root * 40] + arcs.dropFirst()).map { String($0) }.joined(separator: ".")
    }
}
