import CZlib

/// Checks that no part of a workbook is truncated.
///
/// The library collects each part of a workbook in a temporary file and reads it back into the archive. It takes a
/// failed read for the end of the file, so that a valid archive may contain a truncated part. All parts are XML
/// (ECMA-376 part 2): a part is complete if all its elements are closed.
enum WorkbookArchive {
    /// A truncated part.
    struct Cut: Error, Equatable {
        let part: String
    }

    /// Throws for the first truncated part. Inflates all parts without keeping them.
    static func check(_ bytes: [UInt8]) throws(Cut) {
        var archive = ZipReader(bytes)
        while let part = try archive.next() {
            guard let data = archive.data(of: part), isWhole(data, part.size) else { throw Cut(part: part.name) }
        }
    }

    /// Whether a part has the declared size and closes all its elements.
    private static func isWhole(_ data: ArraySlice<UInt8>, _ size: Int) -> Bool {
        var stream = z_stream()
        // A negative number of window bits means a stream without a header.
        guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return false
        }
        defer { inflateEnd(&stream) }
        var tags = TagCounter()
        var total = 0
        let isEnded = data.withUnsafeBufferPointer { input in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 << 16) { output in
                var given = 0
                while true {
                    if stream.avail_in == 0 {
                        // zlib counts in 32 bits. It declares its input as mutable, but does not change it.
                        let piece = input[given...].prefix(1 << 20)
                        stream.next_in = UnsafeMutablePointer(
                            mutating: UnsafeBufferPointer(rebasing: piece).baseAddress
                        )
                        stream.avail_in = UInt32(piece.count)
                        given += piece.count
                    }
                    stream.next_out = output.baseAddress
                    stream.avail_out = UInt32(output.count)
                    let status = inflate(&stream, Z_NO_FLUSH)
                    let written = output.count - Int(stream.avail_out)
                    total += written
                    tags.update(UnsafeBufferPointer(rebasing: output[..<written]))
                    guard status == Z_OK else { return status == Z_STREAM_END }
                }
            }
        }
        return isEnded && total == size && tags.isBalanced
    }
}

/// Counts the open elements of XML as the library writes it: without comments and CDATA sections, and with `<` and `>`
/// in tags only.
struct TagCounter {
    private var depth = 0
    private var isInTag = false
    /// The first byte within the tag, and the last one so far.
    private var first: UInt8 = 0
    private var last: UInt8 = 0
    private var isBroken = false
    private var hasElement = false

    var isBalanced: Bool { hasElement && !isBroken && !isInTag && depth == 0 }

    mutating func update(_ bytes: UnsafeBufferPointer<UInt8>) {
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "<"):
                isBroken = isBroken || isInTag
                isInTag = true
                first = 0
            case UInt8(ascii: ">"):
                isBroken = isBroken || !isInTag
                isInTag = false
                endTag()
            default:
                if first == 0 { first = byte }
                last = byte
            }
        }
    }

    private mutating func endTag() {
        // The declaration of XML begins with a question mark.
        guard first != UInt8(ascii: "?") else { return }
        hasElement = true
        if first == UInt8(ascii: "/") { depth -= 1 } else if last != UInt8(ascii: "/") { depth += 1 }
        isBroken = isBroken || depth < 0
    }
}

/// Reads the parts of an archive from its central directory (APPNOTE.TXT §4.3).
struct ZipReader {
    struct Part {
        let name: String
        /// The inflated size in bytes.
        fileprivate(set) var size: Int
        fileprivate var deflatedSize: Int
        fileprivate var header: Int
    }

    private let bytes: [UInt8]
    /// The offset of the next entry of the directory; `nil` where there is no directory.
    private var offset: Int?
    private var entriesLeft = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // The library writes no comment after the end record of the directory.
        let end = bytes.count - 22
        guard end >= 0, number(at: end, 4) == 0x0605_4B50, let entries = number(at: end + 10, 2),
            let start = number(at: end + 16, 4)
        else { return }
        (offset, entriesLeft) = (start, entries)
        // Archives of more than 4 GiB or 65,535 parts have a ZIP64 end record.
        if start == 0xFFFF_FFFF || entries == 0xFFFF, number(at: end - 20, 4) == 0x0706_4B50,
            let long = number(at: end - 12, 8), let entries = number(at: long + 32, 8),
            let start = number(at: long + 48, 8)
        {
            (offset, entriesLeft) = (start, entries)
        }
    }

    /// A little-endian number of `count` bytes; `nil` past the end.
    private func number(at offset: Int, _ count: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - count else { return nil }
        let value = bytes[offset..<offset + count].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return Int(exactly: value)
    }

    /// The next part; throws where the directory is truncated.
    mutating func next() throws(WorkbookArchive.Cut) -> Part? {
        let damage = WorkbookArchive.Cut(part: "the directory")
        guard let start = offset else { throw damage }
        guard entriesLeft > 0 else { return nil }
        guard number(at: start, 4) == 0x0201_4B50, let deflatedSize = number(at: start + 20, 4),
            let size = number(at: start + 24, 4), let nameCount = number(at: start + 28, 2),
            let extraCount = number(at: start + 30, 2), let commentCount = number(at: start + 32, 2),
            let header = number(at: start + 42, 4), start + 46 + nameCount + extraCount <= bytes.count
        else { throw damage }
        let name = String(decoding: bytes[start + 46..<start + 46 + nameCount], as: UTF8.self)
        var part = Part(name: name, size: size, deflatedSize: deflatedSize, header: header)
        // Values that do not fit 32 bits are in the extra field, in this order.
        var long = start + 46 + nameCount + 4
        for value in [\Part.size, \.deflatedSize, \.header] where part[keyPath: value] == 0xFFFF_FFFF && extraCount > 0
        {
            guard let number = number(at: long, 8) else { throw damage }
            part[keyPath: value] = number
            long += 8
        }
        entriesLeft -= 1
        offset = start + 46 + nameCount + extraCount + commentCount
        return part
    }

    /// The bytes of a part as they are stored.
    func data(of part: Part) -> ArraySlice<UInt8>? {
        guard number(at: part.header, 4) == 0x0403_4B50, number(at: part.header + 8, 2) == 8,
            let nameCount = number(at: part.header + 26, 2), let extraCount = number(at: part.header + 28, 2)
        else { return nil }
        let start = part.header + 30 + nameCount + extraCount
        guard part.deflatedSize <= bytes.count, start <= bytes.count - part.deflatedSize else { return nil }
        return bytes[start..<start + part.deflatedSize]
    }
}
