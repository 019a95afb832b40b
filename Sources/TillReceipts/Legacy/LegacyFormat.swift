import TillColumns
public import TillCore
import TillInput
import TillJSON
public import TillRows

/// Transaction receipts of iOS 3 to 6: a property list around a property list, one purchase in each.
///
///     {
///         "signature" = "ApMUBC86…";            may be missing
///         "purchase-info" = "ewoJIm9y…";        base64 of { "product-id" = "…"; "transaction-id" = "…"; … }
///         "environment" = "Sandbox";            missing in production
///         "pod" = "100"; "signing-status" = "0";
///     }
///
/// The list may be XML as well, and the purchase may stand by itself. Its fields are those of a flat verifyReceipt
/// answer with `-` for `_`, and ``VerifyFormat`` reads them. Only `purchase-info` is signed; the environment is outside
/// (quirk 27). Identifiers of the device are not read: they are personal data.
///
/// `NSLog` prints other dictionaries in the same notation: a verifyReceipt answer, one of its transactions, an error.
/// They are passed on as JSON. A receipt is identified by `purchase-info`, or by hyphens in its keys; keys of a
/// transaction have `_`.
public struct LegacyFormat: ReceiptFormat {
    public static let name = "legacy"
    public static let summary = "iOS 6 transaction receipts: property lists, ASCII or XML, plain or in base64"
    public static let receiptLayer: DocumentTrace.Layer.Kind? = .text

    public var checker: (any SignatureChecker)?
    public var surroundings = Surroundings()
    private var purchases = ReceiptInfoReader()
    private var plain = PlainReceipt()
    /// Members that the decoder stands in, outermost first.
    private var members: [String] = []

    public init() {}

    public var path: String {
        (members + [purchases.path]).filter { !$0.isEmpty }.joined(separator: " › ")
    }

    /// Whether the text begins as a property list does: `{ key =`, or XML whose first element is a `plist`.
    public static func recognizes(text: RawSpan) -> Bool {
        if text.hasPrefix("{") { return Framer.isPropertyList(in: text, at: 0, limit: text.byteCount) }
        guard text.hasPrefix("<?xml") || text.hasPrefix("<!DOCTYPE plist") || text.hasPrefix("<plist") else {
            return false
        }
        // Declarations and comments may come first; this is more than any file has of them.
        return (0..<min(4096, text.byteCount)).contains { text.hasPrefix("<plist", at: $0) }
    }

    /// The end of the receipt that begins at a brace in other text; `nil` if there is none.
    static func endOfReceipt(in text: RawSpan, at start: Int, limit: Int) -> Int? {
        guard Framer.isPropertyList(in: text, at: start, limit: limit) else { return nil }
        var lookahead = TextLookahead()
        let end = Framer.endOfPropertyList(in: text, at: start, limit: limit, isFinal: true, lookahead: &lookahead)
        guard let end, text.firstIndex(of: Array("purchase-info".utf8), from: start, to: end) != nil,
            let list = try? propertyList(text.extracting(start..<end)), list.member("purchase-info") != nil
        else { return nil }
        return end
    }

    /// The start of a property list with comments before it; `nil` if text that begins at `start` is anything
    /// else.
    static func startBehindComments(in text: RawSpan, at start: Int) -> Int? {
        var index = start
        while index < text.byteCount {
            switch text.byte(index) {
            case 0x09...0x0D, 0x20: index += 1
            case 0x2F where text.hasPrefix("//", at: index):
                index = text.firstIndex(of: 0x0A, from: index, to: text.byteCount) ?? text.byteCount
            case 0x2F where text.hasPrefix("/*", at: index):
                guard let end = text.firstIndex(of: Array("*/".utf8), from: index + 2, to: text.byteCount) else {
                    return nil
                }
                index = end + 2
            default: return Framer.isPropertyList(in: text, at: index, limit: text.byteCount) ? index : nil
            }
        }
        return nil
    }

    public mutating func decode(text: RawSpan, isAllowed: Bool, into rows: inout RowBatch) throws(Finding) -> [UInt8]? {
        members = []
        purchases.beginDocument()
        // A signature is checked over the decoded members of the list, so the list is built then.
        let isPlain = checker == nil && plain.recognizes(text)
        if isPlain {
            guard isAllowed else { throw Finding(.otherFormat) }
            if try decodePlain(text, into: &rows) { return nil }
            purchases.beginDocument()
        }
        let list = try Self.propertyList(text)
        if !isPlain, list.entries != nil, !list.isReceipt {
            let json = PropertyListJSON(list)
            return Array(json.bytes.prefix(json.count))
        }
        guard isAllowed else { throw Finding(.otherFormat) }
        try decode(list, into: &rows)
        return nil
    }

    private mutating func decode(_ list: PropertyListValue, into rows: inout RowBatch) throws(Finding) {
        guard list.isReceipt else { throw Finding(.unrecognized, at: list.offset) }
        members = ["environment"]
        let environment = try self.environment(list.member("environment"), &rows.dictionary)
        members = []
        let mark = rows.mark()
        if let info = list.member("purchase-info") {
            members = ["purchase-info"]
            try decodePurchase(try Self.purchase(info), into: &rows)
        } else {
            try decodePurchase(list, into: &rows)
        }
        let verdict = verdict(of: list, signedAt: rows.transactions[.purchaseDate, mark.transactions])
        finish(from: mark, environment: environment, trust: verdict, in: &rows)
    }

    /// The trust verdict of a receipt whose purchase was made at `instant`.
    ///
    /// The signature covers the octets of `purchase-info`, and nothing beside them.
    private func verdict(of list: PropertyListValue, signedAt instant: Int64?) -> TrustVerdict {
        guard let signature = list.member("signature")?.octets, !signature.isEmpty else { return .unsigned }
        guard let checker else { return .unchecked }
        guard let info = list.member("purchase-info")?.octets, let blob = Self.decoded(signature),
            let purchase = Self.decoded(info)
        else { return TrustVerdict(.untrusted, code: .structure) }
        return checker.finding(legacy: blob.span.bytes, purchaseInfo: purchase.span.bytes).verdict(signedAt: instant)
    }

    /// The decoded bytes of a base64 value; data of an XML property list is decoded already.
    private static func decoded(_ octets: [UInt8]) -> [UInt8]? {
        // A property list of either notation, or the version octet of a signature blob.
        if let first = octets.first, [0x7B, 0x3C, 0x02, 0x03].contains(first) { return octets }
        var decoded: [UInt8] = []
        do {
            try Base64.decode(octets.span.bytes, into: &decoded)
        } catch {
            return nil
        }
        return decoded
    }

    /// Reads a receipt without building its property lists, if that goes well; nothing is appended if it does not.
    private mutating func decodePlain(_ text: RawSpan, into rows: inout RowBatch) throws(Finding) -> Bool {
        guard plain.readPurchase(of: text) else { return false }
        let mark = rows.mark()
        var json: [UInt8] = []
        swap(&json, &plain.json)
        defer { swap(&json, &plain.json) }
        var cursor = JSONCursor(json.span.bytes, limit: json.count - JSONCursor.padding)
        do {
            try purchases.decodeSingle(in: &cursor, into: &rows)
        } catch {
            // It is read once more, for the place of the defect in the property list.
            rows.rollBack(to: mark)
            return false
        }
        var named = usualEnvironment
        if let range = plain.environment { named = environment(text.extracting(range), &rows.dictionary) }
        finish(
            from: mark,
            environment: named,
            trust: plain.isSigned ? .unchecked : .unsigned,
            in: &rows
        )
        return true
    }

    private static func propertyList(_ text: RawSpan) throws(Finding) -> PropertyListValue {
        text.hasPrefix("<") ? try XMLPropertyList.parse(text) : try PropertyListParser.parse(text)
    }

    /// The property list that `purchase-info` holds: as base64, as data, or as itself.
    private static func purchase(_ info: PropertyListValue) throws(Finding) -> PropertyListValue {
        guard info.entries == nil else { return info }
        guard let text = info.octets else { throw Finding(.type, at: info.offset) }
        if let start = text.firstIndex(where: { $0 > 0x20 }), text[start] == 0x7B || text[start] == 0x3C {
            return try propertyList(text.span.bytes.extracting(start..<text.count))
        }
        var decoded: [UInt8] = []
        do {
            try Base64.decode(text.span.bytes, into: &decoded)
        } catch {
            throw error.at(info.offset + error.offset)
        }
        guard let start = decoded.firstIndex(where: { $0 > 0x20 }) else { throw Finding(.empty, at: info.offset) }
        return try propertyList(decoded.span.bytes.extracting(start..<decoded.count))
    }

    /// The environment of a receipt without the key: what the text around it says, else production, for Apple gave the
    /// key to sandbox receipts.
    private var usualEnvironment: Int64 { (surroundings.environment ?? .production).cell }

    /// The environment as a cell.
    private func environment(
        _ value: PropertyListValue?,
        _ dictionary: inout TextDictionary
    ) throws(Finding) -> Int64 {
        guard let value else { return usualEnvironment }
        guard let text = value.string else { throw Finding(.type, at: value.offset) }
        let octets = Array(text.utf8)
        return environment(octets.span.bytes, &dictionary)
    }

    private func environment(_ text: RawSpan, _ dictionary: inout TextDictionary) -> Int64 {
        guard text.byteCount > 0 else { return usualEnvironment }
        return AppleWord.environment(text)?.cell ?? Int64(dictionary.code(for: text))
    }

    /// Appends the row of one purchase.
    private mutating func decodePurchase(_ purchase: PropertyListValue, into rows: inout RowBatch) throws(Finding) {
        guard purchase.isPurchase else { throw Finding(.purchaseInfo, at: purchase.offset) }
        let json = PropertyListJSON(purchase)
        var cursor = JSONCursor(json.bytes.span.bytes, limit: json.count)
        do {
            try purchases.decodeSingle(in: &cursor, into: &rows)
        } catch {
            throw error.at(json.sourceOffset(of: error.offset))
        }
    }

    /// Writes the values of the whole receipt into its one row, and the row of the document.
    private func finish(from mark: RowBatch.Mark, environment: Int64, trust: TrustVerdict, in rows: inout RowBatch) {
        let row = mark.transactions
        rows.transactions.set(.environment, environment, row: row)
        rows.transactions.set(.trust, trust.trust.cell, row: row)
        rows.transactions.set(.kind, Word.legacy.cell, row: row)
        let facts = DocumentFacts(
            kind: .legacy,
            trust: trust,
            environment: environment,
            bundleID: rows.transactions[.bundleID, mark.transactions],
            appVersion: rows.transactions[.appVersion, mark.transactions]
        )
        rows.appendDocument(facts, from: mark)
    }
}

extension ReceiptInfoReader {
    /// Reads the transaction that the cursor stands on, which is its whole document, and appends its row.
    @_lifetime(cursor: copy cursor)
    fileprivate mutating func decodeSingle(in cursor: inout JSONCursor, into rows: inout RowBatch) throws(Finding) {
        beginDocument()
        place = Place(transactionKey: KeyTable<TransactionKey>.start)
        try decodeTransaction(isLatest: false, in: &cursor, into: &rows)
        place = Place()
    }
}

extension PropertyListValue {
    /// The value of a key, written with `-` or `_`; of a key that comes twice, the last.
    fileprivate func member(_ name: String) -> PropertyListValue? {
        entries?.last { Self.spelling($0.key) == name }?.value
    }

    private static func spelling(_ key: String) -> String {
        key.utf8.contains(0x5F) ? String(key.map { $0 == "_" ? "-" : $0 }) : key
    }

    fileprivate var isPurchase: Bool { member("product-id") != nil || member("transaction-id") != nil }

    /// Whether this is a legacy receipt, or its purchase by itself.
    fileprivate var isReceipt: Bool {
        if member("purchase-info") != nil { return true }
        return entries?.contains { $0.key == "product-id" || $0.key == "transaction-id" } ?? false
    }

    /// The bytes of a string or of data; `nil` for a list of values.
    fileprivate var octets: [UInt8]? {
        switch content {
        case .dictionary, .array: nil
        case .string(let text): Array(text.utf8)
        case .data(let octets): octets
        }
    }
}
