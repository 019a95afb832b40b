import Foundation
import Testing
import TillInspect
import TillRender
import TillReportModel
import TillTestSupport

/// Hostile and broken documents are shown up to their defect, and within the limits.
@Suite("Hostile and broken documents")
struct LimitTests {
    @Test("A list of very many members is cut with a note")
    func wide() {
        let text = "{\"status\":21003,\"x\":[" + String(repeating: "1,", count: InspectionLimits.nodeCount + 10) + "1]}"
        let inspecting = Inspecting(text)
        #expect(inspecting.nodes.count <= InspectionLimits.nodeCount + 10)
        #expect(inspecting.text.contains("(limit: \(InspectionLimits.nodeCount) nodes)"))
        #expect(inspecting.documents.allSatisfy { $0.defect == nil })
    }

    @Test("Deep nesting is cut with a note")
    func deep() {
        let text =
            "{\"status\":0,\"x\":" + String(repeating: "[", count: 100) + String(repeating: "]", count: 100) + "}"
        #expect(Inspecting(text).text.contains("(limit: depth \(InspectionLimits.depth))"))
    }

    @Test("A text that holds many documents is shown whole once", arguments: [10, 40])
    func manyDocuments(_ count: Int) {
        let members = (0..<count).map { "\"k\($0)\":{\"status\":21003,\"environment\":\"Production\"}" }
        let inspecting = Inspecting("{" + members.joined(separator: ",") + "}")
        #expect(inspecting.documents.count == count)
        // Each of the documents has 3 nodes. The first shows all of them below the outer object, each other one its
        // own.
        #expect(inspecting.nodes.count == 1 + 3 * count + 3 * (count - 1))
        let note = "document 1 shows the text around this one"
        #expect(inspecting.documents.count { $0.nodes.first?.meaning == note } == count - 1)
    }

    @Test("Documents inside one another are opened to a depth")
    func nestedDocuments() {
        var text = "{\"status\":21003}"
        for _ in 0..<8 {
            text = "{\"status\":0,\"latest_receipt\":\"" + Data(text.utf8).base64EncodedString() + "\"}"
            text = text.replacing("\"latest_receipt\":\"", with: "\"body\":\"")
        }
        for _ in 0..<8 {
            let inner = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            text = "{\"status\":0,\"body\":\"\(inner)\"}"
        }
        #expect(Inspecting(text).text.contains("documents inside one another)"))
    }

    @Test("Lines fit a narrow terminal", arguments: [60, 80])
    func narrow(_ width: Int) {
        let source = "archive/2031/" + String(repeating: "long-name-", count: 9) + "receipt.b64"
        let cut = ReceiptDER.sample().der.dropLast(40)
        for bytes in [Array(cut), Array("{\"status\":0,\"receipt\":{\"in_app\":[{\"quantity\":\"x\"}]}}".utf8)] {
            let display = InspectionOptions(width: width)
            let lines = Inspecting(bytes, display: display, source: source).text.split(separator: "\n")
            // The tree keeps its columns, however narrow the terminal is.
            let texts = lines.filter { !$0.contains("─ ") && !$0.contains("  ContentInfo") }
            #expect(!texts.isEmpty && texts.allSatisfy { $0.count <= width }, "\(texts.filter { $0.count > width })")
        }
    }

    @Test("A property list that is cut shows what stands before the cut")
    func cutPropertyList() throws {
        let inspecting = Inspecting("{ \"bid\" = \"com.example\"; \"list\" = { a = 1; b = (2, ")
        let node = try #require(inspecting.node("bid"))
        #expect(node.value == .text("com.example") && node.offset == 11)
        #expect(inspecting.node("a")?.value != nil && inspecting.node("b")?.children.count == 1)
        #expect(inspecting.nodes.first?.defect?.code == "plist.truncated")
    }

    @Test("Names and values cannot act on the terminal")
    func controls() {
        let text = Inspecting("{\"status\":0,\"\\u001b[2J\":\"\\u001b]0;x\\u0007\\u202e\"}").text
        #expect(text.contains("\\u{1B}[2J"))
        #expect(text.contains("\\u{202E}"))
        #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}"))
    }

    @Test("A receipt cut anywhere shows what stands before the cut, and says where it ends")
    func cutReceipt() {
        let receipt = ReceiptDER.sample().der
        var random = SplitMix64(seed: 20_261_121)
        for _ in 0..<60 {
            let end = 40 + random.below(receipt.count - 40)
            let inspecting = Inspecting(Array(receipt[..<end]))
            #expect(inspecting.documents.count == 1, "cut at \(end)")
            #expect(inspecting.documents.first?.defect?.code == "ber.truncated", "cut at \(end)")
            let defects = inspecting.nodes.compactMap(\.defect)
            #expect(defects.contains { $0.code == "ber.truncated" && $0.offset == end }, "cut at \(end): \(defects)")
            let offsets = inspecting.nodes.compactMap(\.offset)
            #expect(offsets.allSatisfy { $0 <= end }, "cut at \(end)")
        }
    }

    @Test("An offset finds its byte where BER cuts the payload into fragments", arguments: [1, 30, 1000])
    func fragments(_ size: Int) {
        let receipt = ReceiptDER.sample().ber(fragments: size)
        let attributes = Inspecting(receipt).nodes.filter { $0.number != nil }
        #expect(attributes.count == 14)
        #expect(attributes.allSatisfy { $0.offset.map { receipt[$0] == 0x30 } ?? false })
    }

    @Test("Long values say how much is left out, and --full shows them")
    func longValues() {
        let value = String(repeating: "ab cdefg", count: 100)
        let document = Array("{\"status\":0,\"x\":\"\(value)\"}".utf8)
        let short = Inspecting(document).text
        #expect(short.contains("… +") && !short.contains(value))
        #expect(Inspecting(document, display: InspectionOptions(width: 80, showsAll: true)).text.contains(value))
        #expect(Inspecting(document).json.contains(value))
    }

    @Test("Lines fit the terminal", arguments: [60, 80, 100, 160])
    func fits(_ width: Int) throws {
        for name in ["pkcs7/receipts.b64", "verify/pretty.json", "legacy/receipts.b64", "jws/xcode.jws"] {
            let bytes = try Fixtures.bytes(Fixtures.samples.appending(path: name))
            let text = Inspecting(bytes, display: InspectionOptions(width: width)).text
            // Figures and rows are never cut; the tree is.
            let tree = text.split(separator: "\n").filter { $0.contains("─ ") && !$0.contains("certificate.refused") }
            let tooLong = tree.filter { $0.count > max(width, 100) }
            #expect(!tree.isEmpty && tooLong.isEmpty, "\(name): \(tooLong.prefix(3))")
        }
    }

    @Test("A damaged document is shown, and its output stays within bounds")
    func mutations() throws {
        try showDamaged(below: Fixtures.samples, byteBudget: 350_000)
    }

    @Test("A damaged published receipt is shown, and its output stays within bounds", .needsVectors)
    func mutationsOfPublished() throws {
        try showDamaged(below: Fixtures.vectors, byteBudget: 600_000)
    }

    /// Damages the files below `folder` in turn until they come to `byteBudget` bytes, which must be enough for each of
    /// them once.
    private func showDamaged(below folder: URL, byteBudget: Int) throws {
        let files = Fixtures.files(below: folder).filter {
            $0.pathExtension != "md" && $0.lastPathComponent != "facts.json"
        }
        try #require(!files.isEmpty)
        let corpus = try files.map { ($0.lastPathComponent, Array(try Fixtures.bytes($0).prefix(12_000))) }
        let seed: UInt64 = 20_261_121
        var random = SplitMix64(seed: seed)
        var budget = byteBudget
        var round = 0
        while budget > 0 {
            let (name, bytes) = corpus[round % corpus.count]
            let damaged = random.mutation(of: bytes)
            let inspecting = Inspecting(damaged)
            let what: Comment = "seed \(seed), round \(round), \(name)"
            #expect(throws: Never.self, what) {
                try JSONSerialization.jsonObject(with: Data(inspecting.json.utf8))
            }
            // One byte of input gives at most a node with its value in hexadecimal: a few dozen bytes of output.
            #expect(inspecting.json.utf8.count < 20_000 + damaged.count * 60, what)
            #expect(!inspecting.text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }, what)
            budget -= damaged.count + 500
            round += 1
        }
        #expect(round > corpus.count)
    }
}
