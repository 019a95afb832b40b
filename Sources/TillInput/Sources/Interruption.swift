import CPlatform
import Synchronization
import TillSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The request to end the run, by a signal.
///
/// The first SIGINT, SIGTERM, SIGQUIT or SIGHUP sets a flag: the run stops at the next chunk of input, removes its
/// temporary files and exits with 130, or with 143 if the signal was SIGTERM. After one second the run is forced to exit, because it may block for ever, for
/// example on a pipe that no process reads. A second signal forces it at once. In both cases the function passed to
/// ``beforeLeaving(_:)`` first removes unfinished files. A third signal exits at once and removes nothing.
public enum Interruption {
    private static let requests = Atomic<Int>(0)
    /// The descriptor of the pipe that wakes the thread of ``beforeLeaving(_:)``; -1 where there is no such thread.
    private static let wakePipe = Atomic<Int32>(-1)
    /// Calls of ``hold()`` less calls of ``release()``.
    private static let holds = Atomic<Int>(0)
    private static let status = Atomic<Int32>(130)
    private static let statusOfTermination: Int32 = 143
    /// The exit status when memory runs out: an input/output error (`EX_IOERR` of sysexits).
    private static let statusWithoutMemory: Int32 = 74

    /// Whether the run should end.
    public static var isRequested: Bool { requests.load(ordering: .relaxed) > 0 }

    /// Whether the first signal was SIGTERM.
    public static var isTermination: Bool { status.load(ordering: .relaxed) == statusOfTermination }

    /// Installs the signal handlers. If SIGHUP or SIGQUIT is ignored already, as under `nohup`, it stays ignored.
    /// Signals that the parent process has blocked are unblocked: otherwise a run under such a parent could only be
    /// killed.
    public static func listen() {
        // Initializes the statics now, because a signal handler must not do it.
        _ = (requests.load(ordering: .relaxed), wakePipe.load(ordering: .relaxed), holds.load(ordering: .relaxed))
        _ = status.load(ordering: .relaxed)
        for number in [SIGINT, SIGTERM] { handle(number) { Interruption.request($0) } }
        for number in [SIGHUP, SIGQUIT] where !isIgnored(number) { handle(number) { Interruption.request($0) } }
        handle(SIGALRM) { _ in Interruption.timeOut() }
        unblock([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM])
    }

    private static func unblock(_ numbers: [Int32]) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    private static func handle(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
        var action = sigaction()
        action.sa_flags = SA_RESTART
        action.__sigaction_handler.sa_handler = handler
        sigaction(number, &action, nil)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return handler == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Runs in a signal handler, as the next three functions do: they may call only async-signal-safe functions.
    private static func request(_ signal: Int32) {
        let number = errno
        switch requests.add(1, ordering: .relaxed).oldValue {
        case 0:
            if signal == SIGTERM { status.store(statusOfTermination, ordering: .relaxed) }
            alarm(1)
        case 1: leave()
        default: _exit(status.load(ordering: .relaxed))
        }
        errno = number
    }

    /// Ends a run that has not ended one second after the first signal. It may block in a call that began just before
    /// the signal.
    private static func timeOut() {
        // An alarm that the parent process set, for example as a time limit, counts as a first signal.
        guard isRequested else { return request(SIGALRM) }
        let number = errno
        if holds.load(ordering: .relaxed) > 0 { alarm(1) } else { leave() }
        errno = number
    }

    private static func leave() {
        let status = status.load(ordering: .relaxed)
        guard wakeLeaver(with: status) else { _exit(status) }
    }

    /// Wakes the thread of ``beforeLeaving(_:)``, which ends the run with `status`; `false` where there is no such
    /// thread.
    private static func wakeLeaver(with status: Int32) -> Bool {
        let wakePipe = wakePipe.load(ordering: .relaxed)
        var byte = UInt8(truncatingIfNeeded: status)
        return wakePipe >= 0 && write(wakePipe, &byte, 1) == 1
    }

    /// Sets the function that runs before a forced exit, which a signal or the end of memory causes. A later call
    /// replaces the function. If the system has no thread or no pipe for it, the call has no effect, and a forced exit
    /// leaves unfinished files.
    ///
    /// - Parameter clearUp: runs on a thread of its own; its argument is the exit status.
    public static func beforeLeaving(_ clearUp: @escaping @Sendable (_ status: Int32) -> Void) {
        guard let pipe = try? OpenFile.makePipe() else { return }
        let exit = pipe.readEnd.descriptor
        // It needs a thread of its own, because all other threads may be blocked.
        let isStarted = OwnThread.start(stackSize: OwnThread.smallStack) {
            var byte: UInt8 = 0
            while read(exit, &byte, 1) < 0, errno == EINTR {}
            clearUp(Int32(byte))
            _exit(Int32(byte))
        }
        guard isStarted else {
            for end in [pipe.readEnd, pipe.writeEnd] { try? end.close() }
            return
        }
        wakePipe.store(pipe.writeEnd.descriptor, ordering: .relaxed)
        till_before_memory_ends { _ = Interruption.wakeLeaver(with: Interruption.statusWithoutMemory) }
    }

    /// Suspends the forced exit one second after the first signal, until a matching ``release()``. A second signal
    /// still forces it.
    public static func hold() { holds.add(1, ordering: .relaxed) }

    /// Ends one ``hold()``.
    public static func release() { holds.subtract(1, ordering: .relaxed) }
}
