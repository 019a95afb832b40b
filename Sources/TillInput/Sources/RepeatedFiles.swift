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

    /// Divides files into the ones that are read, and the ones with the bytes of an earlier file.
    ///
    /// Only regular files with bytes are compared: by device and inode, and among files of equal length by the
    /// SHA-256 of their first 64 KiB, then of all of them. A file that is alone with its length is not opened. One that
    /// cannot be read is kept, so that reading it reports the error. Cost: files of equal length are read once more.
    public static func leavingOutRepeated(_ files: [InputFile]) -> (read: [InputFile], repeated: [Repeated]) {
        var counts: [Int: Int] = [:]
        for size in files.lazy.compactMap(\.size) where size > 0 { counts[size, default: 0] += 1 }
        guard counts.values.contains(where: { $0 > 1 }) else { return (files, []) }
        var known: [FileIdentity: InputFile] = [:]
        var alike: [CandidateFile.Beginning: [CandidateFile]] = [:]
        var (read, repeated): ([InputFile], [Repeated]) = ([], [])
        for file in files {
            var first: InputFile?
            if let size = file.size, counts[size, default: 0] > 1, let identity = file.identity, file.path != nil {
                first = known[identity]
                if first == nil {
                    let candidate = CandidateFile(file, size)
                    if let beginning = candidate.beginning {
                        first = alike[beginning]?.first { $0.equals(candidate) }?.file
                        if first == nil { alike[beginning, default: []].append(candidate) }
                    }
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

/// A file that has the length of another one.
private final class CandidateFile {
    /// The length of a file, and the hash of its first bytes.
    struct Beginning: Hashable {
        let size: Int
        let hash: [UInt8]
    }

    let file: InputFile
    private let size: Int
    /// Hashed on first use, as are all bytes; `nil` if the file cannot be read.
    private(set) lazy var beginning = hash(upTo: Self.headCount).map { Beginning(size: size, hash: $0) }
    private lazy var whole = hash(upTo: .max)

    private static let headCount = 64 << 10

    init(_ file: InputFile, _ size: Int) {
        (self.file, self.size) = (file, size)
    }

    /// Whether a file of the same ``beginning`` has the same bytes.
    func equals(_ other: CandidateFile) -> Bool { size <= Self.headCount || whole != nil && whole == other.whole }

    private func hash(upTo limit: Int) -> [UInt8]? {
        guard let path = file.path, let opened = try? OpenFile(path, .readOnly) else { return nil }
        // Nothing was written to it.
        defer { try? opened.close() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.headCount, alignment: 64)
        defer { buffer.deallocate() }
        let hash = ContentHash()
        var count = 0
        while count < limit {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, limit - count)])
            guard !Interruption.isRequested, let got = try? opened.read(into: part) else { return nil }
            if got == 0 { break }
            hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
            count += got
        }
        return hash.octets
    }
}
