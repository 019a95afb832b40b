public import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What a folder holds.
public enum FolderEntries {
    /// The names in a folder, in the order of their bytes, without `.` and `..`.
    ///
    /// An error in the middle of the folder is thrown like one at its beginning: some of the names would pass for all.
    public static func names(in folder: FilePath) throws(Errno) -> [FilePath.Component] {
        guard let stream = folder.withPlatformString({ opendir($0) }) else { throw Errno(rawValue: errno) }
        defer { closedir(stream) }
        return try names(of: stream)
    }

    /// The names in a folder that is open.
    static func names(of stream: OpaquePointer) throws(Errno) -> [FilePath.Component] {
        var names: [[CChar]] = []
        while true {
            // The end and an error both give nil.
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
            // An entry has no separator in its name, unless the file system is damaged.
            guard let component = name.withUnsafeBufferPointer({ $0.baseAddress.flatMap(FilePath.Component.init) })
            else { throw .ioError }
            if component.kind == .regular { components.append(component) }
        }
        return components
    }
}
