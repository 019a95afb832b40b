/// A value that one thread at a time has.
///
/// `Mutex` of the standard library does the same. On Linux, the thread sanitizer does not see its lock, and would
/// report every second use of the value.
public final class Locked<Value>: @unchecked Sendable {
    private let lock = Condition()
    private var value: Value

    /// Takes over the value; unless it is `Sendable`, the caller cannot use it any more.
    public init(_ value: sending Value) {
        self.value = value
    }

    /// Waits until no other thread has the value, and gives it to `body`, which must not ask for it again.
    ///
    /// - Throws: the error of `body`.
    public func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { () throws(Failure) -> Result in try body(&value) }
    }
}
