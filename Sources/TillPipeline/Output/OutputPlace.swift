import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Where an output is to appear, links followed, and what is there now.
struct OutputPlace {
    /// The path, which no link ends.
    let path: FilePath
    /// What is there; `nil` where there is nothing yet.
    let status: stat?

    /// The limit of the system itself.
    private static let mostLinks = 40

    /// Follows links from `path`, also to what is not there yet.
    init(_ path: FilePath) throws(Errno) {
        var path = path
        for _ in 0..<Self.mostLinks {
            var status = stat()
            guard path.withPlatformString({ lstat($0, &status) }) == 0 else {
                guard errno == ENOENT else { throw Errno(rawValue: errno) }
                (self.path, self.status) = (path, nil)
                return
            }
            guard status.st_mode & S_IFMT == S_IFLNK else {
                (self.path, self.status) = (path, status)
                return
            }
            path = try path.removingLastComponent().pushing(Self.destination(of: path))
        }
        throw .tooManySymbolicLinkLevels
    }

    private static func destination(of link: FilePath) throws(Errno) -> FilePath {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = link.withPlatformString { readlink($0, &bytes, bytes.count - 1) }
        guard count >= 0 else { throw Errno(rawValue: errno) }
        bytes[count] = 0
        return FilePath(platformString: bytes)
    }

    var isFolder: Bool { status.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

    /// What it had is for its successor to have.
    var rights: FileRights? { status.map(FileRights.init) }

    /// The folder that it is in.
    var folder: FilePath {
        let folder = path.removingLastComponent()
        return folder.isEmpty ? "." : folder
    }

    /// An unused name beside it that cannot be guessed: the file of a run that was killed is never in the way.
    func temporaryPath() -> FilePath {
        let name = path.lastComponent.map { component in
            // With what stands around it, it must not be longer than names can be.
            component.withPlatformString { bytes in
                (0..<min(strlen(bytes), Self.mostNameBytes)).map { bytes[$0] }
            }
        }
        let suffix = ".\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).part"
        let bytes = [CChar(bitPattern: UInt8(ascii: "."))] + (name ?? []) + suffix.utf8CString
        return path.removingLastComponent().pushing(FilePath(platformString: bytes))
    }

    private static let mostNameBytes = 200

    /// Sees to it that names in the folder stay as they are now when the machine fails.
    func syncFolder() throws(Errno) {
        try Self.sync(folder)
    }

    /// Syncs a folder; one that may be written to and not be read cannot be synced, nor can those of some file systems.
    ///
    /// - Parameter rights: what it is to have from now on.
    static func sync(_ folder: FilePath, giving rights: FileRights? = nil) throws(Errno) {
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec])
        } catch let error as Errno where error == .permissionDenied {
            return
        } catch {
            throw error as? Errno ?? .ioError
        }
        // It was opened for reading only: closing it loses nothing.
        defer { try? descriptor.close() }
        try rights?.apply(to: descriptor)
        guard fsync(descriptor.rawValue) != 0, ![EINVAL, ENOTSUP].contains(errno) else { return }
        throw Errno(rawValue: errno)
    }
}

/// The mode and the owner of a file, for the one that takes its place.
struct FileRights {
    let mode: mode_t
    let owner: uid_t
    let group: gid_t

    init(_ status: stat) {
        mode = status.st_mode & 0o7777
        owner = status.st_uid
        group = status.st_gid
    }

    /// The same, for its owner only.
    var withoutOthers: FileRights { FileRights(mode: mode & 0o700, owner: owner, group: group) }

    private init(mode: mode_t, owner: uid_t, group: gid_t) {
        (self.mode, self.owner, self.group) = (mode, owner, group)
    }

    /// Gives them to a file or folder that is open.
    ///
    /// Only root may give files away: where owner or group stay those of the run, what the mode allows them is allowed
    /// to nobody that it was not meant for.
    func apply(to descriptor: FileDescriptor) throws(Errno) {
        var mode = mode
        if fchown(descriptor.rawValue, owner, group) != 0 {
            mode &= 0o777
            if fchown(descriptor.rawValue, uid_t.max, group) != 0 { mode &= ~0o070 }
        }
        var status = stat()
        // Some file systems have one mode for all and refuse to change it.
        if fstat(descriptor.rawValue, &status) == 0, status.st_mode & 0o7777 == mode { return }
        guard fchmod(descriptor.rawValue, mode) == 0 else { throw Errno(rawValue: errno) }
    }
}
