import SystemPackage
import TillSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The place of an output, with links followed, and the file that is there now.
struct OutputPlace {
    /// The path; its last component is not a link.
    let path: FilePath
    /// The existing file; `nil` if there is none.
    let status: FileStatus?

    /// The limit of the system itself.
    private static let mostLinks = 40

    /// Follows links from `path`, also to a target that does not exist yet.
    init(_ path: FilePath) throws(Errno) {
        var path = path
        for _ in 0..<Self.mostLinks {
            let status = try FileSystem.linkStatusIfThere(of: path)
            guard status?.kind == .link else {
                (self.path, self.status) = (path, status)
                return
            }
            path = try path.removingLastComponent().pushing(FileSystem.destination(ofLink: path))
        }
        throw .tooManySymbolicLinkLevels
    }

    var isFolder: Bool { status?.kind == .folder }

    /// The new file gets its mode and owner.
    var rights: FileRights? { status.map(FileRights.init) }

    /// The folder that it is in.
    var folder: FilePath {
        let folder = path.removingLastComponent()
        return folder.isEmpty ? "." : folder
    }

    /// An unused random name beside it, so files of killed runs never conflict.
    func temporaryPath() -> FilePath {
        let name = path.lastComponent.map { component in
            // With prefix and suffix, it must not exceed the longest file name.
            component.withPlatformString { bytes in
                (0..<min(strlen(bytes), Self.mostNameBytes)).map { bytes[$0] }
            }
        }
        let suffix = ".\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).part"
        let bytes = [CChar(bitPattern: UInt8(ascii: "."))] + (name ?? []) + suffix.utf8CString
        return path.removingLastComponent().pushing(FilePath(platformString: bytes))
    }

    private static let mostNameBytes = 200

    /// Makes the names in the folder durable.
    func syncFolder() throws(Errno) {
        try Self.sync(folder)
    }

    /// Syncs a folder; a folder without read permission, and folders of some file systems, cannot be synced.
    ///
    /// - Parameter rights: the new permissions and owner.
    static func sync(_ folder: FilePath, giving rights: FileRights? = nil) throws(Errno) {
        let file: OpenFile
        do throws(Errno) {
            file = try OpenFile(folder, .readOnly, .directory)
        } catch {
            guard error == .permissionDenied else { throw error }
            return
        }
        // It was opened for reading only, so an error of close loses no data.
        defer { try? file.close() }
        try rights?.apply(to: file)
        do throws(Errno) {
            try file.sync()
        } catch {
            guard [.invalidArgument, .notSupported].contains(error) else { throw error }
        }
    }
}

/// The mode and the owner of a file, for the one that takes its place.
struct FileRights {
    let mode: ModeBits
    let owner: UInt32
    let group: UInt32

    init(_ status: FileStatus) {
        (mode, owner, group) = (status.mode, status.owner, status.group)
    }

    /// The same, for its owner only.
    var withoutOthers: FileRights { FileRights(mode: mode & 0o700, owner: owner, group: group) }

    private init(mode: ModeBits, owner: UInt32, group: UInt32) {
        (self.mode, self.owner, self.group) = (mode, owner, group)
    }

    /// Gives them to a file or folder that is open.
    ///
    /// Only root may change the owner of a file. If the owner cannot be set, setuid and setgid are removed; if the
    /// group cannot be set, the permissions of the group are removed too. So no other user gains access.
    func apply(to file: OpenFile) throws(Errno) {
        var mode = mode
        do {
            try file.setOwner(owner, group: group)
        } catch {
            mode &= 0o777
            do { try file.setOwner(nil, group: group) } catch { mode &= ~0o070 }
        }
        // Some file systems have one mode for all and refuse to change it.
        if let status = try? file.status(), status.mode == mode { return }
        try file.setMode(mode)
    }
}
