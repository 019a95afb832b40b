public import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The entries of a folder.
public enum FolderEntries {
    /// The names in a folder, in the order of their bytes, without `.` and `..`.
    ///
    /// - Throws: the error of the system, also if it occurs after some names were read. An incomplete list would look complete.
    public static func names(in folder: FilePath) throws(Errno) -> [FilePath.Component] {
        guard let stream = folder.withPlatformString({ opendir($0) }) else { throw Errno(rawValue: errno) }
        defer { closedir(stream) }
        return try names(of: stream)
    }

    /// The names in an open folder.
    static func names(of stream: OpaquePointer) throws(Errno) -> [FilePath.Component] {
        var names: [[CChar]] = []
        while true {
            // `readdir` returns NULL at the end and for an error; only `errno` tells them apart.
            errno = 0
            guard let entry = readdir(stream) else { break }
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
                }
            )
        }
        guard errno == 0 else { throw Errno(rawValue: errno) }
        names.sort { left, right in
            left.lazy.map(UInt8.init(bitPattern:)).lexicographicallyPrecedes(right.lazy.map(UInt8.init(bitPattern:)))
        }
        var components: [FilePath.Component] = []
        for name in names {
            // On a damaged file system, a name may contain a separator.
            guard let component = name.withUnsafeBufferPointer({ $0.baseAddress.flatMap(FilePath.Component.init) })
            else { throw .ioError }
            if component.kind == .regular { components.append(component) }
        }
        return components
    }
}
