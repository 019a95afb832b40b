import TillInput
import TillReceipts
import TillReportModel

/// StoreKit 2: a JWS with its header, certificates and payload, or the payload alone.
enum JWSDescriber: Describer {
    static let format = JWSFormat.name
    static let vocabulary = NotificationDescriber.vocabulary

    /// The three segments of the compact form (RFC 7515 §7.1), however many there are.
    static func describe(jws bytes: [UInt8], in context: inout InspectionContext) -> InspectedNode {
        var end = bytes.count
        while end > 0, bytes[end - 1] <= 0x20 { end -= 1 }
        var node = InspectedNode("JWS", offset: 0, length: bytes.count)
        var start = 0
        for (number, segment) in bytes[..<end].split(separator: 0x2E, maxSplits: 3, omittingEmptySubsequences: false)
            .enumerated()
        {
            guard context.spend() else { break }
            node.children.append(describe(segment, number: number, at: start, in: &context))
            start += segment.count + 1
        }
        if node.children.count != 3 {
            node.defect = InspectedDefect(DecodeError(.segments, at: end))
        } else if let trust = context.options.trust?(.jws(Array(bytes[..<end]))) {
            node.children += trust
        }
        return node
    }

    private static func describe(
        _ segment: ArraySlice<UInt8>,
        number: Int,
        at offset: Int,
        in context: inout InspectionContext
    ) -> InspectedNode {
        let names = ["header", "payload", "signature"]
        let name = number < names.count ? names[number] : "segment"
        var node = InspectedNode(name, offset: offset, length: segment.count)
        var decoded: [UInt8] = []
        do {
            try Base64.decode(Array(segment).span.bytes, into: &decoded)
        } catch {
            node.defect = InspectedDefect(
                code: error.code.rawValue,
                reason: error.reason,
                offset: offset + error.offset
            )
            return node
        }
        guard number < 2 else {
            node.value = .octets(decoded)
            node.meaning = decoded.count == 64 ? "64 bytes, r and s" : "\(decoded.count) bytes"
            return node
        }
        node.decodedLength = decoded.count
        node.children = JSONDescriber.describe(decoded, vocabulary: vocabulary, in: &context).children(or: decoded)
        return node
    }
}

extension InspectedNode {
    /// The members of a JSON object; the node itself where it is no object.
    fileprivate func children(or bytes: [UInt8]) -> [InspectedNode] {
        defect == nil && !children.isEmpty ? children : [self]
    }
}
