import CXLSXWriter

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// libxlsxwriter, opened when it is first needed.
enum XLSXLibrary {
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

/// A file of one's own for the time of writing, in a folder that nobody else can look into.
final class ScratchFile {
    private let folder: String
    let path: String

    init() throws(RenderError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/tillroll-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw RenderError(
                .writeFailed,
                "\(parent): no temporary folder can be made: \(Self.lastError); set TMPDIR to one that can be written"
            )
        }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        path = folder + "/report"
    }

    private static var lastError: String { strerror(errno).map { String(cString: $0) } ?? "error \(errno)" }

    deinit {
        unlink(path)
        rmdir(folder)
    }

    func contents() throws(RenderError) -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw failure() }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = fread(&piece, 1, piece.count, file)
            bytes += piece[..<count]
            if count < piece.count { break }
        }
        guard ferror(file) == 0 else { throw failure() }
        return bytes
    }

    private func failure() -> RenderError {
        RenderError(.writeFailed, "\(path): cannot be read back: \(Self.lastError)")
    }
}
