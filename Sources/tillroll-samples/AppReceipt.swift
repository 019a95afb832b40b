import SwiftASN1
import TillCore
import X509

/// An app receipt: CMS SignedData (RFC 5652 §5) around a SET OF attributes.
///
///     ContentInfo ── SignedData ─┬─ encapContentInfo ── OCTET STRING ── SET OF ReceiptAttribute
///                                ├─ certificates ── signer, intermediate, root; Xcode's own alone
///                                └─ signerInfos ── one SignerInfo
///
/// Samples are signed with test keys (``TestKeys``): only a program that is given the root trusts them.
struct AppReceipt {
    let snapshot: Snapshot
    let seed: UInt64
    /// Whether Xcode wrote the receipt for a test on a developer's machine: fewer attributes, BER instead of DER.
    var isFromXcode = false

    var base64: String {
        get throws { try octets.base64 }
    }

    var octets: [UInt8] {
        get throws {
            let stream = "receipt/\(snapshot.customer.downloadID)/\(snapshot.instant.milliseconds)"
            return try contentInfo(around: element(.set, attributes(SplitMix64(seed: seed, stream: stream))))
        }
    }
}

// MARK: - Container

extension AppReceipt {
    private func contentInfo(around payload: [UInt8]) throws -> [UInt8] {
        let content = isFromXcode ? fragments(payload) : element(.octetString, payload)
        let digest = element(.sequence, ObjectIdentifier.sha256 + element(.null, []))
        let certificates = isFromXcode ? [TestKeys.rsaXcode] : TestKeys.rsaChain
        let signedData =
            integer(1) + element(.set, digest)
            + container(.sequence, ObjectIdentifier.data + container(.explicit, content))
            + element(.explicit, certificates.flatMap(\.octets))
            + element(.set, try signerInfo(of: payload, digest: digest, certificate: certificates[0].octets))
        return container(
            .sequence,
            ObjectIdentifier.signedData + container(.explicit, container(.sequence, signedData))
        )
    }

    private func signerInfo(of payload: [UInt8], digest: [UInt8], certificate: [UInt8]) throws -> [UInt8] {
        let certificate = try Certificate(derEncoded: certificate)
        var name = DER.Serializer()
        try name.serialize(certificate.issuer)
        try name.serialize(certificate.serialNumber.bytes)
        let algorithm = isFromXcode ? ObjectIdentifier.sha256WithRSA : ObjectIdentifier.rsaEncryption
        return element(
            .sequence,
            integer(1) + element(.sequence, name.serializedBytes) + digest
                + element(.sequence, algorithm + element(.null, []))
                + element(.octetString, try TestSigner.signReceipt(payload))
        )
    }

    /// An element that Xcode writes in the indefinite form.
    private func container(_ tag: Tag, _ content: [UInt8]) -> [UInt8] {
        isFromXcode ? [tag.rawValue, 0x80] + content + [0, 0] : element(tag, content)
    }

    /// An OCTET STRING in the constructed form, cut into pieces (X.690 §8.7.3).
    private func fragments(_ octets: [UInt8]) -> [UInt8] {
        let pieces = stride(from: 0, to: octets.count, by: 100).flatMap { start in
            element(.octetString, Array(octets[start...].prefix(100)))
        }
        return container(.fragments, pieces)
    }
}

// MARK: - Attributes

extension AppReceipt {
    /// The receipt's own attributes and one attribute 17 for each purchase, in no particular order.
    private func attributes(_ random: SplitMix64) -> [UInt8] {
        var attributes = (isFromXcode ? xcodeAttributes(random) : storeAttributes(random)).map(attribute)
        for purchase in snapshot.purchases {
            let inner = random.shuffled(self.attributes(of: purchase)).flatMap(\.self)
            attributes.append(attribute(17, element(.set, inner)))
        }
        return random.shuffled(attributes).flatMap(\.self)
    }

    private func storeAttributes(_ random: SplitMix64) -> KeyValuePairs<Int, [UInt8]> {
        [
            0: utf8(snapshot.receiptType), 1: integer(snapshot.appID), 2: utf8(snapshot.customer.app.bundleID),
            3: utf8(snapshot.appVersion),
            4: random.bytes(16), 5: random.bytes(20), 6: random.bytes(60), 7: random.bytes(68),
            8: ia5(""), 9: integer(1_345_531_957), 10: ia5("4+"), 11: integer(0), 12: date(snapshot.instant),
            13: integer(180_602), 14: integer(229), 15: integer(snapshot.downloadID), 16: integer(snapshot.versionID),
            18: date(snapshot.installed), 19: utf8(snapshot.originalAppVersion), 20: utf8(""), 25: integer(3),
        ]
    }

    private func xcodeAttributes(_ random: SplitMix64) -> KeyValuePairs<Int, [UInt8]> {
        [
            0: utf8("Xcode"), 1: integer(0), 2: utf8(snapshot.customer.app.bundleID), 3: utf8(snapshot.appVersion),
            4: random.bytes(8), 5: random.bytes(20), 8: ia5(""), 12: date(snapshot.instant),
            21: ia5("4001-01-01T00:00:00Z"),
        ]
    }

    /// Xcode writes some of the attributes only, and numbers transactions from 0 in every run.
    private func attributes(of purchase: Purchase) -> [[UInt8]] {
        let attributes: KeyValuePairs = [
            1701: integer(purchase.quantity), 1702: utf8(purchase.product.id), 1703: utf8(String(purchase.id)),
            1704: date(purchase.date), 1705: utf8(String(purchase.originalID)), 1706: date(purchase.originalDate),
            1707: integer(purchase.product.type.rawValue), 1708: date(purchase.expires), 1709: utf8(""),
            1710: integer(0), 1711: integer(purchase.webOrderLineItemID ?? 0), 1712: date(purchase.cancelled),
            1713: integer(purchase.isTrial ? 1 : 0), 1714: utf8(""), 1719: integer(purchase.isIntroductory ? 1 : 0),
            1722: integer(0),
        ]
        return attributes.filter { !isFromXcode || [1701, 1702, 1703, 1704, 1708, 1719].contains($0.key) }
            .map(attribute)
    }

    /// `ReceiptAttribute ::= SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`
    ///
    /// Attribute 4 alone has version 2.
    private func attribute(_ type: Int, _ value: [UInt8]) -> [UInt8] {
        element(.sequence, integer(type) + integer(type == 4 ? 2 : 1) + element(.octetString, value))
    }
}

// MARK: - Elements

/// Identifier octets (X.690 §8.1.2).
private enum Tag: UInt8 {
    case integer = 0x02
    case octetString = 0x04
    case null = 0x05
    case utf8String = 0x0C
    case ia5String = 0x16
    /// An OCTET STRING in the constructed form.
    case fragments = 0x24
    case sequence = 0x30
    /// Unsorted: the App Store does not sort the attributes either.
    case set = 0x31
    /// `[0] EXPLICIT`
    case explicit = 0xA0
}

/// OBJECT IDENTIFIERs, as octets.
private enum ObjectIdentifier {
    static let data = pkcs(7, 1)
    static let signedData = pkcs(7, 2)
    static let rsaEncryption = pkcs(1, 1)
    static let sha256WithRSA = pkcs(1, 11)
    /// 2.16.840.1.101.3.4.2.1
    static let sha256: [UInt8] = [0x06, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1]

    /// Two arcs below 1.2.840.113549.1.
    private static func pkcs(_ arcs: UInt8...) -> [UInt8] { [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1] + arcs }
}

/// An element with a definite length in the fewest octets, as DER asks for (X.690 §10.1).
private func element(_ tag: Tag, _ content: [UInt8]) -> [UInt8] {
    guard content.count >= 0x80 else { return [tag.rawValue, UInt8(content.count)] + content }
    let digits = bigEndian(content.count)
    return [tag.rawValue, 0x80 | UInt8(digits.count)] + digits + content
}

/// The octets of a number, without zeros at the start.
private func bigEndian(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0.drop { $0 == 0 }) }
}

/// An INTEGER that is not negative; a zero octet keeps the sign bit clear.
private func integer(_ number: Int) -> [UInt8] {
    let digits = bigEndian(number)
    return element(.integer, digits.first.map { $0 < 0x80 } ?? false ? digits : [0] + digits)
}

private func utf8(_ text: String) -> [UInt8] { element(.utf8String, Array(text.utf8)) }

private func ia5(_ text: String) -> [UInt8] { element(.ia5String, Array(text.utf8)) }

/// An IA5String; empty where there is no date.
private func date(_ instant: Timestamp?) -> [UInt8] { ia5(instant?.receiptText ?? "") }
