import TillColumns
public import TillCore
public import TillRows

/// App receipts: PKCS#7 signed data (RFC 5652 §5) around a set of attributes.
///
///     ContentInfo › [0] › SignedData › encapContentInfo › [0] › OCTET STRING
///       SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }
///         type 17: SET OF the same, one in-app purchase
///
/// Elements are read in place. Only fragmented strings of BER are copied together. Neither attributes nor purchases are
/// in any order (quirk 13); rows keep that of the receipt.
public struct PKCS7Format: ReceiptFormat {
    public static let name = "pkcs7"
    public static let summary = "app receipts: base64, DER or BER, alone or in JSON"
    public static let receiptLayer: DocumentTrace.Layer.Kind? = .binary

    /// The values of the attributes outside the purchases.
    struct Envelope {
        var environment: Int64?
        var receiptType: Int64?
        var bundleID: Int64?
        var appVersion: Int64?
        var creationDate: Int64?
        /// The values for the hash of attribute 5, kept if `--device-id` is given: attributes 2, 4 and 5.
        var device = DeviceProof()
        var verdict = TrustVerdict.unchecked
        /// Attributes seen, bit by number: of one that comes twice the first counts.
        var seen: UInt64 = 0
    }

    /// The octets of three attributes as they lie in the receipt.
    struct DeviceProof {
        var bundleID: [UInt8] = []
        var opaque: [UInt8] = []
        var hash: [UInt8] = []
    }

    var envelope = Envelope()
    /// Which purchases are skipped.
    var duplicates = DuplicateFilter()
    /// Purchases whose digests are being prefetched.
    var pending: [PendingPurchase] = []
    public var checker: (any SignatureChecker)?
    /// Whether the checker asks for the octets of ``DeviceProof``.
    private(set) var keepsDeviceProof = false
    /// The number of purchases begun, and the attribute being read: for ``path``.
    var purchase: Int?
    var attribute: Int64?

    public init() {}

    public var path: String {
        let parts = [purchase.map { "17[\($0)]" }, attribute.map(String.init)]
        return parts.compactMap(\.self).joined(separator: " › ")
    }

    /// 1.2.840.113549.1.7.2, signedData (RFC 5652 §5.1).
    private static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    /// 1.2.840.113549.1.7.1, data (RFC 5652 §4).
    private static let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]

    /// Whether a signedData OID stands near the start, whatever the form of the lengths before it.
    public static func recognizes(binary bytes: RawSpan) -> Bool {
        guard bytes.byteCount > 2, bytes.byte(0) == 0x30 else { return false }
        let width = bytes.byte(1) & 0x80 == 0 ? 0 : Int(bytes.byte(1) & 0x7F)
        let start = 2 + width
        // Its length may have more octets than it needs (quirk 9).
        guard start + 2 <= bytes.byteCount, bytes.byte(start) == 0x06 else { return false }
        let octets = start + 2 + (bytes.byte(start + 1) & 0x80 == 0 ? 0 : Int(bytes.byte(start + 1) & 0x7F))
        guard octets + signedData.count <= bytes.byteCount else { return false }
        return signedData.indices.allSatisfy { bytes.byte(octets + $0) == signedData[$0] }
    }

    public mutating func decode(binary bytes: RawSpan, into rows: inout RowBatch) throws(Finding) {
        let mark = rows.mark()
        if try decode(bytes, readsAll: false, into: &rows) { return }
        // A skipped purchase was not the duplicate that it seemed to be. That is rare; then all are read.
        rows.rollBack(to: mark)
        _ = try decode(bytes, readsAll: true, into: &rows)
    }

    /// Reads a receipt; `false` if a purchase was skipped that must be read.
    private mutating func decode(
        _ bytes: RawSpan,
        readsAll: Bool,
        into rows: inout RowBatch
    ) throws(Finding) -> Bool {
        envelope = Envelope()
        duplicates.beginDocument(rows.duplicates.cache, readsAll: readsAll)
        pending.removeAll(keepingCapacity: true)
        purchase = nil
        attribute = nil
        keepsDeviceProof = checker?.namesDevice ?? false
        let mark = rows.mark()
        try decodeContentInfo(bytes, into: &rows)
        attribute = nil
        // Rows of a receipt that is not to be trusted are not counted.
        let context =
            envelope.verdict.trust == .untrusted
            ? nil
            : duplicates.context(environment: envelope.environment, bundleID: envelope.bundleID, in: rows.dictionary)
        guard duplicates.isConfirmed(in: context) else { return false }
        rows.duplicates.countSkipped(duplicates.skippedCount)
        finish(from: mark, in: &rows)
        duplicates.commit(context, to: &rows)
        return true
    }

    /// Walks down to the payload. Everything beside the way is stepped over, so its lengths are checked too; bytes
    /// after the ContentInfo are tolerated.
    ///
    /// A signature covers the decoded content only if there is no second content. So trust is stricter than decoding.
    private mutating func decodeContentInfo(_ bytes: RawSpan, into rows: inout RowBatch) throws(Finding) {
        var outer = BERCursor(bytes)
        var contentInfo = outer.contents(of: try outer.next(0x30))
        let contentType = try contentInfo.next(0x06)
        guard bytes.extracting(contentType.content).equals(Self.signedData) else {
            throw Finding(.contentType, at: contentType.start)
        }
        var explicit = contentInfo.contents(of: try contentInfo.next(0xA0))
        var signedData = explicit.contents(of: try explicit.next(0x30))
        _ = try signedData.next(0x02)
        _ = try signedData.next(0x31)
        var encapsulated = signedData.contents(of: try signedData.next(0x30))
        let rest = signedData.position..<signedData.end
        while !signedData.isAtEnd { _ = try signedData.next() }
        let innerType = try encapsulated.next(0x06)
        var content = encapsulated.contents(of: try encapsulated.next(0xA0))
        let element = try content.next()
        try decodePayload(element, in: content, into: &rows)
        guard let checker else { return }
        attribute = nil
        let isUnambiguous =
            content.isAtEnd && encapsulated.isAtEnd && explicit.isAtEnd && contentInfo.isAtEnd
            && bytes.extracting(innerType.content).equals(Self.data)
        guard isUnambiguous else {
            envelope.verdict = TrustVerdict(.untrusted, code: .structure)
            return
        }
        try check(element, of: content, rest: bytes.extracting(rest), by: checker)
    }

    /// Asks `checker` about the content in `element`, which may have come in fragments (X.690 §8.7.3).
    private mutating func check(
        _ element: BERElement,
        of cursor: borrowing BERCursor,
        rest: RawSpan,
        by checker: any SignatureChecker
    ) throws(Finding) {
        let finding: SignatureFinding
        if element.isConstructed {
            var octets: [UInt8] = []
            try cursor.appendOctets(of: element, to: &octets)
            finding = checker.finding(signedData: octets.span.bytes, rest: rest)
        } else {
            finding = checker.finding(signedData: cursor.bytes.extracting(element.content), rest: rest)
        }
        envelope.verdict = finding.verdict(signedAt: envelope.creationDate)
        guard checker.namesDevice, envelope.verdict.trust != .untrusted else { return }
        let isOfDevice = checker.isOfDevice(
            hash: envelope.device.hash.span.bytes,
            opaque: envelope.device.opaque.span.bytes,
            bundleID: envelope.device.bundleID.span.bytes
        )
        if !isOfDevice { envelope.verdict = TrustVerdict(.untrusted, code: .device, signer: finding.signer) }
    }

    /// Reads the payload, unwrapping a second OCTET STRING inside the first (quirk 11). If more bytes
    /// follow the second, the receipt is a reject: they may hold purchases, and would be lost.
    private mutating func decodePayload(
        _ element: BERElement,
        in cursor: borrowing BERCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        if element.tag == 0x04,
            cursor.bytes.byteAt(element.content.lowerBound, below: element.content.upperBound) == 0x31
        {
            return try decodeAttributes(inOnlySetOf: cursor.contents(of: element), into: &rows)
        }
        var octets: [UInt8] = []
        try cursor.appendOctets(of: element, to: &octets)
        for _ in 0..<2 where octets.first == 0x04 || octets.first == 0x24 {
            var wrapping = BERCursor(octets.span.bytes)
            var inner: [UInt8] = []
            let nested = try wrapping.next()
            guard wrapping.isAtEnd else { throw Finding(.attribute, at: wrapping.position) }
            try wrapping.appendOctets(of: nested, to: &inner)
            octets = inner
        }
        try decodeAttributes(inOnlySetOf: BERCursor(octets.span.bytes), into: &rows)
    }

    /// Reads the attributes of the set that a payload is. The purchases of a second one would be passed over.
    private mutating func decodeAttributes(
        inOnlySetOf payload: consuming BERCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        let set = payload.contents(of: try payload.next(0x31))
        guard payload.isAtEnd else { throw Finding(.attribute, at: payload.position) }
        try decodeAttributes(set, into: &rows)
    }

    /// Writes the values of the whole receipt into its rows, and its own row.
    @inline(__always)  // A call would copy the whole format, for each receipt.
    private func finish(from mark: RowBatch.Mark, in rows: inout RowBatch) {
        for row in mark.transactions..<rows.transactions.rowCount {
            if let environment = envelope.environment { rows.transactions.set(.environment, environment, row: row) }
            if let bundleID = envelope.bundleID { rows.transactions.set(.bundleID, bundleID, row: row) }
            if let appVersion = envelope.appVersion { rows.transactions.set(.appVersion, appVersion, row: row) }
            if let creationDate = envelope.creationDate { rows.transactions.set(.observedAt, creationDate, row: row) }
            rows.transactions.set(.trust, envelope.verdict.trust.cell, row: row)
            rows.transactions.set(.kind, Word.pkcs7.cell, row: row)
        }
        let facts = DocumentFacts(
            kind: .pkcs7,
            trust: envelope.verdict,
            environment: envelope.environment,
            bundleID: envelope.bundleID,
            appVersion: envelope.appVersion,
            receiptType: envelope.receiptType,
            observedAt: envelope.creationDate
        )
        rows.appendDocument(facts, from: mark)
    }
}

extension RawSpan {
    fileprivate func equals(_ expected: [UInt8]) -> Bool {
        byteCount == expected.count && expected.indices.allSatisfy { byte($0) == expected[$0] }
    }

    fileprivate func byteAt(_ index: Int, below end: Int) -> UInt8? { index < end ? byte(index) : nil }
}
