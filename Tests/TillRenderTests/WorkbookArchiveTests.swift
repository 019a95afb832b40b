import CZlib
import Testing

@testable import TillRender

@Suite("Whether a workbook is whole")
struct WorkbookArchiveTests {
    /// A workbook with the parts given, as an archive.
    private static func archive(_ parts: [(name: String, text: String)]) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) } }
        var (bytes, directory): ([UInt8], [UInt8]) = ([], [])
        for part in parts {
            let (data, header) = (deflate(Array(part.text.utf8)), bytes.count)
            let sizes = number(0, 4) + number(data.count, 4) + number(part.text.utf8.count, 4)
            let name = number(part.name.utf8.count, 2)
            bytes += number(0x0403_4B50, 4) + number(20, 2) + number(0, 2) + number(8, 2) + number(0, 4) + sizes + name
            bytes += number(0, 2) + Array(part.name.utf8) + data
            directory +=
                number(0x0201_4B50, 4) + number(20, 2) + number(20, 2) + number(0, 2) + number(8, 2) + number(0, 4)
            directory += sizes + name + number(0, 12) + number(header, 4) + Array(part.name.utf8)
        }
        let end = number(0x0605_4B50, 4) + number(0, 4) + number(parts.count, 2) + number(parts.count, 2)
        return bytes + directory + end + number(directory.count, 4) + number(bytes.count, 4) + number(0, 2)
    }

    private static func deflate(_ bytes: [UInt8]) -> [UInt8] {
        var (input, output) = (bytes, [UInt8](repeating: 0, count: bytes.count + 100))
        var stream = z_stream()
        deflateInit2_(&stream, 6, Z_DEFLATED, -15, 8, 0, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        let count = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                _ = CZlib.deflate(&stream, Z_FINISH)
                return target.count - Int(stream.avail_out)
            }
        }
        return Array(output[..<count])
    }

    private static let whole = "<?xml version=\"1.0\"?>\n<a b=\"/\"><c/><d>text</d></a>"

    @Test("A part that ends where its first element does is whole")
    func takesWhole() throws {
        try WorkbookArchive.check(Self.archive([("one.xml", Self.whole), ("two.rels", "<a/>")]))
        try WorkbookArchive.check(Self.archive([]))
    }

    @Test("A part that was cut anywhere is told by its name", arguments: 0..<whole.utf8.count)
    func seesCuts(_ count: Int) throws {
        let cut = String(decoding: Array(Self.whole.utf8)[..<count], as: UTF8.self)
        let archive = Self.archive([("one.xml", "<a/>"), ("two.xml", cut), ("three.xml", "<a/>")])
        #expect(throws: WorkbookArchive.Cut(part: "two.xml")) { try WorkbookArchive.check(archive) }
    }

    @Test(
        "A part that lacks a piece in its middle is not whole",
        arguments: ["<a><b></a>", "<a><b <c/></a>", "<a>b></a>"]
    )
    func seesHoles(_ text: String) throws {
        #expect(throws: WorkbookArchive.Cut.self) { try WorkbookArchive.check(Self.archive([("one.xml", text)])) }
    }

    @Test("An archive that is cut or damaged is not whole, and nothing worse")
    func seesDamage() throws {
        let archive = Self.archive([("one.xml", Self.whole), ("two.xml", Self.whole)])
        for count in 0..<archive.count {
            #expect(throws: WorkbookArchive.Cut.self) { try WorkbookArchive.check(Array(archive[..<count])) }
        }
        for place in archive.indices {
            var damaged = archive
            damaged[place] = 0xFF
            try? WorkbookArchive.check(damaged)
        }
    }
}
