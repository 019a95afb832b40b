#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A detached thread that runs one function.
public enum OwnThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Bytes of stack for a thread that does little, so that it can start if memory is limited.
    public static let smallStack = 256 << 10

    /// Runs `body` on a new thread.
    ///
    /// - Parameter stackSize: bytes of stack; `nil` for the default of the system.
    /// - Returns: `false` if the system starts no further thread. `body` does not run then.
    public static func start(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) -> Bool {
        let body = Unmanaged.passRetained(Body(body))
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else {
            body.release()
            return false
        }
        defer { pthread_attr_destroy(&attributes) }
        // If the system refuses the size, the thread has the default one.
        if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        do {
            try SystemCall(.createThread).perform { _ in
                errno = pthread_create(&thread, &attributes, run, body.toOpaque())
                return errno == 0 ? 0 : -1
            }
            return true
        } catch {
            body.release()
            return false
        }
    }

    /// Lets the calling thread sleep. A signal may end the sleep early.
    public static func sleep(milliseconds: Int) {
        var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
        nanosleep(&time, nil)
    }

    #if canImport(Darwin)
    private static let run: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { pointer in
        Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run()
        return nil
    }
    #else
    private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
        if let pointer { Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run() }
        return nil
    }
    #endif
}
