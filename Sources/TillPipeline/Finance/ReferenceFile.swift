import TillInput

/// A file that finance hands in, read as a whole: a price list, a catalogue, exchange rates, an earlier report.
enum ReferenceFile {
    /// The bytes of a file, inflated where it is compressed; one byte more than `limit` at most, so that whoever reads
    /// them can tell that there are too many.
    static func bytes(of path: String, option: String, limit: Int) throws -> [UInt8] {
        let files = try InputFile.expand([path])
        guard let only = files.first, files.count == 1 else {
            throw RunError(.usage, "\(path): \(option) takes a file, not a folder")
        }
        let reader = try InputReader(only)
        let buffer = ByteBuffer()
        while true {
            let got = try buffer.append(upTo: 1 << 20) { memory throws(InputError) in try reader.read(into: memory) }
            if got == 0 || buffer.count > limit { break }
        }
        return buffer.withPaddedBytes { $0.extracting(0..<buffer.count).withUnsafeBytes(Array.init) }
    }
}
