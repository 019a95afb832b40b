/// An app receipt to be written: PKCS#7 signed data around a set of attributes, without a signature.
public struct ReceiptDER: Sendable {
    public static let signedData: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    /// Stands for the certificates; it also makes every receipt longer than the short form of a length.
    private static let certificates = DER.element(0xA0, DER.octets(Array(repeating: 0, count: 200)))
    public static let data: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]

    /// The attributes in the order in which they are to be written.
    public var attributes: [[UInt8]]

    public init(_ attributes: [[UInt8]]) {
        self.attributes = attributes
    }

    /// `SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`
    public static func attribute(_ type: Int64, _ value: [UInt8], version: Int64 = 1) -> [UInt8] {
        DER.sequence(DER.integer(type), DER.integer(version), DER.octets(value))
    }

    /// Attribute 17 around the attributes of one purchase.
    public static func purchase(_ attributes: [[UInt8]]) -> [UInt8] {
        attribute(17, DER.set(attributes))
    }

    /// The SET OF attributes.
    public var payload: [UInt8] { DER.set(attributes) }

    /// The whole in DER.
    public var der: [UInt8] { Self.wrap(DER.octets(payload)) }

    /// The whole as Xcode writes it: indefinite lengths, the payload in fragments of `size`.
    public func ber(fragments size: Int) -> [UInt8] {
        let encapsulated = DER.indefinite(0x30, Self.data + DER.indefinite(0xA0, DER.fragments(payload, of: size)))
        let signed = DER.indefinite(0x30, DER.integer(1) + DER.set([]) + encapsulated + Self.certificates + DER.set([]))
        return DER.indefinite(0x30, Self.signedData + DER.indefinite(0xA0, signed))
    }

    /// Signed data around `content`, which stands where the payload's OCTET STRING belongs.
    public static func wrap(_ content: [UInt8]) -> [UInt8] {
        let encapsulated = DER.sequence(data, DER.explicit(content))
        let signed = DER.sequence(DER.integer(1), DER.set([]), encapsulated, certificates, DER.set([]))
        return DER.sequence(signedData, DER.explicit(signed))
    }
}

extension ReceiptDER {
    /// A receipt with an app, a creation date and `count` purchases, ids from 100 on.
    public static func sample(purchases count: Int = 2, bundleID: String = "com.example.app") -> ReceiptDER {
        ReceiptDER(
            [
                attribute(0, DER.utf8("Production")),
                attribute(2, DER.utf8(bundleID)),
                attribute(3, DER.utf8("1.2")),
                attribute(12, DER.ia5("2026-03-02T10:15:00Z")),
            ]
                + (0..<count).map { index in
                    purchase([
                        attribute(1701, DER.integer(Int64(index + 1))),
                        attribute(1702, DER.utf8("coins.\(index)")),
                        attribute(1703, DER.utf8("\(100 + index)")),
                        attribute(1704, DER.ia5("2026-03-01T08:00:0\(index % 10)Z")),
                    ])
                }
        )
    }
}
