#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What the terminals of the process are and can.
public enum Terminal {
    public static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    public static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Columns of standard output; `nil` where it is no terminal.
    public static var width: Int? {
        var size = winsize()
        guard outputIsTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Whether colour is welcome: on a terminal, unless `NO_COLOR` is set (no-color.org) or the terminal is dumb.
    public static var wantsColor: Bool {
        let forbids = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
        return outputIsTerminal && !forbids && !isDumb
    }

    /// Makes a write to a closed pipe an error instead of the end of the process.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Seconds on a clock that only goes forward.
    static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
