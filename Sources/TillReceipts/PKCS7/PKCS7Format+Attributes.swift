import TillColumns
import TillCore
import TillRows

extension PKCS7Format {
    /// Reads the attributes of the receipt (reference: Apple's "Receipt Fields"; unknown numbers are skipped, as
    /// Apple asks).
    mutating func decodeAttributes(
        _ attributes: consuming BERCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        var found = FoundAttribute()
        while !attributes.isAtEnd {
            do throws(Finding) {
                try Self.next(&found, of: .receipt, &attributes)
            } catch {
                try decodePending(in: attributes, into: &rows)
                throw error
            }
            let type = found.type
            if type == 17 {
                if pending.count == Self.mostPending { try decodePending(in: attributes, into: &rows) }
                if !found.value.isConstructed, postpone(found.value, in: attributes) { continue }
                try decodePending(in: attributes, into: &rows)
                purchase = purchase.map { $0 + 1 } ?? 0
            } else {
                if !pending.isEmpty { try decodePending(in: attributes, into: &rows) }
                guard (0..<64).contains(type), envelope.seen >> UInt64(type) & 1 == 0 else { continue }
                envelope.seen |= 1 << UInt64(type)
            }
            attribute = type
            guard found.value.isConstructed else {
                try decodeAttribute(type, found.value, in: attributes, into: &rows)
                continue
            }
            try decodeJoinedAttribute(type, found.value, in: attributes, into: &rows)
        }
        try decodePending(in: attributes, into: &rows)
    }

    /// A purchase whose digest is being prefetched.
    struct PendingPurchase {
        let value: BERElement
        let digest: TextDigest
    }

    /// The most purchases that are pending.
    private static let mostPending = 16

    /// Makes a purchase pending until its digest is loaded; `false` if it is to be read at once.
    ///
    /// Purchases follow one another, so the digests of several can be prefetched before the first is looked up.
    private mutating func postpone(_ value: BERElement, in cursor: borrowing BERCursor) -> Bool {
        guard let digest = duplicates.digest(of: value.content, in: cursor.bytes) else { return false }
        pending.append(PendingPurchase(value: value, digest: digest))
        return true
    }

    /// Reads the pending purchases, without the duplicates.
    private mutating func decodePending(
        in cursor: borrowing BERCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        guard !pending.isEmpty else { return }
        for index in pending.indices {
            let (value, digest) = (pending[index].value, pending[index].digest)
            purchase = purchase.map { $0 + 1 } ?? 0
            if duplicates.skip(digest) { continue }
            attribute = 17
            let reading = rows.reading
            try decodeAttribute(17, value, in: cursor, into: &rows)
            // One with an odd or unread value is never skipped, so that the value is counted in every document.
            if rows.reading == reading { duplicates.note(digest, row: rows.transactions.rowCount - 1) }
        }
        pending.removeAll(keepingCapacity: true)
    }

    /// Reads an attribute whose value BER cut into fragments.
    private mutating func decodeJoinedAttribute(
        _ type: Int64,
        _ value: BERElement,
        in cursor: borrowing BERCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        let octets = try Self.joined(value, in: cursor)
        try decodeAttribute(type, .octets(octets), in: BERCursor(octets.span.bytes), into: &rows)
    }

    /// The octets of a value that BER cut into fragments, in one piece.
    private static func joined(_ value: BERElement, in cursor: borrowing BERCursor) throws(Finding) -> [UInt8] {
        var octets: [UInt8] = []
        try cursor.appendOctets(of: value, to: &octets)
        return octets
    }

    @inline(__always)
    private mutating func decodeAttribute(
        _ type: Int64,
        _ value: BERElement,
        in cursor: borrowing BERCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        if keepsDeviceProof { keepDeviceProof(type, cursor.bytes.extracting(value.content)) }
        switch type {
        case 0:
            let text = try Self.text(value, in: cursor)
            envelope.receiptType = try Self.cell(text, in: cursor, &rows.dictionary)
            let known = text.flatMap { AppleWord.environment(cursor.bytes.extracting($0)) }
            envelope.environment = known?.cell ?? envelope.receiptType
        case 2: envelope.bundleID = try Self.cell(try Self.text(value, in: cursor), in: cursor, &rows.dictionary)
        case 3: envelope.appVersion = try Self.cell(try Self.text(value, in: cursor), in: cursor, &rows.dictionary)
        case 12: envelope.creationDate = try Self.date(value, in: cursor)
        case 17:
            var inner = cursor.contents(of: value)
            let purchase = inner.contents(of: try inner.next(0x31))
            // A second set would be a purchase that is passed over.
            guard inner.isAtEnd else { throw Finding(.attribute, at: inner.position) }
            try decodePurchase(purchase, into: &rows)
            attribute = nil
        default: break
        }
    }

    private mutating func keepDeviceProof(_ type: Int64, _ octets: RawSpan) {
        switch type {
        case 2: envelope.device.bundleID = octets.withUnsafeBytes(Array.init)
        case 4: envelope.device.opaque = octets.withUnsafeBytes(Array.init)
        case 5: envelope.device.hash = octets.withUnsafeBytes(Array.init)
        default: break
        }
    }

    /// Reads the attributes of one purchase into the open row, and counts it.
    private mutating func decodePurchase(
        _ attributes: consuming BERCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        rows.transactions.beginRow()
        var seen: UInt32 = 0
        var found = FoundAttribute()
        while !attributes.isAtEnd {
            try Self.next(&found, of: .purchase, &attributes)
            let type = found.type
            attribute = type
            guard (1701..<1733).contains(type), seen >> UInt32(type - 1701) & 1 == 0 else { continue }
            seen |= 1 << UInt32(type - 1701)
            guard found.value.isConstructed else {
                try decodePurchaseAttribute(type, found.value, in: attributes, into: &rows)
                continue
            }
            try decodeJoinedPurchaseAttribute(type, found.value, in: attributes, into: &rows)
        }
        rows.transactions.endRow()
    }

    /// Reads an attribute of a purchase whose value BER cut into fragments.
    private mutating func decodeJoinedPurchaseAttribute(
        _ type: Int64,
        _ value: BERElement,
        in cursor: borrowing BERCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        let octets = try Self.joined(value, in: cursor)
        try decodePurchaseAttribute(type, .octets(octets), in: BERCursor(octets.span.bytes), into: &rows)
    }

    @inline(__always)
    private mutating func decodePurchaseAttribute(
        _ type: Int64,
        _ value: BERElement,
        in cursor: borrowing BERCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        switch type {
        case 1701:
            let quantity = try Self.integer(value, in: cursor)
            guard quantity.map({ Int32(exactly: $0) != nil }) ?? true else {
                throw Finding(.integer, at: value.start)
            }
            rows.transactions.set(.quantity, quantity)
        case 1702:
            rows.transactions.set(
                .productID,
                try Self.cell(try Self.text(value, in: cursor), in: cursor, &rows.dictionary)
            )
        case 1703: rows.transactions.set(.transactionID, try Self.identifier(value, in: cursor, &rows))
        case 1705:
            rows.transactions.set(.originalTransactionID, try Self.identifier(value, in: cursor, &rows))
        case 1704: rows.transactions.set(.purchaseDate, try Self.purchaseDate(value, in: cursor))
        case 1706: rows.transactions.set(.originalPurchaseDate, try Self.date(value, in: cursor))
        case 1708: rows.transactions.set(.expiresDate, try Self.saleDate(value, in: cursor))
        case 1712: rows.transactions.set(.cancellationDate, try Self.saleDate(value, in: cursor))
        case 1707:
            if let number = try Self.integer(value, in: cursor) {
                rows.transactions.set(.productType, Self.productType(number, &rows.dictionary))
            }
        case 1711:
            let number = try Self.integer(value, in: cursor)
            if let number, number != 0 {
                // An id below zero is kept as text.
                let word = number > 0 ? number : rows.identifier(Array(String(number).utf8).span.bytes)
                rows.transactions.set(.webOrderLineItemID, word)
            }
        case 1713: rows.transactions.set(.isTrial, try Self.integer(value, in: cursor).map { $0 == 0 ? 0 : 1 })
        case 1719: rows.transactions.set(.isIntro, try Self.integer(value, in: cursor).map { $0 == 0 ? 0 : 1 })
        case 1721:
            rows.transactions.set(
                .offerID,
                try Self.cell(try Self.text(value, in: cursor), in: cursor, &rows.dictionary)
            )
        default: break
        }
    }

    // The following methods are static: a non-mutating method would get a copy of the format for each attribute.

    /// Reads the next attribute, by the quick way where it has a usual form.
    @inline(__always)
    private static func next(
        _ found: inout FoundAttribute,
        of place: AttributePlace,
        _ attributes: inout BERCursor
    ) throws(Finding) {
        if !attributes.takeUsual(&found, of: place) { found = try walkAttribute(&attributes) }
    }

    /// Reads one `SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`; anything else in its place is an
    /// error at the attribute (quirk 12).
    private static func walkAttribute(
        _ attributes: inout BERCursor
    ) throws(Finding) -> FoundAttribute {
        let sequence = try attributes.next(0x30)
        var members = attributes.contents(of: sequence)
        guard !members.isAtEnd else { throw Finding(.attribute, at: sequence.start) }
        let number = try members.next()
        guard number.tag == 0x02, !members.isAtEnd else { throw Finding(.attribute, at: sequence.start) }
        let version = try members.next()
        guard version.tag == 0x02, !members.isAtEnd else { throw Finding(.attribute, at: sequence.start) }
        let value = try members.next()
        guard value.tag & ~0x20 == 0x04, members.isAtEnd else { throw Finding(.attribute, at: sequence.start) }
        // A number that needs more than 64 bits is an attribute like any other that is not known.
        return FoundAttribute(type: number.content.count <= 8 ? try members.integer(number) : -1, value: value)
    }

    /// Where the text of a value lies: that of a UTF8String, IA5String or the like. An empty one is absent (quirk 14).
    @inline(__always)
    private static func text(_ value: BERElement, in cursor: borrowing BERCursor) throws(Finding) -> Range<Int>? {
        guard !value.content.isEmpty else { return nil }
        var inner = cursor.contents(of: value)
        let element = try inner.next()
        switch element.tag {
        case 0x0C, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1A: return element.content.isEmpty ? nil : element.content
        default: throw Finding(.unexpectedTag, at: element.start)
        }
    }

    @inline(__always)
    private static func cell(
        _ text: Range<Int>?,
        in cursor: borrowing BERCursor,
        _ dictionary: inout TextDictionary
    ) throws(Finding) -> Int64? {
        guard let text else { return nil }
        let bytes = cursor.bytes.extracting(text)
        guard bytes.isUTF8 else { throw Finding(.utf8, at: text.lowerBound) }
        return Int64(dictionary.code(for: bytes))
    }

    @inline(__always)
    private static func identifier(
        _ value: BERElement,
        in cursor: borrowing BERCursor,
        _ rows: inout RowBatch
    ) throws(Finding) -> Int64? {
        guard let text = try text(value, in: cursor) else { return nil }
        let bytes = cursor.bytes.extracting(text)
        guard bytes.isUTF8 else { throw Finding(.utf8, at: text.lowerBound) }
        return rows.identifier(bytes)
    }

    @inline(__always)
    private static func integer(_ value: BERElement, in cursor: borrowing BERCursor) throws(Finding) -> Int64? {
        guard !value.content.isEmpty else { return nil }
        var inner = cursor.contents(of: value)
        let element = try inner.next()
        guard element.tag == 0x02 else { throw Finding(.unexpectedTag, at: element.start) }
        return try inner.integer(element)
    }

    private static func date(_ value: BERElement, in cursor: borrowing BERCursor) throws(Finding) -> Int64? {
        guard let text = try text(value, in: cursor) else { return nil }
        return try SaleDate.checkedOther(try date(text, in: cursor), at: text.lowerBound)
    }

    private static func date(_ text: Range<Int>, in cursor: borrowing BERCursor) throws(Finding) -> Int64 {
        let bytes = cursor.bytes.extracting(text)
        if let date = Timestamp.parse(bytes) { return date.milliseconds }
        guard let date = bytes.otherDate else { throw Finding(.date, at: text.lowerBound) }
        return date
    }

    /// A date of expiry or cancellation (``SaleDate``).
    private static func saleDate(_ value: BERElement, in cursor: borrowing BERCursor) throws(Finding) -> Int64? {
        guard let text = try text(value, in: cursor) else { return nil }
        return try SaleDate.checked(try date(text, in: cursor), at: text.lowerBound)
    }

    /// A date of purchase (``SaleDate``).
    private static func purchaseDate(_ value: BERElement, in cursor: borrowing BERCursor) throws(Finding) -> Int64? {
        guard let text = try text(value, in: cursor) else { return nil }
        return try SaleDate.checkedPurchase(try date(text, in: cursor), at: text.lowerBound)
    }

    /// Attribute 1707 in words (quirk 16); another number is kept unchanged.
    private static func productType(_ number: Int64, _ dictionary: inout TextDictionary) -> Int64 {
        switch number {
        case 0: Word.nonConsumable.cell
        case 1: Word.consumable.cell
        case 2: Word.nonRenewing.cell
        case 3: Word.autoRenewable.cell
        case 4: Word.freeSubscription.cell
        default: Int64(dictionary.code(for: String(number)))
        }
    }
}

extension RawSpan {
    /// Whether the bytes are well-formed UTF-8; ASCII is recognized eight bytes at a time.
    fileprivate var isUTF8: Bool {
        var bits: UInt64 = 0
        var index = 0
        while index + 8 <= byteCount {
            bits |= unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        if byteCount >= 8 {
            // The last eight, some of which have been looked at already.
            bits |= unsafeLoadUnaligned(fromByteOffset: byteCount - 8, as: UInt64.self)
        } else {
            while index < byteCount {
                bits |= UInt64(byte(index))
                index += 1
            }
        }
        if bits & 0x8080_8080_8080_8080 == 0 { return true }
        return withUnsafeBytes { String(validating: $0, as: UTF8.self) != nil }
    }
}
