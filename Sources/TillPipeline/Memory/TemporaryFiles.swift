import SystemPackage
import TillInput
public import TillStorage
import TillSystem

/// Unnamed files for data that does not fit in memory.
public final class TemporaryFiles: SpillStore {
    /// Makes a store without files; ``makeFile()`` opens one in the folder `TMPDIR`, else in `/tmp`.
    public init() {}

    public func makeFile() throws -> any SpillFile {
        let folder = FileSystem.temporaryFolder.shown
        do {
            return TemporaryFile(try OpenFile(temporaryIn: FileSystem.temporaryFolder), in: folder)
        } catch {
            throw RunError(
                .inputOutputError,
                "\(folder): no temporary file can be made: \(error); set TMPDIR to a folder that can be written, or allow more "
                    + "--memory"
            )
        }
    }
}

private final class TemporaryFile: SpillFile {
    private let file: OpenFile
    private let folder: String

    init(_ file: OpenFile, in folder: String) {
        self.file = file
        self.folder = folder
    }

    deinit {
        // The file has no name and is not read again: if it cannot be closed, it goes with the process.
        try? file.close()
    }

    func write(_ bytes: [UInt8], at offset: Int) throws {
        do {
            try file.writeAll(bytes, at: offset)
        } catch {
            throw RunError(
                .inputOutputError,
                "\(folder): \(bytes.count) bytes more than the \(offset) there cannot be written to a temporary file: "
                    + "\(error); free space there, set TMPDIR to another folder, or allow more --memory"
            )
        }
    }

    func read(_ count: Int, at offset: Int) throws -> [UInt8] {
        try Array(unsafeUninitializedCapacity: count) { memory, filled in
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(memory)[filled..<count]
                )
                let got: Int
                do {
                    got = try file.read(at: offset + filled, into: rest)
                } catch {
                    throw RunError(.inputOutputError, "\(folder): a temporary file cannot be read: \(error)")
                }
                guard got > 0 else {
                    throw RunError(.inputOutputError, "\(folder): a temporary file ends at \(offset + filled)")
                }
                filled += got
            }
        }
    }
}
