import Testing
import TillCore
import TillTestSupport

@testable import TillReceipts

@Suite("BER elements")
struct BERCursorTests {
    @Test(
        "Length octets, the short form and the long one with or without leading zeros",
        arguments: [
            ([0x00], 0), ([0x7F], 127), ([0x81, 0x00], 0), ([0x81, 0x7F], 127), ([0x81, 0xFF], 255),
            ([0x82, 0x01, 0x00], 256), ([0x82, 0x00, 0x05], 5), ([0x83, 0x01, 0x34, 0xFB], 79_099),
            ([0x84, 0xFF, 0xFF, 0xFF, 0xFF], 4_294_967_295), ([0x84, 0, 0, 0, 1], 1), ([0x80], nil),
        ] as [([UInt8], Int?)]
    )
    func readsLengths(_ octets: [UInt8], _ length: Int?) throws {
        var cursor = BERCursor(octets.span.bytes)
        let read = try cursor.readLength()
        #expect(read == length)
        #expect(cursor.position == octets.count)
    }

    @Test(
        "Length octets that end early or promise too much",
        arguments: [
            ([], .berTruncated, 0), ([0x81], .berTruncated, 1), ([0x82, 0x01], .berTruncated, 2),
            ([0x84, 1, 1, 1], .berTruncated, 4), ([0x85, 1, 1, 1, 1, 1], .lengthTooLong, 0),
            ([0xFF], .lengthTooLong, 0),
        ] as [([UInt8], Defect, Int)]
    )
    func rejectsLengths(_ octets: [UInt8], _ defect: Defect, _ offset: Int) throws {
        let error = try #require(throws: Finding.self) {
            var cursor = BERCursor(octets.span.bytes)
            _ = try cursor.readLength()
        }
        #expect(error == Finding(defect, at: offset))
    }

    @Test(
        "An element that is not one says where it starts, or where its bytes end",
        arguments: [
            ([], .berTruncated, 0), ([0x30], .berTruncated, 1), ([0x30, 0x01], .berTruncated, 0),
            ([0x04, 0x03, 1, 2], .berTruncated, 0), ([0x1F, 0x81, 0x01, 0x00], .longTag, 0),
            ([0xBF, 0x20, 0], .longTag, 0),
            // The indefinite form: only for constructed elements, and never without its end.
            ([0x04, 0x80, 0, 0], .unexpectedTag, 0), ([0x30, 0x80], .berTruncated, 2),
            ([0x30, 0x80, 0], .berTruncated, 2),
            ([0x30, 0x80, 0x02, 0x01, 0x05], .berTruncated, 5), ([0x30, 0x80, 0x02, 0x01, 0x05, 0], .berTruncated, 5),
            ([0x30, 0x80, 0x02, 0x07, 0x05, 0, 0], .berTruncated, 2),
        ] as [([UInt8], Defect, Int)]
    )
    func rejectsElements(_ octets: [UInt8], _ defect: Defect, _ offset: Int) throws {
        let error = try #require(throws: Finding.self) {
            var cursor = BERCursor(octets.span.bytes)
            _ = try cursor.next()
        }
        #expect(error == Finding(defect, at: offset))
    }

    @Test("A child that is longer than its parent is an error, even though the bytes go on")
    func checksAgainstTheParent() throws {
        let octets: [UInt8] = [0x30, 0x04, 0x04, 0x03, 0xAA, 0xBB] + [0x04, 0x01, 0xCC]
        let error = try #require(throws: Finding.self) {
            var cursor = BERCursor(octets.span.bytes)
            var inner = cursor.contents(of: try cursor.next(0x30))
            _ = try inner.next()
        }
        #expect(error == Finding(.pastParent, at: 2))

        let header: [UInt8] = [0x30, 0x01, 0x04] + [0x04, 0x01, 0xCC]
        let cut = try #require(throws: Finding.self) {
            var cursor = BERCursor(header.span.bytes)
            var inner = cursor.contents(of: try cursor.next(0x30))
            _ = try inner.next()
        }
        #expect(cut == Finding(.pastParent, at: 3))
    }

    @Test("An indefinite element ends at its own end-of-contents, whatever zeros its children hold")
    func findsEndOfContents() throws {
        let zeros = DER.octets([0, 0, 0, 0])
        let octets = DER.indefinite(0x30, zeros + DER.indefinite(0x31, zeros) + DER.integer(0)) + DER.integer(7)
        var cursor = BERCursor(octets.span.bytes)
        let outer = try cursor.next(0x30)
        #expect(outer.isConstructed)
        #expect(outer.content.count == octets.count - 4 - 3)
        let seven = try cursor.next(0x02)
        let value = try cursor.integer(seven)
        #expect(value == 7)
        #expect(cursor.position == octets.count)
        var inner = cursor.contents(of: outer)
        var tags: [UInt8] = []
        while !inner.isAtEnd { tags.append(try inner.next().tag) }
        #expect(tags == [0x04, 0x31, 0x02])
    }

    @Test("Elements may be nested to the limit and no deeper, in either form", arguments: [false, true])
    func limitsDepth(indefinite: Bool) throws {
        func nest(_ depth: Int) -> [UInt8] {
            (1..<depth).reduce(into: DER.integer(1)) { content, _ in
                content = indefinite ? DER.indefinite(0x30, content) : DER.element(0x30, content)
            }
        }
        func walk(_ octets: [UInt8]) throws {
            func descend(_ cursor: consuming BERCursor) throws {
                var cursor = cursor
                let element = try cursor.next()
                if element.isConstructed { try descend(cursor.contents(of: element)) }
            }
            try descend(BERCursor(octets.span.bytes))
        }
        try walk(nest(BERCursor.depthLimit))
        let error = try #require(throws: Finding.self) { try walk(nest(BERCursor.depthLimit + 1)) }
        #expect(error.defect == .nesting)
    }

    @Test(
        "Integers are two's complement of up to eight octets",
        arguments: [0, 1, 127, 128, 255, 256, -1, -128, -129, 1_345_531_957, .max, .min] as [Int64]
    )
    func readsIntegers(_ value: Int64) throws {
        let octets = DER.integer(value)
        var cursor = BERCursor(octets.span.bytes)
        let element = try cursor.next(0x02)
        let read = try cursor.integer(element)
        #expect(read == value)
    }

    @Test("Zeros before an integer count as nothing", arguments: [9, 12, 20])
    func passesOverZeros(_ count: Int) throws {
        for (last, expected) in [([0x2A], 0x2A), ([0x7F] + Array(repeating: 0xFF, count: 7), Int64.max)]
            as [([UInt8], Int64)]
        {
            let octets = DER.element(0x02, Array(repeating: 0, count: count - last.count) + last)
            var cursor = BERCursor(octets.span.bytes)
            let element = try cursor.next(0x02)
            #expect(try cursor.integer(element) == expected)
        }
        // Behind the zeros there is no sign, so this is 2⁶³.
        let octets = DER.element(0x02, Array(repeating: 0, count: count - 8) + [0x80] + Array(repeating: 0, count: 7))
        var cursor = BERCursor(octets.span.bytes)
        let element = try cursor.next(0x02)
        #expect(throws: Finding.self) { try cursor.integer(element) }
    }

    @Test("Integers of no octet, or more than eight, are errors where they start", arguments: [0, 9])
    func rejectsIntegers(_ count: Int) throws {
        let octets = DER.octets([]) + DER.element(0x02, Array(repeating: 1, count: count))
        let error = try #require(throws: Finding.self) {
            var cursor = BERCursor(octets.span.bytes)
            _ = try cursor.next()
            let element = try cursor.next()
            _ = try cursor.integer(element)
        }
        #expect(error == Finding(.wideInteger, at: 2))
    }

    @Test("The fragments of a constructed octet string are joined, nested ones too", arguments: 1...9)
    func joinsFragments(_ size: Int) throws {
        let content = (0..<64).map(UInt8.init)
        let halves =
            DER.fragments(Array(content[..<20]), of: size) + DER.octets([])
            + DER.fragments(Array(content[20...]), of: size, indefinite: false)
        for octets in [DER.fragments(content, of: size), DER.element(0x24, halves), DER.indefinite(0x24, halves)] {
            var cursor = BERCursor(octets.span.bytes)
            let element = try cursor.next(0x24)
            var joined: [UInt8] = []
            try cursor.appendOctets(of: element, to: &joined)
            #expect(joined == content)
        }
    }

    @Test("A fragment that is no octet string is an error where it starts")
    func rejectsOtherFragments() throws {
        let octets = DER.element(0x24, DER.octets([1]) + DER.integer(2))
        let error = try #require(throws: Finding.self) {
            var joined: [UInt8] = []
            var cursor = BERCursor(octets.span.bytes)
            let element = try cursor.next()
            try cursor.appendOctets(of: element, to: &joined)
        }
        #expect(error == Finding(.unexpectedTag, at: 5))
    }
}
