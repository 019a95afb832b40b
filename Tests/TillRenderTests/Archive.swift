import CZlib
import Testing

/// The files in a ZIP archive (PKWARE's APPNOTE), read by way of its central directory.
struct Archive {
    private(set) var names: [String] = []
    private var files: [String: [UInt8]] = [:]
    /// The dates of all entries, in the form of MS-DOS.
    private(set) var dates: Set<Int> = []

    init(_ bytes: [UInt8]) throws {
        func number(_ offset: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
        }
        let end = try #require((0...bytes.count - 22).last { number($0, 4) == 0x0605_4B50 })
        var entry = number(end + 16, 4)
        for _ in 0..<number(end + 10, 2) {
            try #require(number(entry, 4) == 0x0201_4B50)
            let (stored, size, start) = (number(entry + 20, 4), number(entry + 24, 4), number(entry + 42, 4))
            let (nameLength, extraLength) = (number(entry + 28, 2), number(entry + 30, 2))
            let name = String(decoding: bytes[(entry + 46)..<(entry + 46 + nameLength)], as: UTF8.self)
            let data = start + 30 + number(start + 26, 2) + number(start + 28, 2)
            let content = Array(bytes[data..<(data + stored)])
            names.append(name)
            files[name] = number(entry + 10, 2) == 0 ? content : try Self.inflate(content, size: size)
            dates.insert(number(entry + 14, 2))
            entry += 46 + nameLength + extraLength + number(entry + 32, 2)
        }
    }

    func bytes(_ name: String) throws -> [UInt8] { try #require(files[name]) }

    func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

    private static func inflate(_ bytes: [UInt8], size: Int) throws -> [UInt8] {
        var output = [UInt8](repeating: 0, count: size)
        var input = bytes
        var stream = z_stream()
        try #require(inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK)
        defer { inflateEnd(&stream) }
        let status = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                return CZlib.inflate(&stream, Z_FINISH)
            }
        }
        try #require(status == Z_STREAM_END)
        return output
    }
}
