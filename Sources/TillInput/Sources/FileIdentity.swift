public import SystemPackage
public import TillSystem

/// The identity of a file: its device and inode. All paths and links to one file give the same identity.
public struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Takes the device and the inode from the status of a file of any kind.
    public init(_ status: FileStatus) {
        (device, inode) = (status.device, status.inode)
    }

    /// The identity of the file of any kind at `path`, links followed; `nil` where there is none.
    ///
    /// - Throws: where the file cannot be examined, as do the functions below. A file that is taken for none could be
    ///   overwritten.
    public init?(path: FilePath) throws(Errno) {
        guard let status = try FileSystem.statusIfThere(of: path) else { return nil }
        self.init(status)
    }

    /// The identity of a file whose contents writing would destroy: a regular file or a block device; `nil` for all
    /// others.
    init?(ofContents status: FileStatus) {
        guard status.kind == .regular || status.kind == .blockDevice else { return nil }
        self.init(status)
    }

    /// The same for the file at `path`; `-` is standard input.
    public static func ofContents(_ path: String) throws(Errno) -> FileIdentity? {
        guard path != "-" else { return try ofContents(.standardInput) }
        return try FileSystem.statusIfThere(of: FilePath(argument: path)).flatMap(FileIdentity.init(ofContents:))
    }

    /// The same for an open file.
    public static func ofContents(_ file: OpenFile) throws(Errno) -> FileIdentity? {
        FileIdentity(ofContents: try file.status())
    }
}
