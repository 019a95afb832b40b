import TillCore
import TillInput
import TillThreads

/// Reads a file of finance as a whole: a price list, a catalogue, exchange rates, an earlier report.
enum ReferenceFile {
    /// The bytes of a file, inflated where it is compressed.
    ///
    /// - Throws: ``RunError`` (65) if it has more than `limit` bytes, and (64) where it is a folder; ``Finding``
    ///   where it cannot be read.
    static func bytes(of path: String, option: String, limit: Int) throws -> [UInt8] {
        let bytes = try start(of: path, option: option, atLeast: limit + 1)
        try check(bytes.count, of: path, option: option, limit: limit)
        return bytes
    }

    /// Throws ``RunError`` (65) if a file has more than `limit` bytes.
    static func check(_ byteCount: Int, of path: String, option: String, limit: Int) throws(RunError) {
        guard byteCount <= limit else {
            throw RunError(.dataError, "\(path): the file is too long; \(option) takes at most \(limit) bytes")
        }
    }

    /// The first bytes of a file: `count` or some more, or all where it has fewer.
    static func start(of path: String, option: String, atLeast count: Int) throws -> [UInt8] {
        let files = try InputFile.expand([path])
        guard let only = files.first, files.count == 1 else {
            throw RunError(.usage, "\(path): \(option) takes a file, not a folder")
        }
        let reader = try InputReader(only)
        let buffer = ByteBuffer()
        while buffer.count < count {
            let got = try buffer.append(upTo: 1 << 20) { memory throws(Finding) in try reader.read(into: memory) }
            if got == 0 { break }
        }
        return buffer.withPaddedBytes { $0.extracting(0..<buffer.count).withUnsafeBytes(Array.init) }
    }
}

/// The contents of the files that options name, each of which is read once: a pipe has nothing more for a second
/// reader, and a manifest must have the digest of what the rules were made of.
final class FileContents: Sendable {
    private let known = Locked<[String: [UInt8]]>([:])

    /// The bytes of a file, as ``ReferenceFile/bytes(of:option:limit:)`` gives them.
    func bytes(of path: String, option: String, limit: Int) throws -> [UInt8] {
        if let bytes = known.withLock({ $0[path] }) {
            try ReferenceFile.check(bytes.count, of: path, option: option, limit: limit)
            return bytes
        }
        let bytes = try ReferenceFile.bytes(of: path, option: option, limit: limit)
        known.withLock { $0[path] = bytes }
        return bytes
    }
}
