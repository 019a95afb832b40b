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
    /// is no file is not opened, for it could block the run; `onPassing` is told of both.
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
            let path = Self.path(ofOperand: operand)
            var status = stat()
            guard path.withPlatformString({ stat($0, &status) == 0 && access($0, R_OK) == 0 }) else {
                throw InputError(opening: Self.name(of: path), errno)
            }
            if isFolder(status) {
                try collect(folder: path, into: &files, onPassing)
            } else {
                let isWhole = !operand.unicodeScalars.contains("\u{FFFD}")
                files.append(file(path, status, name: isWhole ? operand : name(of: path)))
            }
        }
        return files
    }

    /// The path that an operand means.
    ///
    /// Arguments become `String`s before anyone can ask for their bytes, and what is not UTF-8 in them is lost; so it is
    /// looked up among the arguments of the process.
    private static func path(ofOperand operand: String) -> FilePath {
        let path = FilePath(operand)
        guard operand.unicodeScalars.contains("\u{FFFD}") else { return path }
        var status = stat()
        if path.withPlatformString({ lstat($0, &status) }) == 0 { return path }
        for index in 0..<Int(CommandLine.argc) {
            guard let argument = CommandLine.unsafeArgv[index], String(cString: argument) == operand else { continue }
            return FilePath(platformString: argument)
        }
        return path
    }

    private static func collect(
        folder: FilePath,
        into files: inout [InputFile],
        _ onPassing: (PassedOver) -> Void
    ) throws(InputError) {
        guard let stream = folder.withPlatformString({ opendir($0) }) else {
            throw InputError(opening: name(of: folder), errno)
        }
        defer { closedir(stream) }
        var names: [[CChar]] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
            }
            if name[0] != CChar(bitPattern: 0x2E) { names.append(name) }
        }
        names.sort { left, right in
            left.lazy.map(UInt8.init(bitPattern:)).lexicographicallyPrecedes(right.lazy.map(UInt8.init(bitPattern:)))
        }
        for name in names {
            // An entry is one component: its name has no separator.
            guard let component = name.withUnsafeBufferPointer({ $0.baseAddress.flatMap(FilePath.Component.init) })
            else { continue }
            let path = folder.appending(component)
            var status = stat()
            guard path.withPlatformString({ lstat($0, &status) }) == 0 else {
                throw InputError(opening: Self.name(of: path), errno)
            }
            let isLink = status.st_mode & S_IFMT == S_IFLNK
            if isFolder(status) {
                try collect(folder: path, into: &files, onPassing)
            } else if isLink, path.withPlatformString({ stat($0, &status) }) != 0 {
                onPassing(PassedOver(name: Self.name(of: path), reason: "a link that leads nowhere"))
            } else if isRegular(status) {
                files.append(file(path, status, name: Self.name(of: path)))
            } else {
                onPassing(
                    PassedOver(name: Self.name(of: path), reason: (isLink ? "a link to " : "") + kind(of: status))
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

    private static func name(of path: FilePath) -> String {
        var rest = path.withPlatformString { pointer in
            UnsafeBufferPointer(start: pointer, count: strlen(pointer)).map(UInt8.init(bitPattern:))
        }[...]
        var name = ""
        while !rest.isEmpty {
            do {
                _ = try UTF8Span(validating: Array(rest).span)
                return name + String(decoding: rest, as: UTF8.self)
            } catch {
                let bad = rest.startIndex + error.byteOffsets.lowerBound
                name += String(decoding: rest[..<bad], as: UTF8.self)
                name += "\\x" + (rest[bad] < 16 ? "0" : "") + String(rest[bad], radix: 16, uppercase: true)
                rest = rest[(bad + 1)...]
            }
        }
        return name
    }
}
