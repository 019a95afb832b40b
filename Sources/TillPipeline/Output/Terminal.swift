import TillSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The properties of the process's terminals.
public enum Terminal {
    static var inputIsTerminal: Bool { OpenFile.standardInput.isTerminal }
    /// Whether standard output is a terminal, to which no binary format is written.
    public static var outputIsTerminal: Bool { OpenFile.standardOutput.isTerminal }
    /// Whether standard error is a terminal, where the progress is redrawn in place.
    public static var errorIsTerminal: Bool { OpenFile.standardError.isTerminal }

    /// Columns of standard output; `nil` if it is no terminal.
    public static var width: Int? { OpenFile.standardOutput.terminalSize.flatMap { $0.columns > 0 ? $0.columns : nil } }

    /// Columns for running text: the number in `COLUMNS`, else the width of the terminal, else 80.
    public static var textWidth: Int {
        let named = getenv("COLUMNS").flatMap { Int(String(cString: $0)) }
        return max(40, named ?? width ?? 80)
    }

    /// Lines of standard output; `nil` if it is no terminal, or does not say.
    static var height: Int? { OpenFile.standardOutput.terminalSize.flatMap { $0.lines > 0 ? $0.lines : nil } }

    /// Columns of standard error; `nil` if it is no terminal, or does not say.
    static var errorWidth: Int? { OpenFile.standardError.terminalSize.flatMap { $0.columns > 0 ? $0.columns : nil } }

    /// Whether colour is welcome: on a terminal, unless `NO_COLOR` is set (no-color.org) or the terminal is dumb.
    public static var wantsColor: Bool {
        let forbids = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        return outputIsTerminal && !forbids && !isDumb
    }

    /// Whether the terminal can only append lines.
    static var isDumb: Bool { getenv("TERM").map { String(cString: $0) == "dumb" } ?? true }

    /// Seconds on a clock that only goes forward.
    static var seconds: Double { Double(Machine.uptime) / 1e9 }

    /// Seconds that all threads of this process have run on a processor.
    static var processorSeconds: Double { Double(Machine.processorTime) / 1e9 }
}
