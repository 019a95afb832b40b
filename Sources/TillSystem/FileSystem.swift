import CPlatform
public import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Calls about paths. A call that a signal interrupts is made again.
public enum FileSystem {
    /// The folder of temporary files: `TMPDIR`, or `/tmp` if that is not set or empty.
    public static var temporaryFolder: FilePath {
        guard let named = getenv("TMPDIR"), named.pointee != 0 else { return "/tmp" }
        return FilePath(platformString: named)
    }

    /// The status of the file at a path; links are followed.
    public static func status(of path: FilePath) throws(Errno) -> FileStatus {
        var status = stat()
        try SystemCall(.stat, path).perform { _ in path.call { stat($0, &status) } }
        return FileStatus(status)
    }

    /// The same; `nil` if there is no file.
    public static func statusIfThere(of path: FilePath) throws(Errno) -> FileStatus? {
        try ifThere { () throws(Errno) in try status(of: path) }
    }

    /// The status of the file or link at a path; `nil` if there is none.
    public static func linkStatusIfThere(of path: FilePath) throws(Errno) -> FileStatus? {
        try ifThere { () throws(Errno) in try linkStatus(of: path) }
    }

    private static func ifThere(_ status: () throws(Errno) -> FileStatus) throws(Errno) -> FileStatus? {
        do throws(Errno) {
            return try status()
        } catch {
            guard error == .noSuchFileOrDirectory || error == .notDirectory else { throw error }
            return nil
        }
    }

    /// The status of the file or link at a path; a link is not followed.
    public static func linkStatus(of path: FilePath) throws(Errno) -> FileStatus {
        var status = stat()
        try SystemCall(.lstat, path).perform { _ in path.call { lstat($0, &status) } }
        return FileStatus(status)
    }

    /// Throws if this process may not read the file.
    public static func checkReadable(_ path: FilePath) throws(Errno) {
        try SystemCall(.access, path).perform { _ in path.call { access($0, R_OK) } }
    }

    /// Throws if this process may not write the file.
    public static func checkWritable(_ path: FilePath) throws(Errno) {
        try SystemCall(.access, path).perform { _ in path.call { access($0, W_OK) } }
    }

    /// The path in a link, which may be relative.
    public static func destination(ofLink link: FilePath) throws(Errno) -> FilePath {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = try SystemCall(.readlink, link).perform { _ in
            link.withPlatformString { readlink($0, &bytes, bytes.count - 1) }
        }
        bytes[count] = 0
        return FilePath(platformString: bytes)
    }

    /// Whether a path is a mount point; also `false` if the system does not tell.
    public static func isMountPoint(_ path: FilePath) -> Bool {
        let answer = try? SystemCall(.statx, path).perform { _ in path.call(till_is_mount_point) }
        return answer == 1
    }

    /// The names in a folder, `.` and `..` among them, in no order, each with a zero byte at its end.
    ///
    /// - Throws: also if an error occurs after some names were read. An incomplete list would look complete.
    public static func names(in folder: FilePath) throws(Errno) -> [[CChar]] {
        var opened: OpaquePointer?
        try SystemCall(.opendir, folder).perform { _ in
            opened = folder.withPlatformString { opendir($0) }
            return opened == nil ? -1 : 0
        }
        guard let stream = opened else { return [] }
        defer { closedir(stream) }
        var names: [[CChar]] = []
        while true {
            let isThere = try SystemCall(.readdir, folder).perform { _ in
                // `readdir` returns NULL at the end and for an error; only `errno` tells them apart.
                errno = 0
                guard let entry = readdir(stream) else { return errno == 0 ? 0 : -1 }
                names.append(
                    withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                        bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
                    }
                )
                return 1
            }
            if isThere == 0 { return names }
        }
    }

    /// Makes a folder in an existing one.
    ///
    /// - Parameter mode: the permissions, less those that the umask removes.
    public static func makeFolder(_ path: FilePath, mode: ModeBits) throws(Errno) {
        try SystemCall(.mkdir, path).perform { _ in path.call { mkdir($0, mode_t(mode)) } }
    }

    /// Removes an empty folder.
    public static func removeFolder(_ path: FilePath) throws(Errno) {
        try SystemCall(.rmdir, path).perform { _ in path.call(rmdir) }
    }

    /// Removes a name of a file.
    public static func removeFile(_ path: FilePath) throws(Errno) {
        try SystemCall(.unlink, path).perform { _ in path.call(unlink) }
    }

    /// Gives a file or folder another name atomically, replacing a file of that name.
    public static func move(_ path: FilePath, to target: FilePath) throws(Errno) {
        try SystemCall(.rename, path, to: target).perform { _ in
            path.call { from in target.withPlatformString { rename(from, $0) } }
        }
    }

    /// Exchanges the files or folders at two paths atomically.
    public static func exchange(_ one: FilePath, _ other: FilePath) throws(Errno) {
        try SystemCall(.exchange, one, to: other).perform { _ in
            one.call { first in other.withPlatformString { till_exchange(first, $0) } }
        }
    }

    /// Gives a file a second name. No file of that name may exist.
    public static func link(_ path: FilePath, to target: FilePath) throws(Errno) {
        try SystemCall(.link, path, to: target).perform { _ in
            path.call { from in target.withPlatformString { call_link(from, $0) } }
        }
    }

    /// Gives a name to a file that ``OpenFile/init(unnamedIn:mode:)`` opened. No file of that name may exist.
    public static func name(_ file: OpenFile, _ path: FilePath) throws(Errno) {
        var call = SystemCall(.linkUnnamed, path)
        call.descriptor = file.descriptor
        try call.perform { call in path.call { till_link_unnamed(call.descriptor, $0) } }
    }
}

private func call_link(_ path: UnsafePointer<CChar>, _ target: UnsafePointer<CChar>) -> Int32 { link(path, target) }
