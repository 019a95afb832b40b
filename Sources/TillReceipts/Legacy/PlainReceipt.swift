import TillInput
import TillJSON

/// Legacy receipts as Apple wrote them: two property lists of plain strings, one as base64 inside the other.
///
/// Nearly all are like that, and they are read without a tree: the purchase is written down as JSON as it is walked.
/// All other receipts (XML, an escape, a value that is a list, a defect) are left to ``LegacyFormat``, whose result for
/// a plain receipt is the same.
struct PlainReceipt {
    private var outer = PlainPropertyList()
    private var inner = PlainPropertyList()
    /// Holds the text of `purchase-info`, out of its base64.
    private var buffer: [UInt8] = []
    /// The purchase as JSON, with the padding that ``JSONCursor`` needs.
    var json: [UInt8] = []

    private static let purchaseInfo = Array("purchase-info".utf8)
    private static let signature = Array("signature".utf8)
    private static let environmentKey = Array("environment".utf8)
    private static let naming = ["product-id", "transaction-id"].map { Array($0.utf8) }
    private static let null = Array("<null>".utf8)

    /// Where the receipt's own environment stands in its text.
    private(set) var environment: Range<Int>?
    private(set) var isSigned = false

    /// Whether the text is a plain property list with `purchase-info`, which is remembered for ``readPurchase(of:)``.
    mutating func recognizes(_ text: RawSpan) -> Bool {
        outer.read(text) && outer.value(of: Self.purchaseInfo, in: text) != nil
    }

    /// Reads the purchase of the text recognised last; `false` if it is not plain, or not one at all.
    mutating func readPurchase(of text: RawSpan) -> Bool {
        guard let info = outer.value(of: Self.purchaseInfo, in: text) else { return false }
        environment = outer.value(of: Self.environmentKey, in: text)
        isSigned = outer.value(of: Self.signature, in: text)?.isEmpty == false
        var purchase: [UInt8] = []
        swap(&purchase, &buffer)
        defer { swap(&purchase, &buffer) }
        do {
            try Base64.decode(text.extracting(info), into: &purchase)
        } catch {
            return false
        }
        let list = purchase.span.bytes
        guard inner.read(list), Self.naming.contains(where: { inner.value(of: $0, in: list) != nil }) else {
            return false
        }
        writeJSON(of: purchase)
        return true
    }

    private mutating func writeJSON(of purchase: [UInt8]) {
        json.removeAll(keepingCapacity: true)
        json.append(0x7B)
        for (number, entry) in inner.entries.enumerated() {
            if number > 0 { json.append(0x2C) }
            json.append(0x22)
            for index in entry.key { json.append(purchase[index] == 0x2D ? 0x5F : purchase[index]) }
            json.append(0x22)
            json.append(0x3A)
            if purchase[entry.value].elementsEqual(Self.null) {
                json.append(contentsOf: "null".utf8)
            } else {
                json.append(0x22)
                json.append(contentsOf: purchase[entry.value])
                json.append(0x22)
            }
        }
        json.append(0x7D)
        json.append(contentsOf: repeatElement(0, count: JSONCursor.padding))
    }
}
