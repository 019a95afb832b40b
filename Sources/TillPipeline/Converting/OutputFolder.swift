import SystemPackage
import TillInput
import TillRows

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder of tables that appears whole or not at all: filled under another name, then renamed.
///
/// A folder that is there already is replaced if it holds nothing but tables; anything else in it belongs to somebody.
final class OutputFolder {
    private let path: String
    private let temporaryPath: String
    private var isFinished = false

    init(_ path: String) throws(RunError) {
        try Self.check(path)
        let target = Self.withoutSlash(path)
        self.path = target
        let slash = target.lastIndex(of: "/").map { target.index(after: $0) } ?? target.startIndex
        temporaryPath = target[..<slash] + ".\(target[slash...]).\(getpid()).part"
        try UnfinishedFiles.make(temporaryPath) { [temporaryPath] () throws(RunError) in
            guard mkdir(temporaryPath, 0o755) == 0 else {
                throw RunError(.cannotCreate, "\(path): cannot be created: \(Errno(rawValue: errno))")
            }
        }
    }

    private static func withoutSlash(_ path: String) -> String {
        var target = path
        while target.count > 1, target.hasSuffix("/") { target.removeLast() }
        return target
    }

    /// Finds out whether what is at `path`, if anything, is a folder that may be replaced.
    private static func check(_ path: String) throws(RunError) {
        let target = withoutSlash(path)
        var status = stat()
        guard stat(target, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw RunError(.cannotCreate, "\(path): is a file; name a folder")
        }
        if let stranger = try names(in: target).first(where: { !ours.contains($0) }) {
            throw RunError(
                .cannotCreate,
                "\(path): holds \(stranger), which is no table; name another folder, or one that is empty"
            )
        }
    }

    /// The files that go when the folder is replaced; none where there is no folder yet.
    static func filesReplaced(at path: String) throws -> [InputFile] {
        try check(path)
        return exists(path) ? try InputFile.expand([path]) : []
    }

    deinit {
        guard !isFinished else { return }
        UnfinishedFiles.settle(temporaryPath) { UnfinishedFiles.remove(temporaryPath) }
    }

    /// Whether there is a folder of this name.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// What a folder of tables may hold.
    private static let ours = Set(TableName.allCases.flatMap { [$0.rawValue, "\($0.rawValue).parquet"] })

    /// Where a file of the folder is to be written for now.
    func path(of name: String) -> String { temporaryPath + "/" + name }

    /// Makes a folder in the folder.
    func makeFolder(_ name: String) throws(RunError) {
        try UnfinishedFiles.make(temporaryPath) { () throws(RunError) in
            guard mkdir(path(of: name), 0o755) == 0 || errno == EEXIST else {
                throw RunError(.cannotCreate, "\(path)/\(name): cannot be created: \(Errno(rawValue: errno))")
            }
        }
    }

    /// Gives the folder its name.
    func finish() throws(RunError) {
        try UnfinishedFiles.settle(temporaryPath) { () throws(RunError) in
            // Two names cannot be exchanged in one step everywhere, so what was there goes aside first.
            let old = temporaryPath + ".old"
            let wasThere = rename(path, old) == 0
            guard rename(temporaryPath, path) == 0 else {
                let reason = Errno(rawValue: errno)
                if wasThere { _ = rename(old, path) }
                throw RunError(.inputOutputError, "\(path): cannot be written: \(reason)")
            }
            isFinished = true
            if wasThere { UnfinishedFiles.remove(old) }
        }
    }

    static func names(in folder: String) throws(RunError) -> [String] {
        guard let stream = opendir(folder) else {
            throw RunError(.cannotCreate, "\(folder): cannot be read: \(Errno(rawValue: errno))")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
