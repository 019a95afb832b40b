package import TillCore

/// One element of a BER encoding: identifier, and where its contents lie.
package struct BERElement {
    /// The identifier octet (X.690 §8.1.2): class, form and number.
    package var tag: UInt8
    /// Where the identifier stands.
    package var start: Int
    /// The contents octets, end-of-contents not included.
    package var content: Range<Int>

    package var isConstructed: Bool { tag & 0x20 != 0 }

    /// A primitive OCTET STRING that is all of `octets`.
    package static func octets(_ octets: [UInt8]) -> BERElement {
        BERElement(tag: 0x04, start: 0, content: 0..<octets.count)
    }
}

/// Walks the elements of a BER encoding (X.690); DER is a subset of BER.
///
///     identifier   length        contents
///     30           82 14 3F      …                 definite
///     30           80            …  00 00          indefinite, as Xcode writes it
///
/// Every length is checked against the element that holds it before anything inside is looked at. Non-minimal lengths
/// are accepted: receipts have them, and a stricter library broke on those (quirk 9).
package struct BERCursor: ~Escapable {
    /// Elements inside one another.
    package static let depthLimit = 32

    package let bytes: RawSpan
    package internal(set) var position: Int
    /// One past the last byte of the contents that are walked.
    package let end: Int
    private let depth: Int

    /// Walks `range` of `bytes`, or all of them.
    @_lifetime(copy bytes)
    package init(_ bytes: RawSpan, in range: Range<Int>? = nil, depth: Int = 0) {
        self.bytes = bytes
        self.depth = depth
        position = range?.lowerBound ?? 0
        end = min(range?.upperBound ?? bytes.byteCount, bytes.byteCount)
    }

    package var isAtEnd: Bool { position >= end }

    /// The contents of an element of this cursor.
    @_lifetime(copy self)
    package func contents(of element: BERElement) -> BERCursor {
        BERCursor(bytes, in: element.content, depth: depth + 1)
    }

    /// Reads the next element and moves past it.
    @inline(__always)
    @_lifetime(self: copy self)
    package mutating func next() throws(Finding) -> BERElement {
        // Nearly every element of a receipt has a length of one octet and ends inside its parent.
        if end &- position >= 2, depth < Self.depthLimit {
            let head = UInt16(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt16.self))
            let (tag, content) = (UInt8(truncatingIfNeeded: head), position &+ 2)
            let next = content &+ Int(head >> 8)
            if head < 0x8000, tag & 0x1F != 0x1F, next <= end {
                defer { position = next }
                return BERElement(tag: tag, start: position, content: content..<next)
            }
        }
        return try nextOfAnyForm()
    }

    @_lifetime(self: copy self)
    private mutating func nextOfAnyForm() throws(Finding) -> BERElement {
        guard depth < Self.depthLimit else { throw Finding(.nesting, at: position) }
        if let element = nextOfTwoLengthOctets() { return element }
        let start = position
        let tag = try octet()
        guard tag & 0x1F != 0x1F else { throw Finding(.longTag, at: start) }
        if let length = try readLength() {
            guard length <= end - position else {
                throw Finding(end == bytes.byteCount ? .berTruncated : .pastParent, at: start)
            }
            let content = position..<position + length
            position = content.upperBound
            return BERElement(tag: tag, start: start, content: content)
        }
        guard tag & 0x20 != 0 else { throw Finding(.unexpectedTag, at: start) }
        let contentStart = position
        var inner = BERCursor(bytes, in: position..<end, depth: depth + 1)
        while try !inner.takeEndOfContents() { _ = try inner.next() }
        position = inner.position
        return BERElement(tag: tag, start: start, content: contentStart..<inner.position - 2)
    }

    /// Reads the next element where its length is a number of two octets, as that of all that hold others is.
    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func nextOfTwoLengthOctets() -> BERElement? {
        guard end &- position >= 4 else { return nil }
        let head = UInt32(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt32.self))
        let (tag, content) = (UInt8(truncatingIfNeeded: head), position &+ 4)
        let next = content &+ Int(UInt16(truncatingIfNeeded: head >> 16).byteSwapped)
        guard head & 0xFF00 == 0x8200, tag & 0x1F != 0x1F, next <= end else { return nil }
        defer { position = next }
        return BERElement(tag: tag, start: position, content: content..<next)
    }

    /// Reads the next element, which must have the given identifier.
    @_lifetime(self: copy self)
    package mutating func next(_ tag: UInt8) throws(Finding) -> BERElement {
        let element = try next()
        guard element.tag == tag else { throw Finding(.unexpectedTag, at: element.start) }
        return element
    }

    /// Reads the length octets of one element (X.690 §8.1.3); `nil` for the indefinite form.
    ///
    ///     0LLLLLLL                  short form, 0…127
    ///     1NNNNNNN  L₁ … Lₙ         long form, N octets, big-endian
    ///     10000000                  indefinite form
    @_lifetime(self: copy self)
    mutating func readLength() throws(Finding) -> Int? {
        let start = position
        let first = try octet()
        guard first & 0x80 != 0 else { return Int(first) }
        let width = Int(first & 0x7F)
        guard width > 0 else { return nil }
        guard width <= 4 else { throw Finding(.lengthTooLong, at: start) }
        guard width <= end - position else {
            throw Finding(end == bytes.byteCount ? .berTruncated : .pastParent, at: end)
        }
        var length = 0
        for index in position..<position + width { length = length << 8 | Int(bytes.byte(index)) }
        position += width
        return length
    }

    /// Consumes the two zero octets that end an indefinite length (X.690 §8.1.5), if they are next.
    @_lifetime(self: copy self)
    private mutating func takeEndOfContents() throws(Finding) -> Bool {
        guard position + 2 <= end else { throw Finding(.berTruncated, at: position) }
        guard bytes.byte(position) == 0, bytes.byte(position + 1) == 0 else { return false }
        position += 2
        return true
    }

    @_lifetime(self: copy self)
    private mutating func octet() throws(Finding) -> UInt8 {
        guard position < end else {
            throw Finding(end == bytes.byteCount ? .berTruncated : .pastParent, at: position)
        }
        defer { position += 1 }
        return bytes.byte(position)
    }

    /// The value of an INTEGER's contents (X.690 §8.3): two's complement, big-endian, at most eight octets behind
    /// leading zeros.
    package func integer(_ element: BERElement) throws(Finding) -> Int64 {
        var index = element.content.lowerBound
        while element.content.upperBound - index > 8, bytes.byte(index) == 0 { index += 1 }
        let count = element.content.upperBound - index
        let isNegative = count > 0 && bytes.byte(index) & 0x80 != 0
        // Behind a zero the first octet has no sign.
        guard (1...8).contains(count), index == element.content.lowerBound || !isNegative else {
            return try Self.throwWideInteger(at: element.start)
        }
        var value = Int64(Int8(bitPattern: bytes.byte(index)))
        index += 1
        while index < element.content.upperBound {
            value = value << 8 | Int64(bytes.byte(index))
            index += 1
        }
        return value
    }

    /// Throws, in a function of its own so that ``integer(_:)`` keeps no registers for it.
    @inline(never)
    private static func throwWideInteger(at offset: Int) throws(Finding) -> Int64 {
        throw Finding(.wideInteger, at: offset)
    }

    /// Appends the octets of an OCTET STRING, whose constructed form (X.690 §8.7.3) is a series of fragments.
    package func appendOctets(of element: BERElement, to octets: inout [UInt8]) throws(Finding) {
        switch element.tag {
        case 0x04:
            for index in element.content { octets.append(bytes.byte(index)) }
        case 0x24:
            var fragments = contents(of: element)
            while !fragments.isAtEnd {
                let fragment = try fragments.next()
                try fragments.appendOctets(of: fragment, to: &octets)
            }
        default: throw Finding(.unexpectedTag, at: element.start)
        }
    }
}
