import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A source with random access: a regular file, or a copy of the bytes of a pipe.
///
/// The copy is a file without a name (``UnnamedFile``), so the system removes it however the run ends.
public final class SeekableFile {
    /// Bytes of the longest copy.
    public static let copyLimit = 16 << 30

    public let name: String
    public let byteCount: Int
    private let descriptor: FileDescriptor
    /// The owner of the descriptor; `nil` for a copy.
    private let reader: InputReader?

    /// Takes over a source from which only its first bytes have been read, and copies it if it is not a regular file.
    init(_ reader: InputReader, descriptor: FileDescriptor) throws(InputError) {
        name = reader.name
        var status = stat()
        if fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            self.descriptor = descriptor
            self.reader = reader
            byteCount = Int(status.st_size)
        } else {
            (self.descriptor, byteCount) = try Self.copy(reader)
            self.reader = nil
        }
    }

    deinit {
        if reader == nil { try? descriptor.close() }
    }

    private static func copy(_ reader: InputReader) throws(InputError) -> (FileDescriptor, Int) {
        func failure(_ code: InputError.Code, _ reason: String) -> InputError {
            InputError(code, source: reader.name, offset: reader.bytesRead, reason: reason)
        }
        let folder = UnnamedFile.folder.shown
        let descriptor: FileDescriptor
        do {
            descriptor = try UnnamedFile.open()
        } catch {
            throw failure(.unreadable, "no copy can be made in \(folder): \(error)")
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
        defer { buffer.deallocate() }
        var total = 0
        do {
            while true {
                let count = try reader.read(into: buffer)
                guard count > 0 else { return (descriptor, total) }
                total += count
                guard total <= copyLimit else {
                    throw failure(
                        .tooLarge,
                        "more than \(copyLimit >> 30) GiB through a pipe (limit: copy); name the file"
                    )
                }
                try descriptor.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        } catch {
            try? descriptor.close()
            throw error as? InputError ?? failure(.unreadable, "no copy can be made in \(folder): \(error)")
        }
    }

    /// Fills `buffer` with the bytes from `offset` on.
    ///
    /// - Throws: ``InputError`` where reading fails or the file ends before `buffer` is full.
    public func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(InputError) {
        var filled = 0
        while filled < buffer.count {
            do {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                let count = try descriptor.read(fromAbsoluteOffset: Int64(offset + filled), into: rest)
                guard count > 0 else {
                    throw InputError(shortened: name, to: offset + filled, from: byteCount)
                }
                filled += count
            } catch let error as InputError {
                throw error
            } catch {
                let reason = (error as? Errno)?.description ?? "\(error)"
                throw InputError(.unreadable, source: name, offset: offset + filled, reason: reason)
            }
        }
    }
}
