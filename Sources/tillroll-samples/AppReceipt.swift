import TillCore

/// An app receipt: CMS SignedData (RFC 5652 §5) around a SET OF attributes.
///
///     ContentInfo ── SignedData ─┬─ encapContentInfo ── OCTET STRING ── SET OF ReceiptAttribute
///                                ├─ certificates ── signer, intermediate, root; Xcode's own alone
///                                └─ signerInfos ── one SignerInfo
///
/// Samples are signed with test keys (``TestKeys``): only a program that is given the root trusts them.
struct AppReceipt {
    private let snapshot: Snapshot
    private let isFromXcode: Bool
    private var random: SplitMix64

    /// A receipt as the App Store writes it.
    init(snapshot: Snapshot, seed: UInt64) {
        self.init(snapshot: snapshot, seed: seed, isFromXcode: false)
    }

    /// A receipt as Xcode writes it for tests on a developer's machine: fewer attributes, BER instead of DER.
    static func xcode(snapshot: Snapshot, seed: UInt64) -> AppReceipt {
        AppReceipt(snapshot: snapshot, seed: seed, isFromXcode: true)
    }

    private init(snapshot: Snapshot, seed: UInt64, isFromXcode: Bool) {
        self.snapshot = snapshot
        self.isFromXcode = isFromXcode
        let name = "receipt/\(snapshot.customer.downloadID)/\(snapshot.instant.milliseconds)"
        random = SplitMix64(seed: seed, stream: name)
    }

    var base64: String {
        get throws { Base64.encode(try octets) }
    }

    var octets: [UInt8] {
        get throws {
            var random = random
            let payload = ASN1Node.set(attributes(&random)).octets
            return contentInfo(around: payload, signature: try TestSigner.signReceipt(payload)).octets
        }
    }
}

// MARK: - Container

extension AppReceipt {
    private static let data = ASN1Node.objectIdentifier([1, 2, 840, 113_549, 1, 7, 1])
    private static let signedData = ASN1Node.objectIdentifier([1, 2, 840, 113_549, 1, 7, 2])
    private static let sha256 = ASN1Node.objectIdentifier([2, 16, 840, 1, 101, 3, 4, 2, 1])
    private static let rsaEncryption = ASN1Node.objectIdentifier([1, 2, 840, 113_549, 1, 1, 1])
    private static let sha256WithRSA = ASN1Node.objectIdentifier([1, 2, 840, 113_549, 1, 1, 11])

    private func contentInfo(around payload: [UInt8], signature: [UInt8]) -> ASN1Node {
        let content = isFromXcode ? ASN1Node.octetString(payload, inPiecesOf: 100) : .octetString(payload)
        let digest = ASN1Node.sequence([Self.sha256, .null])
        let signedData = ASN1Node.sequence(
            [
                .integer(1),
                .set([digest]),
                .sequence([Self.data, .explicit(content, isIndefinite: isFromXcode)], isIndefinite: isFromXcode),
                .constructed(tag: 0xA0, [.encoded(certificates.flatMap(\.self))]),
                .set([signerInfo(digest: digest, signature: signature)]),
            ],
            isIndefinite: isFromXcode
        )
        return .sequence(
            [Self.signedData, .explicit(signedData, isIndefinite: isFromXcode)],
            isIndefinite: isFromXcode
        )
    }

    private var certificates: [[UInt8]] {
        isFromXcode ? [TestSigner.xcodeReceiptCertificate] : TestSigner.receiptCertificates
    }

    private func signerInfo(digest: ASN1Node, signature: [UInt8]) -> ASN1Node {
        let algorithm = isFromXcode ? Self.sha256WithRSA : Self.rsaEncryption
        return .sequence([
            .integer(1),
            .sequence([.encoded(CertificateName.issuerAndSerial(of: certificates[0]))]),
            digest,
            .sequence([algorithm, .null]),
            .octetString(signature),
        ])
    }
}

// MARK: - Attributes

extension AppReceipt {
    /// The receipt's own attributes and one attribute 17 for each purchase, in no particular order.
    private func attributes(_ random: inout SplitMix64) -> [ASN1Node] {
        var attributes = isFromXcode ? xcodeAttributes(&random) : storeAttributes(&random)
        for purchase in snapshot.purchases {
            let inner = isFromXcode ? xcodeAttributes(of: purchase) : storeAttributes(of: purchase)
            attributes.append(attribute(17, .set(random.shuffled(inner))))
        }
        return random.shuffled(attributes)
    }

    private func storeAttributes(_ random: inout SplitMix64) -> [ASN1Node] {
        let customer = snapshot.customer
        return [
            attribute(0, .utf8String(snapshot.receiptType)),
            attribute(1, .integer(snapshot.appID)),
            attribute(2, .utf8String(customer.app.bundleID)),
            attribute(3, .utf8String(snapshot.appVersion)),
            attribute(4, version: 2, octets: random.bytes(16)),
            attribute(5, octets: random.bytes(20)),
            attribute(6, octets: random.bytes(60)),
            attribute(7, octets: random.bytes(68)),
            attribute(8, .ia5String("")),
            attribute(9, .integer(1_345_531_957)),
            attribute(10, .ia5String("4+")),
            attribute(11, .integer(0)),
            attribute(12, .ia5String(snapshot.instant.receiptText)),
            attribute(13, .integer(180_602)),
            attribute(14, .integer(229)),
            attribute(15, .integer(customer.isSandbox ? 0 : customer.downloadID)),
            attribute(16, .integer(customer.isSandbox ? 0 : 840_000_117)),
            attribute(18, .ia5String(snapshot.installed.receiptText)),
            attribute(19, .utf8String(snapshot.originalAppVersion)),
            attribute(20, .utf8String("")),
            attribute(25, .integer(3)),
        ]
    }

    private func storeAttributes(of purchase: Purchase) -> [ASN1Node] {
        [
            attribute(1701, .integer(purchase.quantity)),
            attribute(1702, .utf8String(purchase.product.id)),
            attribute(1703, .utf8String(String(purchase.id))),
            attribute(1704, .ia5String(purchase.date.receiptText)),
            attribute(1705, .utf8String(String(purchase.originalID))),
            attribute(1706, .ia5String(purchase.originalDate.receiptText)),
            attribute(1707, .integer(purchase.product.type.rawValue)),
            attribute(1708, .ia5String(purchase.expires?.receiptText ?? "")),
            attribute(1709, .utf8String("")),
            attribute(1710, .integer(0)),
            attribute(1711, .integer(purchase.webOrderLineItemID ?? 0)),
            attribute(1712, .ia5String(purchase.cancelled?.receiptText ?? "")),
            attribute(1713, .integer(purchase.isTrial ? 1 : 0)),
            attribute(1714, .utf8String("")),
            attribute(1719, .integer(purchase.isIntroductory ? 1 : 0)),
            attribute(1722, .integer(0)),
        ]
    }

    private func xcodeAttributes(_ random: inout SplitMix64) -> [ASN1Node] {
        [
            attribute(0, .utf8String("Xcode")),
            attribute(1, .integer(0)),
            attribute(2, .utf8String(snapshot.customer.app.bundleID)),
            attribute(3, .utf8String(snapshot.appVersion)),
            attribute(4, version: 2, octets: random.bytes(8)),
            attribute(5, octets: random.bytes(20)),
            attribute(8, .ia5String("")),
            attribute(12, .ia5String(snapshot.instant.receiptText)),
            attribute(21, .ia5String("4001-01-01T00:00:00Z")),
        ]
    }

    /// Xcode numbers transactions from 0 in every run, and leaves the original id, the type and the line item out.
    private func xcodeAttributes(of purchase: Purchase) -> [ASN1Node] {
        [
            attribute(1701, .integer(purchase.quantity)),
            attribute(1702, .utf8String(purchase.product.id)),
            attribute(1703, .utf8String("0")),
            attribute(1704, .ia5String(purchase.date.receiptText)),
            attribute(1708, .ia5String(purchase.expires?.receiptText ?? "")),
            attribute(1719, .integer(purchase.isIntroductory ? 1 : 0)),
        ]
    }

    /// `ReceiptAttribute ::= SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`
    private func attribute(_ type: Int, version: Int = 1, octets: [UInt8]) -> ASN1Node {
        .sequence([.integer(type), .integer(version), .octetString(octets)])
    }

    private func attribute(_ type: Int, _ value: ASN1Node) -> ASN1Node {
        attribute(type, octets: value.octets)
    }
}
