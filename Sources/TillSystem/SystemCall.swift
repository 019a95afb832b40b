public import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// One call of the operating system, before it is made.
public struct SystemCall: Sendable {
    /// The function of POSIX or Linux that is called.
    public enum Name: String, CaseIterable, Sendable {
        case open, openUnnamed, close, read, pread, write, pwrite, lseek, dup, fstat, fsync, ftruncate, fchmod, fchown,
            flock,
            poll, pipe
        case isatty, winsize, stat, lstat, access, readlink, statx, opendir, readdir, mkdir, rmdir, rename, exchange,
            link, linkUnnamed
        case unlink, createThread, time, monotonicTime, processorTime
    }

    /// The function that is called; an interposer chooses calls by it.
    public let name: Name
    /// The path that the call is about; `nil` if it is about a descriptor.
    public var path: FilePath?
    /// The second path of a call that has two, such as `rename`.
    public var target: FilePath?
    /// The descriptor that the call is about; -1 if it is about a path.
    public var descriptor: Int32 = -1
    /// Bytes to read or to write; 0 for other calls.
    public var byteCount = 0

    init(_ name: Name, _ path: FilePath, to target: FilePath? = nil) {
        (self.name, self.path, self.target) = (name, path, target)
    }

    init(_ name: Name, _ descriptor: Int32 = -1, byteCount: Int = 0) {
        (self.name, self.descriptor, self.byteCount) = (name, descriptor, byteCount)
    }
}

/// Stands between the program and the operating system, in tests.
///
/// It may make a call unchanged, make it with fewer bytes or on another descriptor, throw instead, or look at the files
/// before and after the call.
public protocol SystemInterposer: AnyObject, Sendable {
    /// Makes the call, or throws an error in its place.
    ///
    /// - Parameter make: makes the call and returns its result. It may be called again only after it has thrown.
    func perform(_ call: SystemCall, _ make: (SystemCall) throws(Errno) -> Int) throws(Errno) -> Int
}

extension SystemCall {
    /// The interposer of this task; `nil` in the program, which never sets it.
    @TaskLocal public static var interposer: (any SystemInterposer)?

    /// The handling of a call that a signal has interrupted.
    enum Interrupted {
        case isRepeated
        /// The caller gets the error (`EINTR`).
        case isThrown
    }

    /// Makes the call.
    ///
    /// - Parameter body: calls the function; a result below zero is an error, whose number is in `errno`. It must take
    ///   the descriptor and the number of bytes from its argument.
    @discardableResult
    func perform(_ interrupted: Interrupted = .isRepeated, _ body: (SystemCall) -> Int) throws(Errno) -> Int {
        while true {
            do throws(Errno) {
                guard let interposer = Self.interposer else { return try Self.checked(body(self)) }
                return try interposer.perform(self) { call throws(Errno) in try Self.checked(body(call)) }
            } catch {
                guard error == .interrupted, interrupted == .isRepeated else { throw error }
            }
        }
    }

    private static func checked(_ result: Int) throws(Errno) -> Int {
        guard result >= 0 else { throw Errno(rawValue: errno) }
        return result
    }
}

extension FilePath {
    /// Calls a function of C with the path.
    func call(_ body: (UnsafePointer<CChar>) -> Int32) -> Int { withPlatformString { Int(body($0)) } }
}
