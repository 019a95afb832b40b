public import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Which file a path leads to, however it is spelled and whatever links it goes through.
public struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    private init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// What there is at `path`, of any kind; `nil` where there is nothing.
    public init?(path: FilePath) {
        var status = stat()
        guard path.withPlatformString({ stat($0, &status) }) == 0 else { return nil }
        self.init(status)
    }

    /// The file, where it holds something that writing would destroy: of terminals, pipes and folders `nil`.
    init?(ofContents status: stat) {
        guard [S_IFREG, S_IFBLK].contains(status.st_mode & S_IFMT) else { return nil }
        self.init(status)
    }

    /// The file at `path` with contents to lose; `-` is standard input.
    public static func ofContents(_ path: String) -> FileIdentity? {
        guard path != "-" else { return ofContents(descriptor: STDIN_FILENO) }
        var status = stat()
        let isThere = FilePath(argument: path).withPlatformString { stat($0, &status) } == 0
        return isThere ? FileIdentity(ofContents: status) : nil
    }

    /// The file that a descriptor is of, where it has contents to lose.
    public static func ofContents(descriptor: Int32) -> FileIdentity? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? FileIdentity(ofContents: status) : nil
    }
}
