import SystemPackage
import TillSystem

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
    let status: FileStatus?

    /// The limit of the system itself.
    private static let mostLinks = 40

    /// Follows links from `path`, also to what is not there yet.
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
        let file: OpenFile
        do throws(Errno) {
            file = try OpenFile(folder, .readOnly, .directory)
        } catch {
            guard error == .permissionDenied else { throw error }
            return
        }
        // It was opened for reading only: closing it loses nothing.
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
    /// Only root may give files away: where owner or group stay those of the run, what the mode allows them is allowed
    /// to nobody that it was not meant for.
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
