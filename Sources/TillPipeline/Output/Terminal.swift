#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What the terminals of the process are and can.
public enum Terminal {
    static var inputIsTerminal: Bool { isatty(STDIN_FILENO) == 1 }
    public static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    public static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Columns of standard output; `nil` where it is no terminal.
    public static var width: Int? { size(STDOUT_FILENO).flatMap { $0.columns > 0 ? $0.columns : nil } }

    /// Lines of standard output; `nil` where it is no terminal, or does not say.
    static var height: Int? { size(STDOUT_FILENO).flatMap { $0.lines > 0 ? $0.lines : nil } }

    /// Columns of standard error; `nil` where it is no terminal, or does not say.
    static var errorWidth: Int? { size(STDERR_FILENO).flatMap { $0.columns > 0 ? $0.columns : nil } }

    private static func size(_ descriptor: Int32) -> (columns: Int, lines: Int)? {
        var size = winsize()
        guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Whether colour is welcome: on a terminal, unless `NO_COLOR` is set (no-color.org) or the terminal is dumb.
    public static var wantsColor: Bool {
        let forbids = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        return outputIsTerminal && !forbids && !isDumb
    }

    /// Whether the terminal can show nothing but lines one after the other.
    static var isDumb: Bool { getenv("TERM").map { String(cString: $0) == "dumb" } ?? true }

    /// Seconds on a clock that only goes forward.
    static var seconds: Double { seconds(of: CLOCK_MONOTONIC) }

    /// Seconds that all threads of this process have run on a processor.
    static var processorSeconds: Double { seconds(of: CLOCK_PROCESS_CPUTIME_ID) }

    private static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
