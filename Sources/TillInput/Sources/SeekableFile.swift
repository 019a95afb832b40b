import SystemPackage
public import TillCore
import TillSystem

/// A source with random access: a regular file, or a copy of the bytes of a pipe.
///
/// The copy is a file without a name, so the system removes it however the run ends.
public final class SeekableFile {
    /// Bytes of the longest copy.
    public static let copyLimit = 16 << 30

    /// The name of the source as the user gave it; `-` for standard input.
    public let name: String
    /// Bytes of the file when it was opened, or of the copy.
    public let byteCount: Int
    private let file: OpenFile
    /// The owner of the descriptor; `nil` for a copy.
    private let reader: InputReader?

    /// Takes over a source from which only its first bytes have been read, and copies it if it is not a regular file.
    init(_ reader: InputReader, _ file: OpenFile, copyLimit: Int) throws(Finding) {
        name = reader.name
        let status: FileStatus
        do throws(Errno) {
            status = try file.status()
        } catch {
            throw Finding(.unreadable, source: name, reason: error.description)
        }
        if status.kind == .regular {
            self.file = file
            self.reader = reader
            byteCount = status.byteCount
        } else {
            (self.file, byteCount) = try Self.copy(reader, limit: copyLimit)
            self.reader = nil
        }
    }

    deinit {
        // What was read from it is whole, whatever closing it says.
        if reader == nil { try? file.close() }
    }

    private static func copy(_ reader: InputReader, limit: Int) throws(Finding) -> (OpenFile, Int) {
        func failure(_ code: InputDefect, _ reason: String) -> Finding {
            Finding(code, source: reader.name, offset: reader.bytesRead, reason: reason)
        }
        let folder = FileSystem.temporaryFolder.shown
        let file: OpenFile
        do {
            file = try OpenFile(temporaryIn: FileSystem.temporaryFolder)
        } catch {
            throw failure(.unreadable, "no copy can be made in \(folder): \(error)")
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
        defer { buffer.deallocate() }
        var total = 0
        do {
            while true {
                let count = try reader.read(into: buffer)
                guard count > 0 else { return (file, total) }
                total += count
                guard total <= limit else {
                    throw failure(.tooLarge, "more than \(limit >> 30) GiB through a pipe (limit: copy); name the file")
                }
                try file.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        } catch {
            try? file.close()
            throw error as? Finding ?? failure(.unreadable, "no copy can be made in \(folder): \(error)")
        }
    }

    /// Fills `buffer` with the bytes from `offset` on.
    ///
    /// - Throws: ``Finding`` where reading fails or the file ends before `buffer` is full.
    public func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Finding) {
        let count = try file.fill(buffer, from: offset, of: name)
        guard count == buffer.count else { throw Finding(shortened: name, to: offset + count, from: byteCount) }
    }
}

extension OpenFile {
    /// Reads from a place in the file until `buffer` is full or the file ends. Any thread may call it.
    ///
    /// - Parameter source: the name of the file in errors.
    /// - Returns: the number of bytes.
    func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        from offset: Int,
        of source: String
    ) throws(Finding) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count: Int
            do throws(Errno) {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                count = try read(at: offset + filled, into: rest)
            } catch {
                throw Finding(.unreadable, source: source, offset: offset + filled, reason: error.description)
            }
            if count == 0 { break }
            filled += count
        }
        return filled
    }
}
