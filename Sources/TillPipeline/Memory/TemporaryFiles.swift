import SystemPackage
import TillInput
public import TillStorage

/// Files without a name for what memory cannot hold (``UnnamedFile``).
public final class TemporaryFiles: SpillStore {
    public init() {}

    public func makeFile() throws -> any SpillFile {
        let folder = UnnamedFile.folder.shown
        do {
            return TemporaryFile(try UnnamedFile.open(), in: folder)
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
    private let descriptor: FileDescriptor
    private let folder: String

    init(_ descriptor: FileDescriptor, in folder: String) {
        self.descriptor = descriptor
        self.folder = folder
    }

    deinit {
        // The file has no name and is not read again: if it cannot be closed, it goes with the process.
        try? descriptor.close()
    }

    func write(_ bytes: [UInt8], at offset: Int) throws {
        do {
            try descriptor.writeAll(toAbsoluteOffset: Int64(offset), bytes)
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
                    got = try descriptor.read(fromAbsoluteOffset: Int64(offset + filled), into: rest)
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
