import Testing
import TillCore
import TillReceipts
import TillReportModel

@testable import TillInspect

@Suite("Walk over BER along a table")
struct BERWalkTests {
    static let table = [
        BERField(0xA0, .hidden, .optional()),
        BERField(0x02, "number", .value),
        BERField(0x0C, "text", .value, .optional(absent: "no text")),
        BERField(nil, .choice([BERField(0x04, "bytes", .octets), BERField(nil, .element)]), .repeated()),
    ]

    /// The node of a type that has the fields of the table; its contents stand at `base` in the document.
    private static func node(_ contents: [UInt8], at base: Int = 10, end: Int = .max) -> InspectedNode {
        var node = InspectedNode("type")
        var walk = BERWalk(MappedOctets(contents, at: base), end: end, in: InspectionContext(options: .init()))
        do throws(Finding) {
            try walk.walk(table, BERCursor(contents.span.bytes), into: &node)
        } catch {
            walk.fail(error, &node)
        }
        return node
    }

    @Test("An element has the name and the kind of value that its line says, and its offset in the document")
    func names() {
        let node = Self.node([0xA0, 0, 0x02, 1, 5, 0x0C, 1, 0x61, 0x04, 1, 0xFF, 0x05, 0])
        #expect(node.children.map(\.name) == ["number", "text", "bytes", "NULL"])
        #expect(node.children.map(\.value) == [.number("5"), .text("a"), .octets([0xFF]), .null])
        #expect(node.children.map(\.offset) == [12, 15, 18, 21])
        #expect(node.children.map(\.length) == [3, 3, 3, 2])
        #expect(node.defect == nil)
    }

    @Test("An optional field that is absent is not shown, or is shown with the meaning of its line")
    func absent() {
        let node = Self.node([0x02, 1, 5, 0x04, 0])
        #expect(node.children.map(\.name) == ["number", "text", "bytes"])
        #expect(node.children.map(\.meaning) == [nil, "no text", nil])
    }

    @Test("An element of another tag ends the walk with a defect at its offset")
    func otherTag() {
        let node = Self.node([0xA0, 0, 0x04, 0])
        #expect(node.children.isEmpty)
        #expect(node.defect?.code == "ber.unexpected-tag" && node.defect?.offset == 12)
    }

    @Test("Elements behind the end of the document are not shown")
    func end() {
        let node = Self.node([0x02, 1, 5, 0x0C, 0, 0x04, 0, 0x04, 0, 0, 0], end: 17)
        #expect(node.children.map(\.name) == ["number", "text", "bytes"])
        #expect(node.defect?.code == "ber.truncated" && node.defect?.offset == 17)
    }
}
