/// What a SignerInfo calls its certificate by (RFC 5652 §10.2.4), cut out of the certificate.
///
///     Certificate › TBSCertificate › version [0], serialNumber, signature, issuer, …
enum CertificateName {
    /// Encoded issuer and serial number, one behind the other.
    static func issuerAndSerial(of certificate: [UInt8]) -> [UInt8] {
        let body = content(of: content(of: certificate[...]))
        let members = elements(of: body)
        return Array(members[3]) + Array(members[1])
    }

    private static func content(of element: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let (header, length) = size(of: element)
        return element.dropFirst(header).prefix(length)
    }

    private static func elements(of content: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var rest = content
        var elements: [ArraySlice<UInt8>] = []
        while !rest.isEmpty {
            let (header, length) = size(of: rest)
            elements.append(rest.prefix(header + length))
            rest = rest.dropFirst(header + length)
        }
        return elements
    }

    /// Octets before the content and in it; test certificates have definite lengths.
    private static func size(of element: ArraySlice<UInt8>) -> (header: Int, length: Int) {
        let first = element[element.startIndex + 1]
        guard first & 0x80 != 0 else { return (2, Int(first)) }
        let width = Int(first & 0x7F)
        return (2 + width, element.dropFirst(2).prefix(width).reduce(0) { $0 << 8 | Int($1) })
    }
}
