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
    /// The type of a file, from `st_mode`; an unknown type counts as a character device.
    public enum Kind: Sendable {
        case regular, folder, link, pipe, socket, blockDevice, characterDevice
    }

    /// The type of the file; ``Kind/link`` only if the link was not followed (lstat(2)).
    public let kind: Kind
    /// The size of a regular file in bytes.
    public let byteCount: Int
    /// The lowest 12 bits of `st_mode`: permissions, set-user-ID, set-group-ID and sticky bit.
    public let mode: ModeBits
    /// The id of the user who owns the file (`st_uid`).
    public let owner: UInt32
    /// The id of the group of the file (`st_gid`).
    public let group: UInt32
    /// The device of the file (`st_dev`). Two paths with the same device and ``inode`` are one file.
    public let device: UInt64
    /// The number of the file on its device (`st_ino`).
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
