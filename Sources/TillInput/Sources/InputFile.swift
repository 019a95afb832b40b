import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A source that was found and is not open yet.
public struct InputFile: Hashable, Sendable {
    /// The operand, or the path below an operand that is a folder; `-` for standard input. Bytes that are not UTF-8 are
    /// written in hexadecimal: `caf\xE9.json`.
    public let name: String
    /// `nil` for standard input.
    let path: FilePath?
    /// The size of a regular file in bytes, before decompression; `nil` for other sources.
    public let size: Int?

    /// The identity of a file whose contents an output could overwrite; `nil` for pipes and terminals.
    public let identity: FileIdentity?

    /// Standard input.
    public static let standardInput = InputFile(
        name: "-",
        path: nil,
        size: nil,
        identity: FileIdentity.ofContents(descriptor: STDIN_FILENO)
    )

    /// The same source under another name.
    public func named(_ name: String) -> InputFile {
        InputFile(name: name, path: path, size: size, identity: identity)
    }

    /// An entry of a folder that is not read.
    public struct PassedOver: Hashable, Sendable {
        public var name: String
        /// The kind of entry, such as `a named pipe`.
        public var reason: String
    }

    /// The sources that the operands of a command name, in order. `-` is standard input. A folder stands for the files in it
    /// and its subfolders, in the bytewise order of their names. Without operands, standard input is the only source.
    ///
    /// In folders, names that begin with a dot are skipped, as `ls` does. Links to folders, broken links, pipes, sockets and
    /// devices are skipped too, because some could block the run; `onPassing` is called for each of them.
    ///
    /// - Throws: ``InputError`` where an operand cannot be read, or a folder or an entry cannot be examined.
    public static func expand(
        _ operands: [String],
        onPassing: (PassedOver) -> Void = { _ in }
    ) throws(InputError) -> [InputFile] {
        var files: [InputFile] = []
        for operand in operands.isEmpty ? ["-"] : operands {
            if operand == "-" {
                files.append(.standardInput)
                continue
            }
            let path = FilePath(argument: operand)
            var status = stat()
            guard path.withPlatformString({ stat($0, &status) == 0 && access($0, R_OK) == 0 }) else {
                throw InputError(opening: ProcessArguments.shown(operand), errno)
            }
            if isFolder(status) {
                try collect(folder: path, into: &files, onPassing)
            } else {
                files.append(file(path, status, name: ProcessArguments.shown(operand)))
            }
        }
        return files
    }

    private static func collect(
        folder: FilePath,
        into files: inout [InputFile],
        _ onPassing: (PassedOver) -> Void
    ) throws(InputError) {
        let names: [FilePath.Component]
        do {
            names = try FolderEntries.names(in: folder)
        } catch {
            throw InputError(opening: folder.shown, error.rawValue)
        }
        for name in names where !name.isHidden {
            let path = folder.appending(name)
            var status = stat()
            guard path.withPlatformString({ lstat($0, &status) }) == 0 else {
                throw InputError(opening: path.shown, errno)
            }
            let isLink = status.st_mode & S_IFMT == S_IFLNK
            if isFolder(status) {
                try collect(folder: path, into: &files, onPassing)
            } else if isLink, path.withPlatformString({ stat($0, &status) }) != 0 {
                guard [ENOENT, ENOTDIR, ELOOP].contains(errno) else { throw InputError(opening: path.shown, errno) }
                onPassing(PassedOver(name: path.shown, reason: "a link that leads nowhere"))
            } else if isRegular(status) {
                files.append(file(path, status, name: path.shown))
            } else {
                onPassing(
                    PassedOver(name: path.shown, reason: (isLink ? "a link to " : "") + kind(of: status))
                )
            }
        }
    }

    private static func file(_ path: FilePath, _ status: stat, name: String) -> InputFile {
        InputFile(
            name: name,
            path: path,
            size: isRegular(status) ? Int(status.st_size) : nil,
            identity: FileIdentity(ofContents: status)
        )
    }

    private static func isFolder(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFDIR }
    private static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }

    private static func kind(of status: stat) -> String {
        switch status.st_mode & S_IFMT {
        case S_IFDIR: "a folder"
        case S_IFIFO: "a named pipe"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }
}

extension FilePath.Component {
    /// Whether the name begins with a dot.
    fileprivate var isHidden: Bool { withPlatformString { $0[0] == CChar(bitPattern: UInt8(ascii: ".")) } }
}
