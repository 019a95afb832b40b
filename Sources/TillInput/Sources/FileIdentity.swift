public import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The identity of a file: its device and inode. All paths and links to one file give the same identity.
public struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    private init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// The identity of the file of any kind at `path`, links followed; `nil` where there is none or it cannot be examined.
    public init?(path: FilePath) {
        var status = stat()
        guard path.withPlatformString({ stat($0, &status) }) == 0 else { return nil }
        self.init(status)
    }

    /// The identity of a file whose contents writing would destroy: a regular file or a block device; `nil` for all others.
    init?(ofContents status: stat) {
        guard [S_IFREG, S_IFBLK].contains(status.st_mode & S_IFMT) else { return nil }
        self.init(status)
    }

    /// The same for the file at `path`; `-` is standard input.
    public static func ofContents(_ path: String) -> FileIdentity? {
        guard path != "-" else { return ofContents(descriptor: STDIN_FILENO) }
        var status = stat()
        let isThere = FilePath(argument: path).withPlatformString { stat($0, &status) } == 0
        return isThere ? FileIdentity(ofContents: status) : nil
    }

    /// The same for an open file.
    public static func ofContents(descriptor: Int32) -> FileIdentity? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? FileIdentity(ofContents: status) : nil
    }
}
