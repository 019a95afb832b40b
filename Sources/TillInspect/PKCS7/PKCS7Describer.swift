import TillReceipts
import TillReportModel

/// App receipts: the whole of their PKCS#7 (RFC 5652 §5.1), not only the attributes that are columns.
///
///     ContentInfo › SignedData
///       version, digestAlgorithms
///       encapContentInfo › every attribute, known or not
///       certificates, each with what is in it
///       signerInfos: issuer and serial, algorithms, signed attributes, signature
///
/// A receipt that was cut is shown as far as it goes: zeros stand for what is missing, so that the elements around the
/// cut have an end. The zeros themselves are not shown.
enum PKCS7Describer: Describer {
    static let format = PKCS7Format.name

    /// The most that is made up for a receipt that was cut.
    private static let longestRest = 1 << 20

    static func describe(binary bytes: [UInt8], in context: inout InspectionContext) -> InspectedNode {
        let missing = declaredCount(of: bytes) - bytes.count
        guard (1...longestRest).contains(missing) else {
            return contentInfo(bytes, endingAt: bytes.count, in: &context)
        }
        let filled = bytes + [UInt8](repeating: 0, count: missing)
        var node = contentInfo(filled, endingAt: bytes.count, in: &context)
        node.length = bytes.count
        node.meaning = "\(missing) bytes are missing at its end"
        return node
    }

    /// How long the outermost element says it is; 0 where it does not say.
    private static func declaredCount(of bytes: [UInt8]) -> Int {
        var cursor = BERCursor(bytes.span.bytes)
        guard bytes.first == 0x30 else { return 0 }
        do {
            _ = try cursor.next()
        } catch {
            guard error.code == .truncated, error.offset == 0, bytes.count > 1 else { return 0 }
            let width = bytes[1] & 0x80 == 0 ? 0 : Int(bytes[1] & 0x7F)
            guard (1...4).contains(width), bytes.count >= 2 + width else { return 0 }
            return 2 + width + bytes[2..<2 + width].reduce(0) { $0 << 8 | Int($1) }
        }
        return 0
    }

    private static func contentInfo(
        _ bytes: [UInt8],
        endingAt end: Int,
        in context: inout InspectionContext
    ) -> InspectedNode {
        var node = InspectedNode("ContentInfo", offset: 0, length: bytes.count)
        let walk = SignedDataWalk(document: MappedOctets(bytes), end: end)
        var outer = BERCursor(bytes.span.bytes)
        do throws(DecodeError) {
            let element = try outer.next(0x30)
            node.length = outer.position
            if outer.position < bytes.count { node.meaning = "\(bytes.count - outer.position) bytes behind it" }
            var info = outer.contents(of: element)
            let type = try info.next(0x06)
            node.children.append(SignedDataWalk.scalar("contentType", type, info))
            let wrapping = try info.next(0xA0)
            var explicit = info.contents(of: wrapping)
            let content = try explicit.next(0x30)
            var signedData = InspectedNode(
                "SignedData",
                offset: content.start,
                length: explicit.position - content.start
            )
            var members = explicit.contents(of: content)
            walk.describeSignedData(&members, into: &signedData, in: &context)
            node.children.append(signedData)
        } catch {
            walk.fail(error, &node)
        }
        if node.defect == nil, end == bytes.count, let trust = context.options.trust?(.pkcs7(bytes)) {
            node.children += trust
        }
        return node
    }
}
