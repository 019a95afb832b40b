import SystemPackage
public import TillCore
import TillSystem

/// A source that was found and is not open yet.
public struct InputFile: Hashable, Sendable {
    /// The operand, or the path below an operand that is a folder; `-` for standard input. Bytes that are not UTF-8 are
    /// written in hexadecimal: `caf\xE9.json`.
    public let name: String
    /// `nil` for standard input.
    let path: FilePath?
    /// The size of a regular file in bytes, before decompression; `nil` for other sources.
    public let size: Int?

    /// Whether an operand names a folder, and the file is in it.
    public private(set) var isInFolder = false

    /// The identity of a file whose contents an output could overwrite; `nil` for pipes and terminals.
    public let identity: FileIdentity?

    /// Standard input.
    public static var standardInput: InputFile {
        // Standard input that cannot be examined can be read or not; reading tells.
        let identity = try? FileIdentity.ofContents(.standardInput)
        return InputFile(name: "-", path: nil, size: nil, identity: identity)
    }

    /// The same source under another name.
    public func named(_ name: String) -> InputFile {
        InputFile(name: name, path: path, size: size, isInFolder: isInFolder, identity: identity)
    }

    /// An entry of a folder that is not read.
    public struct PassedOver: Hashable, Sendable {
        /// The path of the entry, which begins with the operand; written as ``InputFile/name``.
        public var name: String
        /// The kind of entry, such as `a named pipe`.
        public var reason: String
        /// Whether the reason is that its name begins with a dot.
        public var isHidden = false
    }

    /// The sources that the operands of a command name, in order. `-` is standard input. A folder stands for the files
    /// in it and its subfolders, in the bytewise order of their names. Without operands, standard input is the only
    /// source.
    ///
    /// In folders, names that begin with a dot are skipped, as `ls` does. Links to folders, broken links, pipes,
    /// sockets and devices are skipped too, because some could block the run. `onPassing` is called for each of them.
    ///
    /// - Throws: ``Finding`` where an operand cannot be read, or a folder or an entry cannot be examined.
    public static func expand(
        _ operands: [String],
        onPassing: (PassedOver) -> Void = { _ in }
    ) throws(Finding) -> [InputFile] {
        var files: [InputFile] = []
        for operand in operands.isEmpty ? ["-"] : operands {
            if operand == "-" {
                files.append(.standardInput)
                continue
            }
            let path = FilePath(argument: operand)
            let status: FileStatus
            do throws(Errno) {
                status = try FileSystem.status(of: path)
                try FileSystem.checkReadable(path)
            } catch {
                throw Finding(opening: ProcessArguments.shown(operand), error)
            }
            if status.kind == .folder {
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
    ) throws(Finding) {
        let names: [FilePath.Component]
        do {
            names = try FolderEntries.names(in: folder)
        } catch {
            throw Finding(opening: folder.shown, error)
        }
        for name in names {
            let path = folder.appending(name)
            guard !name.isHidden else {
                onPassing(PassedOver(name: path.shown, reason: "its name begins with a dot", isHidden: true))
                continue
            }
            guard let (status, isLink) = try examine(path, onPassing) else { continue }
            switch status.kind {
            case .folder where !isLink: try collect(folder: path, into: &files, onPassing)
            case .regular: files.append(file(path, status, name: path.shown, isInFolder: true))
            case .folder, .link, .pipe, .socket, .blockDevice, .characterDevice:
                let reason = (isLink ? "a link to " : "") + description(of: status.kind)
                onPassing(PassedOver(name: path.shown, reason: reason))
            }
        }
    }

    /// The status of an entry of a folder, links followed; `nil` for a link to nothing.
    private static func examine(
        _ path: FilePath,
        _ onPassing: (PassedOver) -> Void
    ) throws(Finding) -> (FileStatus, isLink: Bool)? {
        var isLink = false
        do throws(Errno) {
            let status = try FileSystem.linkStatus(of: path)
            guard status.kind == .link else { return (status, false) }
            isLink = true
            return (try FileSystem.status(of: path), true)
        } catch {
            guard isLink, [.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels].contains(error) else {
                throw Finding(opening: path.shown, error)
            }
            onPassing(PassedOver(name: path.shown, reason: "a link that leads nowhere"))
            return nil
        }
    }

    private static func file(
        _ path: FilePath,
        _ status: FileStatus,
        name: String,
        isInFolder: Bool = false
    ) -> InputFile {
        InputFile(
            name: name,
            path: path,
            size: status.kind == .regular ? status.byteCount : nil,
            isInFolder: isInFolder,
            identity: FileIdentity(ofContents: status)
        )
    }

    private static func description(of kind: FileStatus.Kind) -> String {
        switch kind {
        case .folder: "a folder"
        case .pipe: "a named pipe"
        case .socket: "a socket"
        case .regular, .link, .blockDevice, .characterDevice: "a device"
        }
    }
}

extension FilePath.Component {
    /// Whether the name begins with a dot.
    fileprivate var isHidden: Bool { withPlatformString { $0[0] == CChar(bitPattern: UInt8(ascii: ".")) } }
}
