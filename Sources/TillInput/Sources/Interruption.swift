import CPlatform
import Synchronization
import TillThreads

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The request of the user, by a signal, to end the run.
///
/// The first SIGINT, SIGTERM, SIGQUIT or SIGHUP sets a flag: the run stops at the next chunk of input, removes its
/// temporary files and exits with 130. A run that has not ended a second later may wait for ever, for a reader of its pipe for
/// example, so it is made to exit; a second signal does so at once. Either way unfinished files are removed first.
public enum Interruption {
    private static let requests = Atomic<Int>(0)
    /// The descriptor to which a byte is written to wake the thread that ends the run; -1 where there are no files to remove.
    private static let wakePipe = Atomic<Int32>(-1)
    /// The number of parts of the run that need more time than a second.
    private static let holds = Atomic<Int>(0)
    private static let status: Int32 = 130
    /// An input/output error, as it is where memory ends before there is anything to take away.
    private static let statusWithoutMemory: Int32 = 74

    /// Whether the run should end.
    public static var isRequested: Bool { requests.load(ordering: .relaxed) > 0 }

    /// Installs the signal handlers. SIGHUP and SIGQUIT stay ignored where they are, as under `nohup`.
    public static func listen() {
        // The statics are initialized now, because a signal handler must not do it.
        _ = (requests.load(ordering: .relaxed), wakePipe.load(ordering: .relaxed), holds.load(ordering: .relaxed))
        for number in [SIGINT, SIGTERM] { handle(number) { _ in Interruption.request() } }
        for number in [SIGHUP, SIGQUIT] where !isIgnored(number) { handle(number) { _ in Interruption.request() } }
        handle(SIGALRM) { _ in Interruption.loseTime() }
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

    /// Runs in a handler, as do the next two: only what is safe there may be called.
    private static func request() {
        let number = errno
        switch requests.add(1, ordering: .relaxed).oldValue {
        case 0: alarm(1)
        case 1: leave()
        default: _exit(status)
        }
        errno = number
    }

    /// A signal that comes between a look at the flag and a call that blocks would be lost; the clock is not.
    private static func loseTime() {
        // A clock that was set before the run began, as by a shell that allows it a minute, asks for its end as well.
        guard isRequested else { return request() }
        let number = errno
        if holds.load(ordering: .relaxed) > 0 { alarm(1) } else { leave() }
        errno = number
    }

    private static func leave() {
        guard wakeDoor(for: status) else { _exit(status) }
    }

    /// Has the run leave with a status, once what it has begun is taken away.
    private static func wakeDoor(for status: Int32) -> Bool {
        let wakePipe = wakePipe.load(ordering: .relaxed)
        var byte = UInt8(truncatingIfNeeded: status)
        return wakePipe >= 0 && write(wakePipe, &byte, 1) == 1
    }

    /// Has `clearUp` run, on a thread that waits for it, before a run that is made to leave does, by a signal or since there is no
    /// more memory; the last one counts. It is given the status that the run leaves with.
    public static func beforeLeaving(_ clearUp: @escaping @Sendable (_ status: Int32) -> Void) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let exit = ends[0]
        // It has a thread of its own, since all others may be blocked. Where there is none to be had, a run that is made to leave
        // does so at once, and what it has begun stays.
        let isStarted = OwnThread.start(stackSize: OwnThread.smallStack) {
            var byte: UInt8 = 0
            while read(exit, &byte, 1) < 0, errno == EINTR {}
            clearUp(Int32(byte))
            _exit(Int32(byte))
        }
        guard isStarted else {
            for end in ends { close(end) }
            return
        }
        wakePipe.store(ends[1], ordering: .relaxed)
        till_before_memory_ends { _ = Interruption.wakeDoor(for: Interruption.statusWithoutMemory) }
    }

    /// Gives the run all the time that it needs after the first signal, until as many calls of ``release()``.
    public static func hold() { holds.add(1, ordering: .relaxed) }

    /// Takes back one ``hold()``.
    public static func release() { holds.subtract(1, ordering: .relaxed) }
}
