import TillInput

/// Files beside the input that are read whole: price lists, certificates.
enum SmallFile {
    /// The bytes of the one file that `path` names, which may be compressed; more than `limit` of them are cut, so that
    /// whoever parses them sees that there are too many.
    static func octets(of path: String, for option: String, limit: Int) throws -> [UInt8] {
        let files = try InputFile.expand([path])
        guard let only = files.first, files.count == 1 else {
            throw RunError(.usage, "\(path): \(option) takes one file")
        }
        let reader = try InputReader(only)
        let buffer = ByteBuffer()
        while true {
            let got = try buffer.append(upTo: 1 << 20) { memory throws(InputError) in try reader.read(into: memory) }
            if got < 1 << 20 || buffer.count > limit { break }
        }
        return buffer.withPaddedBytes { $0.extracting(0..<buffer.count).withUnsafeBytes(Array.init) }
    }
}
