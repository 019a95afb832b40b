import CPlatform
public import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Temporary files without a name, readable by their owner only. The system removes them when the run ends, also when the run is
/// killed.
public enum UnnamedFile {
    /// The folder of these files: `TMPDIR`, or `/tmp` where it is not set or empty.
    public static var folder: FilePath {
        guard let named = getenv("TMPDIR"), named.pointee != 0 else { return "/tmp" }
        return FilePath(platformString: named)
    }

    /// Opens a new file for reading and writing.
    public static func open() throws(Errno) -> FileDescriptor {
        let number = folder.withPlatformString { till_open_temporary($0) }
        guard number >= 0 else { throw Errno(rawValue: errno) }
        return FileDescriptor(rawValue: number)
    }
}
