#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A thread that does one thing.
public enum OwnThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Bytes of stack for a thread that does next to nothing, where memory may be little.
    public static let smallStack = 256 << 10

    /// Has a new thread run `body`; `false` where the system has no thread to give, and `body` is then never run.
    ///
    /// - Parameter stackSize: bytes; `nil` for what threads usually have.
    public static func start(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) -> Bool {
        let body = Unmanaged.passRetained(Body(body))
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else {
            body.release()
            return false
        }
        defer { pthread_attr_destroy(&attributes) }
        // A size that the system does not allow leaves the usual one.
        if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let result = pthread_create(&thread, &attributes, run, body.toOpaque())
        if result != 0 { body.release() }
        return result == 0
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
