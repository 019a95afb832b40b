import SystemPackage
import TillInput
import TillSystem

/// The file of a folder of tables that names the files and folders which `convert` wrote there.
///
///     tillroll 1
///     documents.parquet
///     transactions/
///     transactions/purchase_month=2026-03/part-0.parquet
///
/// A later run may replace only the listed files, so files that a user adds are kept. Readers of Parquet ignore the
/// listing, like all files with a leading dot.
struct OutputListing {
    static let name = ".tillroll"
    private static let heading = "tillroll 1"
    /// Bytes; a file takes some 100 of them.
    private static let sizeLimit = 64 << 20

    /// Components of the longest path that `convert` writes: a table, its partition keys, a file.
    private static let depthLimit = 2 + PartitionKey.allCases.count

    /// Paths of files in the folder, below it.
    private(set) var files: Set<FilePath> = []
    private(set) var folders: Set<FilePath> = []

    init() {}

    /// The listing of a folder. It is empty if the folder has none, or one that this program does not understand.
    init(of folder: FilePath) throws(Errno) {
        do throws(Errno) {
            let file = try OpenFile(folder.appending(Self.name), .readOnly, [.noFollow, .nonBlocking])
            // The bytes are complete, even if close fails.
            defer { try? file.close() }
            let bytes = try Self.read(file)
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            // A truncated listing has no line feed at its end, and its last line is an incomplete name.
            guard lines.first?.elementsEqual(Self.heading.utf8) == true, bytes.last == UInt8(ascii: "\n") else {
                return
            }
            for line in lines.dropFirst().dropLast() {
                let path = FilePath(String(decoding: line, as: UTF8.self))
                if line.last == UInt8(ascii: "/") { add(folder: path) } else { add(path) }
            }
        } catch {
            // The file may be missing, or be a link; tillroll never writes a link.
            guard [.noSuchFileOrDirectory, .tooManySymbolicLinkLevels].contains(error) else { throw error }
        }
    }

    /// The bytes of a regular file that is not longer than listings are, else none.
    private static func read(_ file: OpenFile) throws(Errno) -> [UInt8] {
        let status = try file.status()
        guard status.kind == .regular, status.byteCount <= sizeLimit else { return [] }
        let bytes = try file.readAll(limit: sizeLimit)
        return bytes.count <= sizeLimit ? bytes : []
    }

    mutating func add(_ path: FilePath) {
        if (1...Self.depthLimit).contains(path.components.count) { files.insert(path) }
    }

    mutating func add(folder path: FilePath) {
        if (1..<Self.depthLimit).contains(path.components.count) { folders.insert(path) }
    }

    mutating func rename(_ path: FilePath, to other: FilePath) {
        files.remove(path)
        add(other)
    }

    /// The same names give the same file, in any order of adding.
    var bytes: [UInt8] {
        let names = (files.map(\.string) + folders.map { $0.string + "/" }).sorted()
        return Array((([Self.heading] + names).joined(separator: "\n") + "\n").utf8)
    }
}

/// A folder of tables that is to be replaced: the files that its listing names, and nothing else.
struct ReplaceableFolder {
    /// Why a folder may not be replaced.
    enum Refusal: Error {
        /// It contains files that its listing does not name.
        case stranger(FilePath)
        case unreadable(FilePath, Errno)
    }

    /// Paths below the folder.
    private(set) var files: [FilePath] = []
    fileprivate(set) var folders: [FilePath] = []

    /// Walks the folder, and throws if an entry is not in the listing.
    ///
    /// Another run may replace the folder in the meantime, and its files are not in the listing read here. Then the new
    /// folder is walked.
    init(_ folder: FilePath) throws(Refusal) {
        while true {
            let looked: Result<Self, Refusal>
            do throws(Errno) {
                // While it is open, no other folder gets its inode number.
                let opened = try OpenFile(folder, .readOnly, .directory)
                // Nothing was written to it.
                defer { try? opened.close() }
                looked = Result { () throws(Refusal) in try Self(lookingAt: folder) }
                guard try FileIdentity(opened.status()) == FileIdentity(FileSystem.status(of: folder)) else { continue }
            } catch {
                throw .unreadable(folder, error)
            }
            self = try looked.get()
            return
        }
    }

    private init(lookingAt folder: FilePath) throws(Refusal) {
        let listing: OutputListing
        do {
            listing = try OutputListing(of: folder)
        } catch {
            throw .unreadable(folder, error)
        }
        try collect(FilePath(), of: folder, listing)
    }

    var isEmpty: Bool { files.isEmpty && folders.isEmpty }

    private mutating func collect(_ path: FilePath, of folder: FilePath, _ listing: OutputListing) throws(Refusal) {
        let names: [FilePath.Component]
        do {
            names = try FolderEntries.names(in: folder.pushing(path))
        } catch {
            throw .unreadable(folder.pushing(path), error)
        }
        for name in names {
            let entry = path.appending(name)
            let status: FileStatus
            do throws(Errno) {
                status = try FileSystem.linkStatus(of: folder.pushing(entry))
            } catch {
                throw .unreadable(folder.pushing(entry), error)
            }
            if status.kind == .folder {
                guard listing.folders.contains(entry) else { throw .stranger(entry) }
                folders.append(entry)
                try collect(entry, of: folder, listing)
            } else {
                guard listing.files.contains(entry) else { throw .stranger(entry) }
                files.append(entry)
            }
        }
    }

    /// Removes the files that were found, and the folder itself, which may have another name by now.
    func remove(from folder: FilePath) throws(Errno) {
        for file in files { try Self.remove { () throws(Errno) in try FileSystem.removeFile(folder.pushing(file)) } }
        for path in folders.reversed() + [FilePath()] {
            try Self.remove { () throws(Errno) in try FileSystem.removeFolder(folder.pushing(path)) }
        }
    }

    private static func remove(_ body: () throws(Errno) -> Void) throws(Errno) {
        do {
            try body()
        } catch {
            guard error == .noSuchFileOrDirectory else { throw error }
        }
    }
}
