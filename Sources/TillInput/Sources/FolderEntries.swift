public import SystemPackage
import TillSystem

/// The entries of a folder.
public enum FolderEntries {
    /// The names in a folder, in the order of their bytes, without `.` and `..`.
    ///
    /// - Throws: the error of the system, also if it occurs after some names were read. An incomplete list would look
    ///   complete.
    public static func names(in folder: FilePath) throws(Errno) -> [FilePath.Component] {
        let names = try FileSystem.names(in: folder).sorted { left, right in
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
