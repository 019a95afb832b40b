import TillColumns
import TillCore
import TillRows

extension PKCS7Format {
    /// Reads the attributes of the receipt (reference: Apple's "Receipt Fields"; numbers without a meaning here are
    /// passed over, as Apple asks).
    mutating func decodeAttributes(
        _ attributes: consuming BERCursor,
        into rows: inout RowBatch
    ) throws(DecodeError) {
        while !attributes.isAtEnd {
            let (type, value) = try nextAttribute(of: .receipt, &attributes)
            attribute = type
            if type == 17 {
                purchase = purchase.map { $0 + 1 } ?? 0
            } else {
                guard (0..<64).contains(type), envelope.seen >> UInt64(type) & 1 == 0 else { continue }
                envelope.seen |= 1 << UInt64(type)
            }
            guard value.isConstructed else {
                try decodeAttribute(type, value, in: attributes, into: &rows)
                continue
            }
            try decodeJoinedAttribute(type, value, in: attributes, into: &rows)
        }
    }

    /// Reads an attribute whose value BER cut into fragments.
    private mutating func decodeJoinedAttribute(
        _ type: Int64,
        _ value: BERElement,
        in cursor: borrowing BERCursor,
        into rows: inout RowBatch
    ) throws(DecodeError) {
        let octets = try joined(value, in: cursor)
        try decodeAttribute(type, .octets(octets), in: BERCursor(octets.span.bytes), into: &rows)
    }

    /// The octets of a value that BER cut into fragments, in one piece.
    private func joined(_ value: BERElement, in cursor: borrowing BERCursor) throws(DecodeError) -> [UInt8] {
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
    ) throws(DecodeError) {
        if keepsDeviceProof { keepDeviceProof(type, cursor.bytes.extracting(value.content)) }
        switch type {
        case 0:
            let text = try text(value, in: cursor)
            envelope.receiptType = try cell(text, in: cursor, &rows.dictionary)
            let known = text.flatMap { AppleWord.environment(cursor.bytes.extracting($0)) }
            envelope.environment = known?.cell ?? envelope.receiptType
        case 2: envelope.bundleID = try cell(try text(value, in: cursor), in: cursor, &rows.dictionary)
        case 3: envelope.appVersion = try cell(try text(value, in: cursor), in: cursor, &rows.dictionary)
        case 12: envelope.creationDate = try date(value, in: cursor)
        case 17:
            var inner = cursor.contents(of: value)
            try decodePurchase(inner.contents(of: try inner.next(0x31)), into: &rows)
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
    ) throws(DecodeError) {
        rows.transactions.beginRow()
        var seen: UInt32 = 0
        while !attributes.isAtEnd {
            let (type, value) = try nextAttribute(of: .purchase, &attributes)
            attribute = type
            guard (1701..<1733).contains(type), seen >> UInt32(type - 1701) & 1 == 0 else { continue }
            seen |= 1 << UInt32(type - 1701)
            guard value.isConstructed else {
                try decodePurchaseAttribute(type, value, in: attributes, into: &rows)
                continue
            }
            try decodeJoinedPurchaseAttribute(type, value, in: attributes, into: &rows)
        }
        rows.transactions.endRow()
    }

    /// Reads an attribute of a purchase whose value BER cut into fragments.
    private mutating func decodeJoinedPurchaseAttribute(
        _ type: Int64,
        _ value: BERElement,
        in cursor: borrowing BERCursor,
        into rows: inout RowBatch
    ) throws(DecodeError) {
        let octets = try joined(value, in: cursor)
        try decodePurchaseAttribute(type, .octets(octets), in: BERCursor(octets.span.bytes), into: &rows)
    }

    @inline(__always)
    private mutating func decodePurchaseAttribute(
        _ type: Int64,
        _ value: BERElement,
        in cursor: borrowing BERCursor,
        into rows: inout RowBatch
    ) throws(DecodeError) {
        switch type {
        case 1701:
            let quantity = try integer(value, in: cursor)
            guard quantity.map({ Int32(exactly: $0) != nil }) ?? true else {
                throw DecodeError(.integer, at: value.start)
            }
            rows.transactions.set(.quantity, quantity)
        case 1702:
            rows.transactions.set(.productID, try cell(try text(value, in: cursor), in: cursor, &rows.dictionary))
        case 1703: rows.transactions.set(.transactionID, try identifier(value, in: cursor, &rows.dictionary))
        case 1705: rows.transactions.set(.originalTransactionID, try identifier(value, in: cursor, &rows.dictionary))
        case 1704: rows.transactions.set(.purchaseDate, try date(value, in: cursor))
        case 1706: rows.transactions.set(.originalPurchaseDate, try date(value, in: cursor))
        case 1708: rows.transactions.set(.expiresDate, try date(value, in: cursor))
        case 1712: rows.transactions.set(.cancellationDate, try date(value, in: cursor))
        case 1707:
            if let number = try integer(value, in: cursor) {
                rows.transactions.set(.productType, productType(number, &rows.dictionary))
            }
        case 1711:
            let number = try integer(value, in: cursor)
            if let number, number != 0 {
                // An id below zero has no decimal form that is an id; it is kept as text.
                let word = number > 0 ? number : Identifier(code: rows.dictionary.code(for: String(number))).word
                rows.transactions.set(.webOrderLineItemID, word)
            }
        case 1713: rows.transactions.set(.isTrial, try integer(value, in: cursor).map { $0 == 0 ? 0 : 1 })
        case 1719: rows.transactions.set(.isIntro, try integer(value, in: cursor).map { $0 == 0 ? 0 : 1 })
        case 1721: rows.transactions.set(.offerID, try cell(try text(value, in: cursor), in: cursor, &rows.dictionary))
        default: break
        }
    }

    /// Reads the next attribute, by the quick way where it has a usual form.
    @inline(__always)
    private func nextAttribute(
        of place: AttributePlace,
        _ attributes: inout BERCursor
    ) throws(DecodeError) -> (type: Int64, value: BERElement) {
        if let usual = attributes.nextUsualAttribute(of: place) { return usual }
        return try walkAttribute(&attributes)
    }

    /// Reads one `SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`; anything else in its place is an
    /// error at the attribute (quirk 12).
    private func walkAttribute(
        _ attributes: inout BERCursor
    ) throws(DecodeError) -> (type: Int64, value: BERElement) {
        let sequence = try attributes.next(0x30)
        var members = attributes.contents(of: sequence)
        guard !members.isAtEnd else { throw DecodeError(.attribute, at: sequence.start) }
        let number = try members.next()
        guard number.tag == 0x02, !members.isAtEnd else { throw DecodeError(.attribute, at: sequence.start) }
        let version = try members.next()
        guard version.tag == 0x02, !members.isAtEnd else { throw DecodeError(.attribute, at: sequence.start) }
        let value = try members.next()
        guard value.tag & ~0x20 == 0x04, members.isAtEnd else { throw DecodeError(.attribute, at: sequence.start) }
        // A number that needs more than 64 bits is an attribute like any other that is not known.
        return (number.content.count <= 8 ? try members.integer(number) : -1, value)
    }

    /// Where the text of a value lies: that of a UTF8String, IA5String or the like. An empty one is absent (quirk 14).
    @inline(__always)
    private func text(_ value: BERElement, in cursor: borrowing BERCursor) throws(DecodeError) -> Range<Int>? {
        guard !value.content.isEmpty else { return nil }
        var inner = cursor.contents(of: value)
        let element = try inner.next()
        switch element.tag {
        case 0x0C, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1A: return element.content.isEmpty ? nil : element.content
        default: throw DecodeError(.unexpectedTag, at: element.start)
        }
    }

    @inline(__always)
    private func cell(
        _ text: Range<Int>?,
        in cursor: borrowing BERCursor,
        _ dictionary: inout TextDictionary
    ) throws(DecodeError) -> Int64? {
        guard let text else { return nil }
        let bytes = cursor.bytes.extracting(text)
        guard bytes.isUTF8 else { throw DecodeError(.utf8, at: text.lowerBound) }
        return Int64(dictionary.code(for: bytes))
    }

    @inline(__always)
    private func identifier(
        _ value: BERElement,
        in cursor: borrowing BERCursor,
        _ dictionary: inout TextDictionary
    ) throws(DecodeError) -> Int64? {
        guard let text = try text(value, in: cursor) else { return nil }
        let bytes = cursor.bytes.extracting(text)
        guard bytes.isUTF8 else { throw DecodeError(.utf8, at: text.lowerBound) }
        return Identifier(bytes, in: &dictionary).word
    }

    @inline(__always)
    private func integer(_ value: BERElement, in cursor: borrowing BERCursor) throws(DecodeError) -> Int64? {
        guard !value.content.isEmpty else { return nil }
        var inner = cursor.contents(of: value)
        let element = try inner.next()
        guard element.tag == 0x02 else { throw DecodeError(.unexpectedTag, at: element.start) }
        return try inner.integer(element)
    }

    private func date(_ value: BERElement, in cursor: borrowing BERCursor) throws(DecodeError) -> Int64? {
        guard let text = try text(value, in: cursor) else { return nil }
        guard let date = Timestamp.parse(cursor.bytes.extracting(text)) else {
            throw DecodeError(.date, at: text.lowerBound)
        }
        return date.milliseconds
    }

    /// Attribute 1707 in words (quirk 16); another number is kept as it came.
    private func productType(_ number: Int64, _ dictionary: inout TextDictionary) -> Int64 {
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
    /// Whether the bytes are well-formed UTF-8; ASCII is told eight bytes at a time.
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
