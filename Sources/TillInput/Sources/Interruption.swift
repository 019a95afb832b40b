import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The wish of the user, told by a signal, that the run end.
///
/// The first SIGINT or SIGTERM only sets a flag: the run stops at the next stretch of input, takes its temporary files
/// away and leaves with 130. A second one leaves at once.
public enum Interruption {
    private static let requests = Atomic<Int>(0)

    /// Whether the run should end.
    public static var isRequested: Bool { requests.load(ordering: .relaxed) > 0 }

    /// Begins to listen.
    public static func listen() {
        _ = requests.load(ordering: .relaxed)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            if Interruption.requests.add(1, ordering: .relaxed).oldValue > 0 { _exit(130) }
        }
        sigaction(SIGINT, &action, nil)
        sigaction(SIGTERM, &action, nil)
    }
}
