import TillCore
import TillInput
import TillReceipts
import TillReportModel

/// A JWS of StoreKit 2: its header with the certificates, its payload and its signature.
enum JWSDescriber {
    /// Shows the segments of the compact form (RFC 7515 §7.1). More or fewer than three are a defect.
    static func describe(_ bytes: [UInt8], in context: InspectionContext) -> InspectedNode {
        let end = bytes.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? 0
        var node = InspectedNode("JWS", offset: 0, length: bytes.count)
        var start = 0
        let segments = bytes[..<end].split(separator: 0x2E, maxSplits: 3, omittingEmptySubsequences: false)
        for (number, segment) in segments.enumerated() {
            guard context.spend() else { break }
            node.children.append(describe(segment, number: number, at: start, in: context))
            start += segment.count + 1
        }
        if node.children.count != 3 {
            node.defect = InspectedDefect(Finding(.segments, at: end))
        } else if let trust = context.trust {
            node.children += trust.nodes(ofJWS: Array(bytes[..<end]))
        }
        return node
    }

    private static func describe(
        _ segment: ArraySlice<UInt8>,
        number: Int,
        at offset: Int,
        in context: InspectionContext
    ) -> InspectedNode {
        let name = ["header", "payload", "signature"].dropFirst(number).first ?? "segment"
        var node = InspectedNode(name, offset: offset, length: segment.count)
        var decoded: [UInt8] = []
        do {
            try Base64.decode(Array(segment).span.bytes, into: &decoded)
        } catch {
            node.defect = InspectedDefect(error, at: offset)
            return node
        }
        guard number < 2 else {
            node.value = .octets(decoded)
            node.meaning = decoded.count == 64 ? "64 bytes, r and s" : "\(decoded.count) bytes"
            return node
        }
        node.decodedLength = decoded.count
        let json = JSONDescriber.describe(decoded, vocabulary: .serverAPI, in: context)
        // A segment that is not an object is shown as a separate node.
        node.children = json.defect == nil && !json.children.isEmpty ? json.children : [json]
        return node
    }
}
