import TillCore
import TillInput

/// A kind of file that tillroll does not read: an archive, a compression, a workbook, an image.
struct ForeignContainer {
    /// As a sentence goes on: `an Excel workbook (.xlsx)`.
    let name: String
    /// How its data can be read, as an order: `save the sheet as CSV`.
    private let advice: String
    /// The bytes that it has at these offsets.
    private let signs: [(offset: Int, bytes: [UInt8])]
    /// Text among its first bytes that tells it from other containers with the same signs.
    private let mark: [UInt8]

    private init(_ name: String, _ signs: (Int, [UInt8])..., mark: String = "", advice: String) {
        (self.name, self.signs, self.advice, self.mark) = (name, signs, advice, Array(mark.utf8))
    }

    private static let zip: [UInt8] = [0x50, 0x4B, 0x03, 0x04]
    private static let sheet = "save the sheet as CSV"
    private static let rows = "export its rows as NDJSON or CSV"
    private static let picture = "export the data that it shows as CSV or JSON"

    private static func compression(_ name: String, _ signs: (Int, [UInt8]), _ command: String) -> ForeignContainer {
        ForeignContainer("compressed with \(name)", signs, advice: piping(command))
    }

    private static func piping(_ command: String) -> String { "unpack it first: pipe what '\(command)' prints" }

    private static let all = [
        ForeignContainer("an Excel workbook (.xlsx)", (0, zip), mark: "xl/work", advice: sheet),
        ForeignContainer(
            "an OpenDocument spreadsheet (.ods)",
            (0, zip),
            mark: "opendocument.spreadsheet",
            advice: sheet
        ),
        ForeignContainer("a Numbers spreadsheet", (0, zip), mark: "Index/Document.iwa", advice: sheet),
        ForeignContainer("a Word document (.docx)", (0, zip), mark: "word/document.xml", advice: picture),
        ForeignContainer("a zip archive", (0, zip), advice: piping("unzip -p")),
        ForeignContainer(
            "a zip archive without files",
            (0, [0x50, 0x4B, 0x05, 0x06]),
            advice: "look for the right one"
        ),
        ForeignContainer("a zip archive in parts", (0, [0x50, 0x4B, 0x07, 0x08]), advice: piping("unzip -p")),
        ForeignContainer(
            "an old Excel workbook (.xls) or Office file",
            (0, [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1]),
            advice: sheet
        ),
        ForeignContainer("a 7z archive", (0, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]), advice: piping("7z x -so")),
        ForeignContainer("a RAR archive", (0, Array("Rar!\u{1A}\u{7}".utf8)), advice: piping("unrar p -inul")),
        ForeignContainer("a tar archive", (257, Array("ustar".utf8)), advice: piping("tar -xOf")),
        compression("xz", (0, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]), "xz -dc"),
        // The level of compression is between the two signs.
        ForeignContainer(
            "compressed with bzip2",
            (0, Array("BZh".utf8)),
            (4, [0x31, 0x41, 0x59, 0x26, 0x53, 0x59]),
            advice: piping("bzip2 -dc")
        ),
        compression("lz4", (0, [0x04, 0x22, 0x4D, 0x18]), "lz4 -dc"),
        compression("lzip", (0, Array("LZIP\u{1}".utf8)), "lzip -dc"),
        compression("compress", (0, [0x1F, 0x9D]), "gzip -dc"),
        compression("snappy", (0, [0xFF, 0x06, 0x00, 0x00, 0x73, 0x4E, 0x61, 0x50, 0x70, 0x59]), "snzip -dc"),
        ForeignContainer(
            "a binary property list",
            (0, Array("bplist0".utf8)),
            advice: "pipe what 'plutil -convert xml1 -o -' prints"
        ),
        ForeignContainer("a PDF document", (0, Array("%PDF-".utf8)), advice: picture),
        ForeignContainer("an image (PNG)", (0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A]), advice: picture),
        ForeignContainer("an image (JPEG)", (0, [0xFF, 0xD8, 0xFF]), advice: picture),
        ForeignContainer("an image (GIF)", (0, Array("GIF8".utf8)), advice: picture),
        ForeignContainer("an image (WebP)", (0, Array("RIFF".utf8)), (8, Array("WEBP".utf8)), advice: picture),
        ForeignContainer("an image (TIFF)", (0, [0x49, 0x49, 0x2A, 0x00]), advice: picture),
        ForeignContainer("an image (TIFF)", (0, [0x4D, 0x4D, 0x00, 0x2A]), advice: picture),
        ForeignContainer("an image or video (HEIC, MP4)", (0, [0x00, 0x00]), (4, Array("ftyp".utf8)), advice: picture),
        ForeignContainer("a SQLite database", (0, Array("SQLite format 3\u{0}".utf8)), advice: rows),
        ForeignContainer("an Avro file", (0, Array("Obj\u{1}".utf8)), advice: rows),
        ForeignContainer("an ORC file", (0, Array("ORC".utf8)), (3, [0x08]), advice: rows),
        ForeignContainer("an Arrow file", (0, Array("ARROW1\u{0}".utf8)), advice: rows),
    ]

    /// The kind of a source by its first bytes.
    static func recognize(_ bytes: RawSpan) -> ForeignContainer? {
        all.first { kind in
            kind.signs.allSatisfy { sign in
                let end = sign.offset + sign.bytes.count
                return end <= bytes.byteCount && bytes.firstIndex(of: sign.bytes, from: sign.offset, to: end) != nil
            }
                && (kind.mark.isEmpty || bytes.firstIndex(of: kind.mark, from: 0, to: bytes.byteCount) != nil)
        }
    }

    /// The error for a source that is one: `dump.xlsx is an Excel workbook (.xlsx): save the sheet as CSV`.
    func finding(of source: String) -> Finding {
        let name = source == "-" ? "standard input" : source
        return Finding("input.container", "\(name) is \(self.name): \(advice)")
    }
}
