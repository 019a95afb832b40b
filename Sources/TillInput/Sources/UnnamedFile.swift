import CPlatform
public import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Files without a name in `TMPDIR`, else `/tmp`, readable by their owner only: the system takes them away when the run ends, also
/// when it is killed.
public enum UnnamedFile {
    /// Where they are.
    public static var folder: FilePath {
        guard let named = getenv("TMPDIR"), named.pointee != 0 else { return "/tmp" }
        return FilePath(platformString: named)
    }

    /// Opens a new one, to be read and written.
    public static func open() throws(Errno) -> FileDescriptor {
        let number = folder.withPlatformString { till_open_temporary($0) }
        guard number >= 0 else { throw Errno(rawValue: errno) }
        return FileDescriptor(rawValue: number)
    }
}
