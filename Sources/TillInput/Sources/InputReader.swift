import SystemPackage
public import TillCore
import TillSystem

/// Receives the stored bytes of sources while they are read, one source after the other.
public protocol StoredBytesObserver: AnyObject {
    /// A source begins.
    func begin(_ source: String)
    /// Receives the next bytes of the source, before decompression.
    func update(_ bytes: UnsafeRawBufferPointer)
    /// Receives the next inflated bytes of a compressed source, and no bytes where it begins.
    func update(inflated bytes: UnsafeRawBufferPointer)
}

extension StoredBytesObserver {
    public func update(inflated bytes: UnsafeRawBufferPointer) {}
}

/// An open source: a file or standard input. It is inflated if its first bytes are those of gzip or zstd.
///
/// Text in UTF-16 that begins with its byte order mark is given as UTF-8, without the mark. Carriage returns that end
/// lines by themselves are given as line feeds (``CarriageReturns``).
///
/// The name of a file does not matter. Reading is sequential. Only one task may use the reader at a time.
public final class InputReader {
    /// The name of the source as the user gave it; `-` for standard input.
    public let name: String
    /// The size of a regular file in bytes, before decompression; `nil` for standard input, pipes and devices.
    public let size: Int?
    /// Bytes that were read so far, before decompression.
    public private(set) var bytesRead = 0

    /// `gzip` or `zstd`, `gzip in zstd` where the source is compressed twice; `nil` where it is not compressed.
    public var compressionName: String? { inflated?.name }

    /// Whether a second task may inflate members ahead (``MemberPrefetcher``). Bytes and errors are the same.
    public var inflatesAhead: Bool {
        get { inflated?.inflatesAhead ?? false }
        set { inflated?.inflatesAhead = newValue }
    }

    /// Whether ``read(into:)`` waits for a pipe or terminal 200 ms at the most, and then returns the bytes that have
    /// come.
    public var isLive = false
    /// Whether the last ``read(into:)`` returned early because no further bytes were there. The source has not ended
    /// then.
    public private(set) var isPaused = false

    private let file: OpenFile
    private let ownsFile: Bool
    /// Bytes that a regular file had when it was opened, from where reading begins; 0 for other sources.
    private var leastCount: Int
    /// The first bytes of the source, until ``read(into:)`` has returned them.
    private var head: [UInt8] = []
    private var inflated: InflatedStream?
    private let limit: InflationLimit
    private var isEncodingKnown = false
    private var transcoded: TranscodedStream?
    private var carriageReturns = CarriageReturns()
    private let observer: (any StoredBytesObserver)?

    /// Opens a source and reads its first four bytes.
    ///
    /// - Parameters:
    ///   - limit: how much a compressed source may inflate to.
    ///   - observer: receives every stored byte of the source, in order.
    public convenience init(
        _ file: InputFile,
        limit: InflationLimit = InflationLimit(),
        observer: (any StoredBytesObserver)? = nil
    ) throws(Finding) {
        try self.init(file, limit: limit, observer: observer, libraries: DeflateLibrary.allCases)
    }

    /// - Parameter libraries: candidates for gzip; the first that is installed is used.
    init(
        _ file: InputFile,
        limit: InflationLimit = InflationLimit(),
        observer: (any StoredBytesObserver)? = nil,
        libraries: [DeflateLibrary]
    ) throws(Finding) {
        name = file.name
        (self.observer, self.limit) = (observer, limit)
        do throws(Errno) {
            if let path = file.path {
                // Without O_NONBLOCK, opening a named pipe blocks until a process writes to it, and no signal could end
                // that.
                let isStream = file.size == nil
                self.file = try OpenFile(path, .readOnly, isStream ? .nonBlocking : [])
                ownsFile = true
                if isStream { self.file.block() }
            } else {
                self.file = .standardInput
                ownsFile = false
            }
        } catch {
            throw Finding(opening: file.name, error)
        }
        size = file.size
        leastCount = 0
        do throws(Errno) {
            leastCount = try Self.byteCount(of: self.file)
        } catch {
            // `deinit` closes the file.
            throw Finding(.unreadable, source: file.name, reason: error.description)
        }
        observer?.begin(file.name)
        try readHead()
        inflated = try InflatedStream(magic: head, source: name, limit: limit, libraries: libraries)
        if inflated != nil { observer?.update(inflated: UnsafeRawBufferPointer(start: nil, count: 0)) }
    }

    /// Bytes of a regular file from the current position to its end; 0 for other sources.
    private static func byteCount(of file: OpenFile) throws(Errno) -> Int {
        let status = try file.status()
        guard status.kind == .regular else { return 0 }
        // Another program may have read a part of standard input.
        return status.byteCount - (try file.position())
    }

    /// The first bytes of the source before decompression, at most four. Empty once they have been read.
    public var magic: [UInt8] { head }

    /// The source as a file with random access. Nothing may have been read from it before. Gives the observer all
    /// bytes.
    ///
    /// - Parameter copyLimit: bytes of the longest copy of a source that is no regular file.
    public func seekable(copyLimit: Int = SeekableFile.copyLimit) throws(Finding) -> SeekableFile {
        let file = try SeekableFile(self, file, copyLimit: copyLimit)
        try showRestToObserver()
        return file
    }

    /// Reads the rest of the source for the observer only, because random access bypasses it.
    private func showRestToObserver() throws(Finding) {
        guard observer != nil else { return }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
        defer { buffer.deallocate() }
        while try readStored(into: buffer) > 0 {}
    }

    /// Goes on at a byte of a plain file, before anything has been read. What comes through a pipe is taken to begin
    /// there.
    ///
    /// - Throws: ``Finding`` where the source is compressed or in UTF-16.
    public func skip(to offset: Int) throws(Finding) {
        guard inflated == nil, UTF16Transcoder(head: head) == nil else {
            throw Finding(.range, source: name, reason: "is compressed or in UTF-16, and is read as a whole")
        }
        isEncodingKnown = true
        guard offset > 0, size != nil else { return }
        do throws(Errno) {
            try file.seek(to: offset)
        } catch {
            throw Finding(.unreadable, source: name, offset: offset, reason: error.description)
        }
        head = []
        leastCount = max(0, leastCount - offset + bytesRead)
    }

    deinit {
        // What was read from it is whole, whatever closing it says.
        if ownsFile { try? file.close() }
    }

    private func readHead() throws(Finding) {
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

    /// Reads decompressed bytes until `buffer` is full or the source ends.
    ///
    /// - Returns: the number of bytes; less than `buffer.count` at the end of the source, or where it ``isPaused``.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(Finding) -> Int {
        if !isEncodingKnown { try findEncoding() }
        let count = try readText(into: buffer)
        carriageReturns.rewrite(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
        return count
    }

    /// Whether ``read(at:into:)`` gives the bytes that ``read(into:)`` would give: those of a regular file that are
    /// neither inflated nor rewritten. It is known once the first bytes have been read.
    public var hasOffsets: Bool {
        size != nil && observer == nil && inflated == nil && isEncodingKnown && transcoded == nil
            && carriageReturns.leavesBytes
    }

    /// Reads bytes of a source that ``hasOffsets``, until `buffer` is full or the file ends. Any thread may call it.
    ///
    /// - Parameter offset: where in the file the first of the bytes is.
    /// - Returns: the number of bytes; less than `buffer.count` at the end of the file.
    public func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Finding) -> Int {
        let count = try file.fill(buffer, from: offset, of: name)
        if count < buffer.count { try requireWhole(upTo: offset + count) }
        return count
    }

    /// Throws where a regular file ends before its end at opening. A file may grow, as a log does; one that shrinks
    /// loses documents.
    private func requireWhole(upTo end: Int) throws(Finding) {
        if end < leastCount { throw Finding(shortened: name, to: end, from: leastCount) }
    }

    /// Reads bytes whose encoding is that of UTF-8.
    private func readText(into buffer: UnsafeMutableRawBufferPointer) throws(Finding) -> Int {
        guard let transcoded else { return try readPlain(into: buffer) }
        let got = try transcoded.read(into: buffer) { input throws(Finding) in
            (try self.readPlain(into: input), self.isPaused)
        }
        isPaused = got.isPaused
        return got.count
    }

    /// The most layers of compression around a source.
    static let mostLayers = 8

    /// Looks whether the decompressed bytes are compressed again, and whether they begin with the byte order mark of
    /// UTF-16, which is dropped then.
    private func findEncoding() throws(Finding) {
        isEncodingKnown = true
        var head = head
        while let outer = inflated {
            let count = max(4, UTF16Transcoder.headCount)
            head = try outer.peek(count, source: name, offset: bytesRead) { input throws(Finding) in
                try self.readHeadFirst(into: input)
            }
            let magic = Array(head.prefix(4))
            guard let inner = try InflatedStream(magic: magic, source: name, limit: limit, outer: outer) else { break }
            guard inner.depth <= Self.mostLayers else {
                let reason = "it is compressed more than \(Self.mostLayers) times over, as bombs are (limit: layers)"
                throw Finding(.ratio, source: name, offset: bytesRead, reason: reason)
            }
            inner.inflatesAhead = outer.inflatesAhead
            inflated = inner
        }
        guard let transcoder = UTF16Transcoder(head: head) else { return }
        transcoded = TranscodedStream(transcoder)
        if let inflated {
            inflated.dropFirst(UTF16Transcoder.markCount)
        } else {
            self.head.removeFirst(UTF16Transcoder.markCount)
        }
    }

    /// Reads decompressed bytes as they are.
    private func readPlain(into buffer: UnsafeMutableRawBufferPointer) throws(Finding) -> Int {
        var filled = 0
        isPaused = false
        let deadline = isLive ? ContinuousClock.now + Self.pause : nil
        while filled < buffer.count {
            if let deadline, !hasInput(before: deadline) {
                isPaused = true
                break
            }
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let got =
                if let inflated {
                    try inflated.inflate(into: rest, source: name, offset: bytesRead) { input throws(Finding) in
                        try self.readHeadFirst(into: input)
                    }
                } else {
                    try readHeadFirst(into: rest)
                }
            if got == 0 { break }
            if inflated != nil {
                observer?.update(inflated: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(rest)[..<got]))
            }
            filled += got
        }
        return filled
    }

    /// Returns the bytes of ``head`` first, then reads further ones.
    private func readHeadFirst(into buffer: UnsafeMutableRawBufferPointer) throws(Finding) -> Int {
        guard !head.isEmpty else { return try readStored(into: buffer) }
        let count = min(head.count, buffer.count)
        buffer.copyBytes(from: head[..<count])
        head.removeFirst(count)
        return count
    }

    private func readStored(into buffer: UnsafeMutableRawBufferPointer) throws(Finding) -> Int {
        while true {
            if size == nil { try waitForInput() }
            let count: Int
            do throws(Errno) {
                count = try file.read(into: buffer, repeatsInterrupted: false)
            } catch {
                // Another process may have read the bytes, or made standard input one that does not wait.
                if error == .interrupted && !Interruption.isRequested || error == .wouldBlock && size == nil {
                    continue
                }
                let code = error == .interrupted ? InputDefect.interrupted : .unreadable
                let reason = error == .interrupted ? "interrupted" : error.description
                throw Finding(code, source: name, offset: bytesRead, reason: reason)
            }
            if count == 0, !buffer.isEmpty { try requireWhole(upTo: bytesRead) }
            bytesRead += count
            observer?.update(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
            return count
        }
    }

    /// How long one call waits for a live source.
    private static let pause = Duration.milliseconds(200)

    /// Whether a pipe or terminal without compression has bytes before an instant, or has ended; `true` for every other
    /// source.
    private func hasInput(before deadline: ContinuousClock.Instant) -> Bool {
        guard size == nil, inflated == nil, head.isEmpty else { return true }
        let rest = max(.zero, deadline - ContinuousClock.now)
        do throws(Errno) {
            return try file.waitForInput(milliseconds: Int(rest / .milliseconds(1)))
        } catch {
            // If waiting fails, reading blocks or reports the error.
            return error != .interrupted
        }
    }

    /// Waits until a pipe or terminal has bytes or has ended. Every 100 ms it checks for an interruption and a
    /// cancelled task.
    ///
    /// It does not rely on `EINTR`, because a signal may be delivered to another thread of the process.
    private func waitForInput() throws(Finding) {
        while true {
            do throws(Errno) {
                if try file.waitForInput(milliseconds: 100) { return }
            } catch {
                // If waiting fails, reading blocks or reports the error.
                guard error == .interrupted else { return }
            }
            guard !Interruption.isRequested, !Task.isCancelled else {
                throw Finding(.interrupted, source: name, offset: bytesRead, reason: "interrupted")
            }
        }
    }
}
