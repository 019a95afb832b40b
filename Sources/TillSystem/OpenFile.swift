import CPlatform
public import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An open file, folder, pipe or terminal, by its descriptor. It is not closed by itself.
///
/// A call that a signal interrupts is made again, unless the method says otherwise.
public struct OpenFile: Hashable, Sendable {
    /// The number of the open file in this process; it is invalid after ``close()``.
    public let descriptor: Int32

    /// Takes a descriptor that is already open; the caller closes it.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Descriptor 0 of this process.
    public static let standardInput = OpenFile(descriptor: STDIN_FILENO)
    /// Descriptor 1 of this process.
    public static let standardOutput = OpenFile(descriptor: STDOUT_FILENO)
    /// Descriptor 2 of this process.
    public static let standardError = OpenFile(descriptor: STDERR_FILENO)

    /// Opens the file or folder at `path`. Programs that this one starts do not have the descriptor.
    ///
    /// - Parameter mode: the permissions of a file that is created, less those that the umask removes.
    public init(
        _ path: FilePath,
        _ access: FileDescriptor.AccessMode,
        _ options: FileDescriptor.OpenOptions = [],
        mode: ModeBits = 0
    ) throws(Errno) {
        let flags = access.rawValue | options.union(.closeOnExec).rawValue
        descriptor = try Int32(
            SystemCall(.open, path).perform { _ in path.call { call_open($0, flags, mode) } }
        )
    }

    /// Opens a new file without a name in a folder, for reading and writing. The system removes it when no process has
    /// it open, unless ``FileSystem/name(_:_:)`` has given it a name.
    ///
    /// - Throws: `.notSupported` or another error if the file system has no such files.
    public init(unnamedIn folder: FilePath, mode: ModeBits) throws(Errno) {
        descriptor = try Int32(
            SystemCall(.openUnnamed, folder).perform { _ in folder.call { till_open_unnamed($0, mode) } }
        )
    }

    /// Opens a new file for reading and writing that only its owner may read. The system removes it when no process has
    /// it open, however the process ends.
    ///
    /// If the file system has no files without a name, the file has a random name for a moment.
    public init(temporaryIn folder: FilePath) throws(Errno) {
        do throws(Errno) {
            descriptor = try Int32(SystemCall(.openUnnamed, folder).perform { _ in folder.call(till_open_temporary) })
        } catch {
            let path = folder.appending("tillroll-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))")
            let file = try OpenFile(path, .readWrite, [.create, .exclusiveCreate], mode: 0o600)
            do throws(Errno) {
                try FileSystem.removeFile(path)
            } catch {
                // Nothing is in it yet.
                try? file.close()
                throw error
            }
            self = file
        }
    }

    /// Closes the file. It is closed even if an error is thrown; the error means that written data may be lost.
    public func close() throws(Errno) {
        try SystemCall(.close, descriptor).perform(.isThrown) { Int(call_close($0.descriptor)) }
    }

    /// Reads the next bytes.
    ///
    /// - Parameter repeatsInterrupted: whether a call that a signal interrupts is made again. If not, it throws
    ///   `.interrupted`.
    /// - Returns: the number of bytes, which may be less than there are; 0 at the end.
    public func read(
        into buffer: UnsafeMutableRawBufferPointer,
        repeatsInterrupted: Bool = true
    ) throws(Errno) -> Int {
        try SystemCall(.read, descriptor, byteCount: buffer.count).perform(repeatsInterrupted ? .isRepeated : .isThrown)
        {
            call_read($0.descriptor, buffer.baseAddress, $0.byteCount)
        }
    }

    /// Reads all bytes from the current position on, and stops when there are more than `limit`.
    public func readAll(limit: Int) throws(Errno) -> [UInt8] {
        var bytes: [UInt8] = []
        let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { part.deallocate() }
        while bytes.count <= limit {
            let count = try read(into: part)
            guard count > 0 else { break }
            bytes += part[..<count]
        }
        return bytes
    }

    /// Reads bytes at an offset. The current position does not change.
    public func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        try SystemCall(.pread, descriptor, byteCount: buffer.count).perform {
            pread($0.descriptor, buffer.baseAddress, $0.byteCount, off_t(offset))
        }
    }

    /// Writes all bytes. If a pipe or terminal does not block, this waits until it takes more.
    public func writeAll(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
        try Self.writeAll(bytes) { rest, _ throws(Errno) in
            do throws(Errno) {
                return try SystemCall(.write, descriptor, byteCount: rest.count).perform {
                    call_write($0.descriptor, rest.baseAddress, $0.byteCount)
                }
            } catch {
                guard error == .resourceTemporarilyUnavailable else { throw error }
                // Without a limit of time, the wait that a signal interrupts begins again.
                _ = try waits(for: Int16(POLLOUT), milliseconds: -1, .isRepeated)
                return nil
            }
        }
    }

    /// Writes all bytes of an array.
    public func writeAll(_ bytes: [UInt8]) throws(Errno) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(Errno) in try writeAll(bytes) }
    }

    /// Writes all bytes at an offset.
    public func writeAll(_ bytes: [UInt8], at offset: Int) throws(Errno) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(Errno) in
            try Self.writeAll(bytes) { rest, written throws(Errno) in
                try SystemCall(.pwrite, descriptor, byteCount: rest.count).perform {
                    pwrite($0.descriptor, rest.baseAddress, $0.byteCount, off_t(offset + written))
                }
            }
        }
    }

    /// - Parameter write: writes some of the bytes, and returns their number; `nil` if none could be written yet.
    private static func writeAll(
        _ bytes: UnsafeRawBufferPointer,
        _ write: (_ rest: UnsafeRawBufferPointer, _ written: Int) throws(Errno) -> Int?
    ) throws(Errno) {
        var written = 0
        while written < bytes.count {
            guard let count = try write(UnsafeRawBufferPointer(rebasing: bytes[written...]), written) else { continue }
            // No file system does this for a regular file; waiting for it could last for ever.
            guard count > 0 else { throw .ioError }
            written += count
        }
    }

    /// Sets the current position, and returns it.
    @discardableResult
    public func seek(to offset: Int) throws(Errno) -> Int {
        try SystemCall(.lseek, descriptor).perform { Int(lseek($0.descriptor, off_t(offset), SEEK_SET)) }
    }

    /// The offset of the next byte that is read or written.
    public func position() throws(Errno) -> Int {
        try SystemCall(.lseek, descriptor).perform { Int(lseek($0.descriptor, 0, SEEK_CUR)) }
    }

    /// The status of this file (fstat(2)).
    public func status() throws(Errno) -> FileStatus {
        var status = stat()
        try SystemCall(.fstat, descriptor).perform { Int(fstat($0.descriptor, &status)) }
        return FileStatus(status)
    }

    /// Waits until the bytes of a file, or the names in a folder, are on the disk.
    public func sync() throws(Errno) {
        try SystemCall(.fsync, descriptor).perform { Int(fsync($0.descriptor)) }
    }

    /// Removes the bytes after the first `count` ones.
    public func truncate(to count: Int) throws(Errno) {
        try SystemCall(.ftruncate, descriptor).perform { Int(ftruncate($0.descriptor, off_t(count))) }
    }

    /// Sets the permissions; the umask does not matter.
    public func setMode(_ mode: ModeBits) throws(Errno) {
        try SystemCall(.fchmod, descriptor).perform { Int(fchmod($0.descriptor, mode_t(mode))) }
    }

    /// Sets the owner and the group.
    ///
    /// - Parameter owner: `nil` keeps the present owner.
    public func setOwner(_ owner: UInt32?, group: UInt32) throws(Errno) {
        try SystemCall(.fchown, descriptor).perform { Int(fchown($0.descriptor, owner ?? .max, group)) }
    }

    /// Takes the exclusive lock on the file (flock(2)), until it is closed or the process ends.
    ///
    /// - Returns: `false` if another process has it.
    public func lock() throws(Errno) -> Bool {
        do {
            try SystemCall(.flock, descriptor).perform { Int(flock($0.descriptor, LOCK_EX | LOCK_NB)) }
            return true
        } catch {
            guard error == .wouldBlock else { throw error }
            return false
        }
    }

    /// A second descriptor of this file, with the same position. Programs that this one starts have it too.
    public func duplicate() throws(Errno) -> OpenFile {
        OpenFile(descriptor: Int32(try SystemCall(.dup, descriptor).perform { Int(dup($0.descriptor)) }))
    }

    /// Makes reading wait for bytes, even if the file was opened without waiting (`O_NONBLOCK`).
    public func block() {
        // It concerns only how a pipe waits, and readers wait for it by themselves.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }

    /// Waits until there are bytes to read, or the end.
    ///
    /// - Returns: `false` if there is nothing after `milliseconds`.
    /// - Throws: `.interrupted` if a signal came first.
    public func waitForInput(milliseconds: Int) throws(Errno) -> Bool {
        try waits(for: Int16(POLLIN), milliseconds: Int32(clamping: milliseconds))
    }

    private func waits(
        for events: Int16,
        milliseconds: Int32,
        _ interrupted: SystemCall.Interrupted = .isThrown
    ) throws(Errno) -> Bool {
        try SystemCall(.poll, descriptor).perform(interrupted) { call in
            var status = pollfd(fd: call.descriptor, events: events, revents: 0)
            return Int(poll(&status, 1, milliseconds))
        } > 0
    }

    /// A pipe that programs started by this one do not have.
    public static func makePipe() throws(Errno) -> (readEnd: OpenFile, writeEnd: OpenFile) {
        var ends: [Int32] = [-1, -1]
        try SystemCall(.pipe).perform { _ in Int(pipe(&ends)) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (OpenFile(descriptor: ends[0]), OpenFile(descriptor: ends[1]))
    }

    /// Whether it is a terminal; also `false` if the call fails.
    public var isTerminal: Bool {
        let answer = try? SystemCall(.isatty, descriptor).perform { isatty($0.descriptor) == 1 ? 0 : -1 }
        return answer != nil
    }

    /// Columns and lines of a terminal, 0 if it does not tell; `nil` if it is no terminal.
    public var terminalSize: (columns: Int, lines: Int)? {
        guard isTerminal else { return nil }
        var size = winsize()
        let answer = try? SystemCall(.winsize, descriptor).perform { call in
            Int(ioctl(call.descriptor, UInt(TIOCGWINSZ), &size))
        }
        return answer.map { _ in (Int(size.ws_col), Int(size.ws_row)) }
    }
}

// Functions of C that have the names of methods above.

private func call_open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: ModeBits) -> Int32 {
    open(path, flags, mode_t(mode))
}
private func call_close(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func call_read(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
private func call_write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
