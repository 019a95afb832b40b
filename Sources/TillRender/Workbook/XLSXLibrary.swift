import CXLSXWriter
import SystemPackage
import TillCore
import TillSystem

/// libxlsxwriter, loaded at its first use.
public enum XLSXLibrary {
    /// The name and the installed version; `nil` if it is not installed.
    public static var version: (name: String, version: String?) {
        ("libxlsxwriter", till_xlsx_version().map { String(cString: $0) })
    }

    private static let opened: Result<till_xlsx_functions, Finding> = {
        var functions = till_xlsx_functions()
        guard let reason = till_xlsx_open(&functions) else { return .success(functions) }
        return .failure(
            Finding(
                "render.library-missing",
                "workbooks need libxlsxwriter: \(String(cString: reason)); install it (on Debian: apt-get install libxlsxwriter\(LXW_SOVERSION)), "
                    + "or choose another format"
            )
        )
    }()

    static func functions() throws(Finding) -> till_xlsx_functions { try opened.get() }
}

/// A temporary file for the library. It has no name if the library can open such a file; else it is in a folder that
/// only the user can read.
final class ScratchFile {
    /// The path by which the library opens the file.
    let path: FilePath
    private let file: OpenFile
    /// `nil` where the file has no name.
    private let folder: FilePath?

    init() throws(Finding) {
        let parent = FileSystem.temporaryFolder
        if let unnamed = try? OpenFile(temporaryIn: parent) {
            let path = FilePath("/proc/self/fd/\(unnamed.descriptor)")
            if (try? FileSystem.checkReadable(path)) != nil {
                (self.path, file, folder) = (path, unnamed, nil)
                return
            }
            // Nothing is in it yet.
            try? unnamed.close()
        }
        let folder = parent.appending("tillroll-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))")
        path = folder.appending("report")
        self.folder = folder
        do {
            try FileSystem.makeFolder(folder, mode: 0o700)
        } catch {
            throw Self.failure("no temporary folder can be made", error)
        }
        do {
            file = try OpenFile(path, .readWrite, [.create, .exclusiveCreate], mode: 0o600)
        } catch {
            try? FileSystem.removeFolder(folder)
            throw Self.failure("no temporary file can be made", error)
        }
    }

    deinit {
        // The system removes a file without a name. Another file that cannot be removed stays in the folder of
        // temporary files.
        try? file.close()
        guard let folder else { return }
        try? FileSystem.removeFile(path)
        try? FileSystem.removeFolder(folder)
    }

    func contents() throws(Finding) -> [UInt8] {
        do throws(Errno) {
            let count = try file.status().byteCount
            try file.seek(to: 0)
            let bytes = try file.readAll(limit: count)
            guard bytes.count == count else { throw .ioError }
            return bytes
        } catch {
            throw Self.failure("a temporary file cannot be read back", error)
        }
    }

    private static func failure(_ what: String, _ error: Errno) -> Finding {
        let parent = FileSystem.temporaryFolder
        return .writeFailed("\(parent): \(what): \(error); set TMPDIR to a folder that can be written")
    }
}
