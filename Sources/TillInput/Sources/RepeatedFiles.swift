import SystemPackage
import TillCore
import TillSystem

extension InputFile {
    /// A file whose bytes an earlier file of the list has.
    public struct Repeated: Hashable, Sendable {
        /// The file that is not read.
        public let file: InputFile
        /// The first file of the list with these bytes.
        public let first: InputFile
    }

    /// Divides files into those that are read and those whose bytes an earlier one has.
    ///
    /// Only regular files with bytes are compared: by device and inode, and among files of equal length by the
    /// SHA-256 of their first 64 KiB, then of all of them. A file that is alone with its length is not opened. One that cannot
    /// be read is kept, so that reading it reports the error.
    public static func leavingOutRepeated(_ files: [InputFile]) -> (read: [InputFile], repeated: [Repeated]) {
        var counts: [Int: Int] = [:]
        for size in files.lazy.compactMap(\.size) where size > 0 { counts[size, default: 0] += 1 }
        guard counts.values.contains(where: { $0 > 1 }) else { return (files, []) }
        var known: [FileIdentity: InputFile] = [:]
        var alike: [Int: [CandidateFile]] = [:]
        var (read, repeated): ([InputFile], [Repeated]) = ([], [])
        for file in files {
            var first: InputFile?
            if let size = file.size, counts[size, default: 0] > 1, let identity = file.identity, file.path != nil {
                first = known[identity]
                if first == nil {
                    let candidate = CandidateFile(file)
                    first = alike[size]?.first { $0.equals(candidate) }?.file
                    if first == nil { alike[size, default: []].append(candidate) }
                    known[identity] = first ?? file
                }
            }
            if let first {
                repeated.append(Repeated(file: file, first: first))
            } else {
                read.append(file)
            }
        }
        return (read, repeated)
    }
}

/// A file that has the length of another one; it is hashed when that is asked for.
private final class CandidateFile {
    let file: InputFile
    /// Of its beginning; `nil` if it cannot be read.
    private lazy var head = hash(upTo: Self.headCount)
    private lazy var whole = hash(upTo: .max)

    private static let headCount = 64 << 10

    init(_ file: InputFile) {
        self.file = file
    }

    func equals(_ other: CandidateFile) -> Bool {
        guard let head, head == other.head else { return false }
        return (file.size ?? 0) <= Self.headCount || whole != nil && whole == other.whole
    }

    private func hash(upTo limit: Int) -> [UInt8]? {
        guard let path = file.path, let opened = try? OpenFile(path, .readOnly) else { return nil }
        // Nothing was written to it.
        defer { try? opened.close() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.headCount, alignment: 64)
        defer { buffer.deallocate() }
        let hash = ContentHash()
        var count = 0
        while count < limit {
            guard !Interruption.isRequested, let got = try? opened.read(into: buffer) else { return nil }
            if got == 0 { break }
            hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
            count += got
        }
        return hash.octets
    }
}
