import TillCore
import TillInput
import TillJSON

/// A digest of the receipt, which connects the verifications of one receipt without a request id.
enum ReceiptDigest {
    /// SHA-256, in lower-case hexadecimal, of the base64 text of a receipt, without white space.
    ///
    /// The text is hashed, not the decoded bytes, so a receipt that cannot be decoded has a digest too. If the text
    /// differs from base64 with padding (RFC 4648 §4) in more than its line breaks, as ``Base64`` allows, it is written
    /// so first. A request log and the dump of an app may write one receipt in different ways (quirk 1).
    static func hexadecimal(of receipt: [UInt8]) -> [UInt8] {
        var text = receipt
        var octets: [UInt8] = []
        if (try? Base64.decode(receipt.span.bytes, into: &octets)) == true { text = Base64.encode(octets) }
        text.removeAll { $0 <= 0x20 }
        let hash = ContentHash()
        hash.update(text)
        return hash.text
    }

    /// The same of a receipt in a string.
    static func hexadecimal(of token: JSONToken, in cursor: borrowing JSONCursor) -> [UInt8] {
        hexadecimal(of: cursor.text(of: token))
    }
}

/// Receipts in requests.
///
///     {"receipt-data":"MII…"}          {"body":"receipt-data=MII…&password=…"}          {"body":{"receipt":"MII…"}}
///     receipt-data=MII…&password=…     "{\"receipt-data\":\"MII…\"}"                    eyJyZWNlaXB0LWRhdGEiOi…
extension ReceiptDigest {
    /// Members that hold a receipt, whatever it looks like.
    private static let receiptKeys: Set = [
        "receipt-data", "receipt_data", "receiptData", "receipt", "latest_receipt", "latestReceipt",
    ]
    /// Objects and texts inside one another that are looked at.
    private static let depthLimit = 16

    /// The digest of the first receipt in the request at the cursor; `nil` if it has none.
    ///
    /// Cost: one pass for each layer of text in text.
    ///
    /// - Parameter isReceipt: whether a string at the cursor is a receipt, if it holds no other.
    @_lifetime(cursor: copy cursor)
    static func find(
        inRequest cursor: inout JSONCursor,
        isReceipt: Bool = false,
        depth: Int = 0
    ) throws(Finding) -> [UInt8]? {
        let token = try cursor.token()
        switch token.kind {
        case .string where token.count > 0:
            return find(inText: cursor.text(of: token), isReceipt: isReceipt, depth: depth + 1)
        case .object where depth < depthLimit: break
        case .object, .array:
            try cursor.skipContainer()
            return nil
        default: return nil
        }
        try cursor.expect(0x7B)
        var found: [UInt8]?
        var isFirst = true
        while let key = try cursor.nextKey(isFirst: &isFirst) {
            if found != nil {
                try cursor.skipValue()
                continue
            }
            let isReceipt = receiptKeys.contains(cursor.raw(key).text(0..<key.count))
            found = try find(inRequest: &cursor, isReceipt: isReceipt, depth: depth + 1)
        }
        return found
    }

    /// The same in text: JSON, a form, base64 of these, or the receipt by itself.
    ///
    /// - Parameter isReceipt: whether text without any other receipt is one.
    static func find(inText text: [UInt8], isReceipt: Bool = false, depth: Int = 0) -> [UInt8]? {
        guard depth < depthLimit, let first = text.first(where: { $0 > 0x20 }) else { return nil }
        let bytes = text.span.bytes
        let isObject = first == 0x7B
        let inner: [UInt8]? =
            if isObject || first == 0x22 {
                find(inJSON: text, depth: depth)
            } else if bytes.beginsForm {
                find(inJSON: FormObject.json(bytes), depth: depth)
            } else {
                nil
            }
        if let inner { return inner }
        if isReceipt || !isObject && bytes.beginsLikeDocument && !CompactJWS.recognizes(bytes) {
            return hexadecimal(of: text)
        }
        var octets: [UInt8] = []
        guard (try? Base64.decode(bytes, into: &octets)) != nil else { return nil }
        return find(inText: octets, depth: depth + 1)
    }

    private static func find(inJSON text: [UInt8], depth: Int) -> [UInt8]? {
        let padded = text + Array(repeating: 0, count: JSONCursor.padding)
        var cursor = JSONCursor(padded.span.bytes, limit: text.count)
        // Text that is no JSON, or is cut off, is no request.
        return try? find(inRequest: &cursor, depth: depth + 1)
    }
}

extension RawSpan {
    /// Whether a name, `=` and a value are at the beginning; base64 ends with `=`.
    fileprivate var beginsForm: Bool {
        guard let equals = endOfFormName, equals + 1 < byteCount else { return false }
        return byte(equals + 1) != 0x3D
    }
}

extension JSONCursor {
    /// The text of a string, its escapes undone.
    borrowing func text(of token: JSONToken) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(token.count)
        appendText(of: token, to: &text)
        return text
    }
}
