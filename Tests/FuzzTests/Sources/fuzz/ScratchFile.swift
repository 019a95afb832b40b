import Glibc

/// A file in memory with an input, removed with its value. One process has one folder, so runs beside each other do not
/// meet.
final class ScratchFile {
    static let folder: String = {
        let path = "/dev/shm/tillroll-fuzz-\(getpid())"
        mkdir(path, 0o700)
        return path
    }()

    let path: String

    init(_ bytes: [UInt8], name: String = "input") {
        path = "\(Self.folder)/\(name)"
        unlink(path)
        let descriptor = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0o600)
        require(descriptor >= 0 && write(descriptor, bytes, bytes.count) == bytes.count, "\(path) cannot be written")
        close(descriptor)
    }

    deinit { unlink(path) }

    /// The bytes of a file; `nil` where there is none.
    static func bytes(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        fstat(descriptor, &status)
        let size = Int(status.st_size)
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, size))
        }
    }
}
