#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Permissions of a file, as `chmod` takes them.
public typealias ModeBits = UInt32

/// The status of a file, from stat(2).
public struct FileStatus: Hashable, Sendable {
    public enum Kind: Sendable {
        case regular, folder, link, pipe, socket, blockDevice, characterDevice
    }

    public let kind: Kind
    /// The size of a regular file in bytes.
    public let byteCount: Int
    public let mode: ModeBits
    public let owner: UInt32
    public let group: UInt32
    /// The device and the number of the file on it. Two paths with the same two values are one file.
    public let device: UInt64
    public let inode: UInt64

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFIFO: .pipe
            case S_IFSOCK: .socket
            case S_IFBLK: .blockDevice
            default: .characterDevice
            }
        byteCount = Int(status.st_size)
        mode = ModeBits(status.st_mode & 0o7777)
        owner = status.st_uid
        group = status.st_gid
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
