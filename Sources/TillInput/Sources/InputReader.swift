import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Looks on while sources are read, one after the other.
public protocol StoredBytesObserver: AnyObject {
    /// A source begins.
    func begin(_ source: String)
    /// The next bytes of the source, as it is stored.
    func update(_ bytes: UnsafeRawBufferPointer)
}

/// One source of bytes, opened: a file or standard input, inflated if its first bytes say that it is compressed.
///
/// The content decides what it is, never the name. Reading is sequential; the reader has one owner.
public final class InputReader {
    /// The source as it was named, `-` for standard input.
    public let name: String
    /// Bytes of the source as it is stored; `nil` where that is not known, as for a pipe.
    public let size: Int?
    /// Bytes of the source, as it is stored, read so far.
    public private(set) var bytesRead = 0

    /// The compression that the source came in; `nil` where it is plain.
    public var compressionName: String? { inflated?.name }

    /// Whether a task of its own may inflate a part of what is read; the bytes and errors are the same.
    public var inflatesAhead: Bool {
        get { inflated?.inflatesAhead ?? false }
        set { inflated?.inflatesAhead = newValue }
    }

    /// Whether ``read(into:)`` gives what there is when a pipe or terminal has nothing more to say for now.
    public var isLive = false
    /// Whether the last ``read(into:)`` gave less than was asked for since nothing more was there, and not since the
    /// source has ended.
    public private(set) var isPaused = false

    private let descriptor: FileDescriptor
    private let ownsDescriptor: Bool
    /// Bytes that a regular file had, from where it is read, when it was opened; 0 for everything else.
    private let leastCount: Int
    private var head: [UInt8] = []
    private var inflated: InflatedStream?
    private let observer: (any StoredBytesObserver)?

    /// Opens a source and looks at its first bytes.
    ///
    /// - Parameter observer: is given every byte of the source as it is stored, in order.
    public convenience init(
        _ file: InputFile,
        limit: InflationLimit = InflationLimit(),
        observer: (any StoredBytesObserver)? = nil
    ) throws(InputError) {
        try self.init(file, limit: limit, observer: observer, libraries: DeflateLibrary.allCases)
    }

    /// - Parameter libraries: what inflates gzip, the first of them that is there.
    init(
        _ file: InputFile,
        limit: InflationLimit = InflationLimit(),
        observer: (any StoredBytesObserver)? = nil,
        libraries: [DeflateLibrary]
    ) throws(InputError) {
        name = file.name
        self.observer = observer
        do {
            if let path = file.path {
                // Opening a named pipe would block until another process writes to it, and no signal could end that.
                let isStream = file.size == nil
                let options: FileDescriptor.OpenOptions = isStream ? [.closeOnExec, .nonBlocking] : [.closeOnExec]
                descriptor = try FileDescriptor.open(path, .readOnly, options: options)
                ownsDescriptor = true
                if isStream { _ = fcntl(descriptor.rawValue, F_SETFL, 0) }
            } else {
                descriptor = .standardInput
                ownsDescriptor = false
            }
        } catch let errno as Errno {
            throw InputError(opening: file.name, errno.rawValue)
        } catch {
            throw InputError(.missing, source: file.name, reason: "\(error)")
        }
        size = file.size
        leastCount = Self.byteCount(of: descriptor)
        observer?.begin(file.name)
        try readHead()
        inflated = try InflatedStream(magic: head, source: name, limit: limit, libraries: libraries)
    }

    /// Bytes from where a regular file is read to its end; of everything else 0.
    private static func byteCount(of descriptor: FileDescriptor) -> Int {
        var status = stat()
        guard fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
        // Standard input may have been read in part by another program.
        return Int(status.st_size) - Int(max(0, lseek(descriptor.rawValue, 0, SEEK_CUR)))
    }

    /// The first bytes of the source as it is stored, four at most, until they are read.
    public var magic: [UInt8] { head }

    /// The source as a file that can be read at any place, while nothing of it has been read.
    public func seekable() throws(InputError) -> SeekableFile {
        let file = try SeekableFile(self, descriptor: descriptor)
        try showRestToObserver()
        return file
    }

    /// Reads what is left for the observer alone, past which reading at any place goes.
    private func showRestToObserver() throws(InputError) {
        guard observer != nil else { return }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
        defer { buffer.deallocate() }
        while try readStored(into: buffer) > 0 {}
    }

    deinit {
        if ownsDescriptor { try? descriptor.close() }
    }

    private func readHead() throws(InputError) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
        defer { bytes.deallocate() }
        var count = 0
        while count < bytes.count {
            let got = try readStored(into: UnsafeMutableRawBufferPointer(rebasing: bytes[count...]))
            if got == 0 { break }
            count += got
        }
        head = Array(bytes[..<count])
    }

    /// Reads decompressed bytes until `buffer` is full or the source ends; fewer than asked for means the end, unless
    /// the source ``isPaused``.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
        var filled = 0
        isPaused = false
        while filled < buffer.count {
            if isLive, !hasInput(within: filled > 0 ? 0 : Self.pause) {
                isPaused = true
                break
            }
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let got =
                if let inflated {
                    try inflated.inflate(into: rest, source: name, offset: bytesRead) { input throws(InputError) in
                        try self.readHeadFirst(into: input)
                    }
                } else {
                    try readHeadFirst(into: rest)
                }
            if got == 0 { break }
            filled += got
        }
        return filled
    }

    /// Gives the bytes that were read ahead to tell the format, then the rest.
    private func readHeadFirst(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
        guard !head.isEmpty else { return try readStored(into: buffer) }
        let count = min(head.count, buffer.count)
        buffer.copyBytes(from: head[..<count])
        head.removeFirst(count)
        return count
    }

    private func readStored(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
        while true {
            if size == nil { try waitForInput() }
            do {
                let count = try descriptor.read(into: buffer, retryOnInterrupt: false)
                // A file that grows is a log that is written; one that shrinks takes documents away.
                if count == 0, !buffer.isEmpty, bytesRead < leastCount {
                    throw InputError(shortened: name, to: bytesRead, from: leastCount)
                }
                bytesRead += count
                observer?.update(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
                return count
            } catch let error as InputError {
                throw error
            } catch Errno.interrupted where !Interruption.isRequested {
                continue
            } catch Errno.interrupted {
                throw InputError(.interrupted, source: name, offset: bytesRead, reason: "interrupted")
            } catch {
                let reason = (error as? Errno)?.description ?? "\(error)"
                throw InputError(.unreadable, source: name, offset: bytesRead, reason: reason)
            }
        }
    }

    /// Milliseconds after which a live source without a word counts as paused.
    private static let pause: Int32 = 200

    /// Whether a plain pipe or terminal has something to say, or has ended; of anything else that is taken for granted.
    private func hasInput(within milliseconds: Int32) -> Bool {
        guard size == nil, inflated == nil, head.isEmpty else { return true }
        var status = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        let answer = poll(&status, 1, milliseconds)
        // Where waiting fails, reading waits, or says why.
        return answer > 0 || answer < 0 && errno != EINTR
    }

    /// Waits until a pipe or terminal has something to say, and looks up now and then.
    ///
    /// A signal reaches any thread of the process, so it cannot be relied on to wake the one that reads.
    private func waitForInput() throws(InputError) {
        var status = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        while true {
            let answer = poll(&status, 1, 100)
            // Where waiting fails, reading waits, or says why.
            if answer > 0 || answer < 0 && errno != EINTR { return }
            guard !Interruption.isRequested, !Task.isCancelled else {
                throw InputError(.interrupted, source: name, offset: bytesRead, reason: "interrupted")
            }
        }
    }
}
