#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A source to be read, found but not opened.
public struct InputFile: Hashable, Sendable {
    /// As it was named, or as it was found in a named folder; `-` for standard input.
    public let name: String
    /// `nil` for standard input.
    let path: String?
    /// Bytes as stored, where a regular file says so.
    public let size: Int?

    /// Standard input.
    public static let standardInput = InputFile(name: "-", path: nil, size: nil)

    /// The files that the operands of a command mean, in order: `-` is standard input, a folder is its files,
    /// recursively and in the order of their names (bytewise), anything else is itself. No operand is standard input.
    ///
    /// In folders, names that begin with a dot are left alone, as `ls` does, and links to folders are not followed.
    public static func expand(_ operands: [String]) throws(InputError) -> [InputFile] {
        var files: [InputFile] = []
        for operand in operands.isEmpty ? ["-"] : operands {
            if operand == "-" {
                files.append(.standardInput)
                continue
            }
            var status = stat()
            guard stat(operand, &status) == 0 else {
                throw InputError(.missing, source: operand, reason: String(cString: strerror(errno)))
            }
            guard access(operand, R_OK) == 0 else {
                throw InputError(.missing, source: operand, reason: String(cString: strerror(errno)))
            }
            if isFolder(status) {
                try collect(folder: operand, into: &files)
            } else {
                files.append(file(operand, status))
            }
        }
        return files
    }

    private static func collect(folder: String, into files: inout [InputFile]) throws(InputError) {
        guard let stream = opendir(folder) else {
            throw InputError(.missing, source: folder, reason: String(cString: strerror(errno)))
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for name in names {
            let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0 else {
                throw InputError(.missing, source: path, reason: String(cString: strerror(errno)))
            }
            if isFolder(status) {
                try collect(folder: path, into: &files)
            } else if stat(path, &status) == 0, isRegular(status) {
                files.append(file(path, status))
            }
        }
    }

    private static func file(_ path: String, _ status: stat) -> InputFile {
        InputFile(name: path, path: path, size: isRegular(status) ? Int(status.st_size) : nil)
    }

    private static func isFolder(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFDIR }
    private static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }
}
