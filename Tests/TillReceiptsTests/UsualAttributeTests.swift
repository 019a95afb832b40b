import Testing
import TillTestSupport

@testable import TillReceipts

/// The head of an attribute is compared as a whole where it has its usual form; the walk element by element decides.
@Suite("Attributes of the usual form")
struct UsualAttributeTests {
    private struct Attribute: Equatable {
        var type: Int64
        var content: Range<Int>
        var end: Int
    }

    private static func usual(_ octets: [UInt8], _ end: Int, _ place: AttributePlace) -> Attribute? {
        var cursor = BERCursor(octets.span.bytes, in: 0..<end)
        var found = FoundAttribute()
        guard cursor.takeUsual(&found, of: place) else {
            #expect(cursor.position == 0)
            return nil
        }
        #expect(found.value.tag == 0x04 && found.value.start == found.value.content.lowerBound - 2)
        return Attribute(type: found.type, content: found.value.content, end: cursor.position)
    }

    private static func walked(_ octets: [UInt8], _ end: Int) -> Attribute? {
        do {
            var cursor = BERCursor(octets.span.bytes, in: 0..<end)
            let sequence = try cursor.next(0x30)
            var members = cursor.contents(of: sequence)
            let type = try members.integer(try members.next(0x02))
            _ = try members.next(0x02)
            let value = try members.next(0x04)
            return members.isAtEnd ? Attribute(type: type, content: value.content, end: cursor.position) : nil
        } catch {
            return nil
        }
    }

    private static let values: [[UInt8]] = [[], [9], DER.ia5("2026-03-02T10:15:00Z"), Array(repeating: 7, count: 119)]

    @Test("Those that receipts have are of the usual form, up to a length of one octet")
    func findsThem() {
        for value in Self.values {
            for (types, place) in [(0...30, .receipt), (1701...1732, .purchase)] as [(_, AttributePlace)] {
                for type in types {
                    let octets = ReceiptDER.attribute(Int64(type), value) + [0x30, 0x08]
                    let isShort = octets[1] < 0x80
                    #expect((Self.usual(octets, octets.count, place) != nil) == isShort, "\(type), \(value.count)")
                }
            }
        }
    }

    @Test("The walk says the same of all that are found, whatever byte is another, and wherever their parent ends")
    func agreesWithTheWalk() {
        var usual = 0
        for value in Self.values {
            for (type, place) in [(2, .receipt), (1704, .purchase)] as [(Int64, AttributePlace)] {
                let attribute = ReceiptDER.attribute(type, value) + [0x30, 0x08]
                for index in attribute.indices {
                    for byte in UInt8.min...UInt8.max {
                        var octets = attribute
                        octets[index] = byte
                        guard let found = Self.usual(octets, octets.count, place) else { continue }
                        usual += 1
                        if found != Self.walked(octets, octets.count) { Issue.record("\(type): \(byte) at \(index)") }
                    }
                    if let found = Self.usual(attribute, index, place) {
                        #expect(found == Self.walked(attribute, index))
                    }
                }
            }
        }
        // Each attribute was walked at least once with one byte of its value changed.
        #expect(usual > 1000)
    }

    @Test("Lengths in the long form, which are not the usual ones, give the same rows")
    func readsOtherForms() {
        func long(_ type: Int64, _ value: [UInt8]) -> [UInt8] {
            let octets = DER.element(0x04, value, lengthWidth: 2)
            return DER.element(0x30, DER.integer(type) + DER.integer(1) + octets, lengthWidth: 1)
        }
        let values: [(Int64, [UInt8])] = [
            (1701, DER.integer(2)), (1702, DER.utf8("com.example.coins")), (1703, DER.utf8("170000000000002")),
            (1704, DER.ia5("2026-03-01T00:00:00Z")), (1708, []), (1711, DER.integer(900_000_000_000_000_001)),
        ]
        let usual = ReceiptDER([
            ReceiptDER.attribute(2, DER.utf8("com.example")),
            ReceiptDER.purchase(values.map { ReceiptDER.attribute($0, $1) }),
        ])
        let other = ReceiptDER([
            long(2, DER.utf8("com.example")),
            DER.element(
                0x30,
                DER.integer(17) + DER.integer(1)
                    + DER.element(0x04, DER.set(values.map { long($0, $1) }), lengthWidth: 3),
                lengthWidth: 4
            ),
        ])
        let (reading, same) = (Reading(usual.der), Reading(other.der))
        #expect(reading.rejects.isEmpty && same.rejects.isEmpty)
        #expect(reading.transactions.count == 1 && reading.transactions == same.transactions)
        #expect(reading.documents == same.documents)
    }
}
