import TillCore
import TillReceipts
import TillReportModel

/// App receipts: their complete PKCS#7 (RFC 5652 §5.1), not only the attributes that become columns.
///
///     ContentInfo › SignedData
///       version, digestAlgorithms
///       encapContentInfo › every attribute, known or not
///       certificates, each with its fields
///       signerInfos: issuer and serial, algorithms, signed attributes, signature
///
/// A receipt that was cut is shown up to the cut. Zeros replace the missing bytes, so that the elements around the cut
/// have an end.
enum PKCS7Describer {
    /// The most zeros that are added to a receipt that was cut.
    private static let longestRest = 1 << 20

    static func describe(_ bytes: [UInt8], in context: InspectionContext) -> InspectedNode {
        let missing = declaredCount(of: bytes) - bytes.count
        guard (1...longestRest).contains(missing) else {
            return contentInfo(bytes, endingAt: bytes.count, in: context)
        }
        let filled = bytes + [UInt8](repeating: 0, count: missing)
        var node = contentInfo(filled, endingAt: bytes.count, in: context)
        node.length = bytes.count
        node.meaning = "\(missing) bytes are missing at its end"
        return node
    }

    /// The length that the outermost element declares, if the bytes end before; otherwise 0.
    private static func declaredCount(of bytes: [UInt8]) -> Int {
        var cursor = BERCursor(bytes.span.bytes)
        guard bytes.first == 0x30 else { return 0 }
        do {
            _ = try cursor.next()
        } catch {
            guard error.defect == .berTruncated, error.offset == 0, bytes.count > 1 else { return 0 }
            let width = bytes[1] & 0x80 == 0 ? 0 : Int(bytes[1] & 0x7F)
            guard (1...4).contains(width), bytes.count >= 2 + width else { return 0 }
            return 2 + width + bytes[2..<2 + width].reduce(0) { $0 << 8 | Int($1) }
        }
        return 0
    }

    private static func contentInfo(_ bytes: [UInt8], endingAt end: Int, in context: InspectionContext) -> InspectedNode
    {
        var node = InspectedNode("ContentInfo", offset: 0, length: bytes.count)
        var walk = BERWalk(MappedOctets(bytes), end: end, in: context)
        var outer = BERCursor(bytes.span.bytes)
        do throws(Finding) {
            let element = try outer.next(0x30)
            node.length = outer.position
            if outer.position < bytes.count { node.meaning = "\(bytes.count - outer.position) bytes behind it" }
            try walk.walk(SignedDataFields.contentInfo, outer.contents(of: element), into: &node)
        } catch {
            walk.fail(error, &node)
        }
        if node.defect == nil, end == bytes.count, let trust = context.trust {
            node.children += trust.nodes(ofSignedData: bytes)
        }
        return node
    }
}
