import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes the progress line on SIGUSR1 to standard error, whether or not that is a terminal.
///
/// A signal handler may call very few functions, so the line is kept ready and the handler only writes it. This works
/// also while the run waits for a pipe; the figures are then those of the last document.
public enum StatusSignal {
    private static let slotSize = 512
    /// Lines are stored in alternating slots, so that a line is not overwritten while the handler writes it.
    private static let slotCount = 4
    private nonisolated(unsafe) static let slots = UnsafeMutableRawPointer.allocate(
        byteCount: slotSize * slotCount,
        alignment: 1
    )
    /// The number of the line that is ready and its length.
    private static let ready = Atomic<Int>(0)

    /// Begins to listen; until something is read, the line says so.
    public static func listen() {
        prepare("tillroll: nothing has been read yet\n")
        var action = sigaction()
        action.sa_flags = SA_RESTART
        action.__sigaction_handler.sa_handler = { _ in
            // The interrupted code must find its errno unchanged.
            let number = errno
            let ready = StatusSignal.ready.load(ordering: .acquiring)
            let slot =
                StatusSignal.slots + ready / StatusSignal.slotSize % StatusSignal.slotCount * StatusSignal.slotSize
            _ = write(STDERR_FILENO, slot, ready % StatusSignal.slotSize)
            errno = number
        }
        sigaction(SIGUSR1, &action, nil)
    }

    /// Keeps a line ready, of 511 bytes at most. One thread at a time may do so.
    static func prepare(_ line: String) {
        let number = ready.load(ordering: .relaxed) / slotSize + 1
        let slot = UnsafeMutableRawBufferPointer(start: slots + number % slotCount * slotSize, count: slotSize - 1)
        let bytes = line.utf8.prefix(slot.count)
        slot.copyBytes(from: bytes)
        ready.store(number * slotSize + bytes.count, ordering: .releasing)
    }
}
