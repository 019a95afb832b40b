import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A source to be read, found but not opened.
public struct InputFile: Hashable, Sendable {
    /// As it was named, or as it was found in a named folder; `-` for standard input. Bytes of it that are not UTF-8 are
    /// spelled out: `caf\xE9.json`.
    public let name: String
    /// `nil` for standard input.
    let path: FilePath?
    /// Bytes as stored, where a regular file says so.
    public let size: Int?

    /// Which file it is, where writing could destroy it.
    public let identity: FileIdentity?

    /// Standard input.
    public static let standardInput = InputFile(
        name: "-",
        path: nil,
        size: nil,
        identity: FileIdentity.ofContents(descriptor: STDIN_FILENO)
    )

    /// What stands in a folder and is not read.
    public struct PassedOver: Hashable, Sendable {
        public var name: String
        /// What it is: `a named pipe`.
        public var reason: String
    }

    /// The files that the operands of a command mean, in order: `-` is standard input, a folder is its files,
    /// recursively and in the order of their names (bytewise), anything else is itself. No operand is standard input.
    ///
    /// In folders, names that begin with a dot are left alone, as `ls` does. Links to folders are not followed, and what
    /// is no file is not opened, for it could block the run; `onPassing` is called for both.
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
    /// Whether `ls` leaves it out.
    fileprivate var isHidden: Bool { withPlatformString { $0[0] == CChar(bitPattern: UInt8(ascii: ".")) } }
}
