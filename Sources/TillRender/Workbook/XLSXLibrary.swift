import CPlatform
import CXLSXWriter

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// libxlsxwriter, loaded at its first use.
public enum XLSXLibrary {
    /// Its name, and the version that is installed; `nil` where none is.
    public static var version: (name: String, version: String?) {
        ("libxlsxwriter", till_xlsx_version().map { String(cString: $0) })
    }

    private static let opened: Result<till_xlsx_functions, RenderError> = {
        var functions = till_xlsx_functions()
        guard let reason = till_xlsx_open(&functions) else { return .success(functions) }
        return .failure(
            RenderError(
                .libraryMissing,
                "workbooks need libxlsxwriter: \(String(cString: reason)); install it (on Debian: apt-get install libxlsxwriter\(LXW_SOVERSION)), "
                    + "or choose another format"
            )
        )
    }()

    static func functions() throws(RenderError) -> till_xlsx_functions { try opened.get() }
}

/// A temporary file for the library. It has no name where the library can open such a file; else it lies in a folder that only
/// the user can read.
final class ScratchFile {
    /// The path by which the library opens the file.
    let path: String
    private let descriptor: Int32
    /// `nil` where the file has no name.
    private let folder: String?
    private static var parent: String {
        getenv("TMPDIR").flatMap { $0.pointee == 0 ? nil : String(cString: $0) } ?? "/tmp"
    }

    init() throws(RenderError) {
        let unnamed = till_open_temporary(Self.parent)
        let path = "/proc/self/fd/\(unnamed)"
        if unnamed >= 0, access(path, F_OK) == 0 {
            (self.path, descriptor, folder) = (path, unnamed, nil)
            return
        }
        if unnamed >= 0 { close(unnamed) }
        var template = Array("\(Self.parent)/tillroll-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Self.failure("no temporary folder can be made") }
        let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.path = folder + "/report"
        self.folder = folder
        descriptor = open(self.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let failure = Self.failure("no temporary file can be made")
            rmdir(folder)
            throw failure
        }
    }

    deinit {
        close(descriptor)
        guard let folder else { return }
        unlink(path)
        rmdir(folder)
    }

    func contents() throws(RenderError) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("a temporary file cannot be read back") }
        let count = Int(status.st_size)
        var filled = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { memory, written in
            while filled < count {
                let got = pread(descriptor, memory.baseAddress.map { $0 + filled }, count - filled, off_t(filled))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { break }
                filled += got
            }
            written = filled
        }
        guard filled == count else { throw Self.failure("a temporary file cannot be read back") }
        return bytes
    }

    /// An error with the reason that `errno` gives.
    private static func failure(_ what: String) -> RenderError {
        let reason = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
        return RenderError(.writeFailed, "\(parent): \(what): \(reason); set TMPDIR to a folder that can be written")
    }
}
