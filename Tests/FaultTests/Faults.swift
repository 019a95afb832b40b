import Foundation
import Synchronization
import SystemPackage
import TillSystem

/// Lets calls of the operating system fail by a plan, and gives the run standard streams of its own.
final class Faults: SystemInterposer {
    enum Plan: Sendable {
        case none
        /// The first call from this number on that can have the error fails; `forEver`, all later calls of the same
        /// function too.
        case failure(call: Int, Errno, forEver: Bool)
        /// Each call that can be interrupted is interrupted once before it is made.
        case interruptions
        /// Each read and write gives or takes a few bytes only.
        case shortCounts(seed: UInt64)
    }

    private struct State {
        var calls: [SystemCall.Name] = []
        var failed: SystemCall.Name?
        /// Calls that were interrupted when they were made last. Each is remembered for itself: a read that is
        /// interrupted is made again after a poll, which would take its turn.
        var interrupted: Set<SystemCall.Name> = []
        var random: UInt64 = 0
    }

    private let plan: Plan
    /// Calls of a function that fail in every run, so that others are made instead.
    private let missing: Set<SystemCall.Name>
    /// The descriptors that stand for 0, 1 and 2.
    private let streams: [Int32]
    private let state = Mutex(State())

    init(_ plan: Plan, without missing: Set<SystemCall.Name> = [], streams: [Int32]) {
        (self.plan, self.missing, self.streams) = (plan, missing, streams)
        if case .shortCounts(let seed) = plan { state.withLock { $0.random = seed | 1 } }
    }

    /// The functions that were called, in order.
    var calls: [SystemCall.Name] { state.withLock { $0.calls } }

    /// The function whose call has failed; `nil` where none has. How many calls there are before it depends a little on
    /// threads.
    var failed: SystemCall.Name? { state.withLock { $0.failed } }

    func perform(_ call: SystemCall, _ make: (SystemCall) throws(Errno) -> Int) throws(Errno) -> Int {
        var call = call
        guard !missing.contains(call.name) else { throw .notSupported }
        let isStandard = (0...2).contains(call.descriptor)
        if let error = error(for: &call) {
            // The descriptor is free also where closing fails.
            if call.name == .close, !isStandard { _ = try make(call) }
            throw error
        }
        // The streams are for all runs, and nothing of these runs needs to outlast a power cut.
        if call.name == .fsync || call.name == .close && isStandard { return 0 }
        if isStandard { call.descriptor = streams[Int(call.descriptor)] }
        return try make(call)
    }

    /// The error that the call is to end with; may make it shorter.
    private func error(for call: inout SystemCall) -> Errno? {
        state.withLock { state in
            let number = state.calls.count
            state.calls.append(call.name)
            switch plan {
            case .none: return nil
            case .failure(let failing, let error, let forEver):
                // Threads shift the calls a little. No call ends with an error that it cannot have.
                if state.failed == nil, number >= failing, call.name.errors.contains(error) {
                    state.failed = call.name
                    return error
                }
                return forEver && state.failed == call.name ? error : nil
            case .interruptions:
                guard call.name.errors.contains(.interrupted), call.name != .close else { return nil }
                if state.interrupted.remove(call.name) != nil { return nil }
                state.interrupted.insert(call.name)
                return .interrupted
            case .shortCounts:
                // xorshift64
                state.random ^= state.random << 13
                state.random ^= state.random >> 7
                state.random ^= state.random << 17
                let isTransfer = [.read, .pread, .write, .pwrite].contains(call.name)
                if isTransfer { call.byteCount = min(call.byteCount, 1 + Int(state.random % 4_000)) }
                return nil
            }
        }
    }
}

extension SystemCall.Name {
    /// The errors that calls of the function can end with (section 2 of Linux's manual).
    var errors: [Errno] {
        let disk: [Errno] = [.noSpace, Errno(rawValue: EDQUOT), .ioError]
        switch self {
        case .open:
            return disk + [.permissionDenied, .noSuchFileOrDirectory, .tooManyOpenFiles, .interrupted, .fileExists]
        case .openUnnamed: return disk + [.notSupported, .isDirectory, .tooManyOpenFiles, .readOnlyFileSystem]
        case .close: return disk + [.interrupted]
        case .read, .pread: return [.ioError, .interrupted, Errno(rawValue: ESTALE)]
        case .write, .pwrite: return disk + [.interrupted, .fileTooLarge]
        case .fsync: return disk + [.interrupted, .invalidArgument]
        case .lseek, .winsize, .statx: return [.ioError]
        case .fstat: return [.ioError, .noMemory, Errno(rawValue: ESTALE)]
        case .stat, .lstat: return [.ioError, .noMemory, .permissionDenied, .noSuchFileOrDirectory]
        case .access, .readlink: return [.ioError, .permissionDenied]
        case .ftruncate, .fchmod, .fchown: return [.ioError, .notPermitted, .readOnlyFileSystem]
        case .flock: return [.interrupted, .wouldBlock, Errno(rawValue: ENOLCK)]
        case .poll: return [.interrupted, .noMemory]
        case .pipe, .dup: return [.tooManyOpenFiles]
        case .isatty: return [Errno(rawValue: ENOTTY)]
        case .opendir: return [.ioError, .permissionDenied, .tooManyOpenFiles]
        case .readdir: return [.ioError]
        case .mkdir: return disk + [.permissionDenied, .readOnlyFileSystem, .fileExists]
        case .rmdir: return [.ioError, .resourceBusy, .permissionDenied]
        case .rename: return disk + [.permissionDenied, .improperLink, .readOnlyFileSystem]
        case .exchange: return [.ioError, .invalidArgument, .noFunction, .permissionDenied]
        case .link, .linkUnnamed: return disk + [.permissionDenied, .fileExists, .noSuchFileOrDirectory]
        case .unlink: return [.ioError, .permissionDenied, .resourceBusy]
        case .createThread: return [.resourceTemporarilyUnavailable]
        // The clocks of a system do not fail.
        case .time, .monotonicTime, .processorTime: return []
        }
    }

    /// Whether calls can fail with the error for ever without that the run has to wait for ever.
    func ends(with error: Errno) -> Bool { ![.interrupted, .wouldBlock].contains(error) }
}
