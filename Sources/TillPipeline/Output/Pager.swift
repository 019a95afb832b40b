import SystemPackage
import TillSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Text for a terminal. It goes through a pager if it is longer than the terminal.
///
/// The pager is the command in `PAGER`, else `less`. An empty `PAGER`, or `cat`, means none, as for git. Text that
/// fits, or for which no pager can be started, is written as it is.
struct PagedOutput: ~Copyable {
    /// Text that is buffered until it is known whether it fits.
    private var held: [UInt8] = []
    private var heldLines = 0
    /// Lines that are shown without a pager.
    private let height: Int
    private var pager: Pager?
    private var isDirect = false

    /// - Parameter height: lines of the terminal.
    init(height: Int) {
        self.height = height
    }

    mutating func write(_ bytes: [UInt8]) throws(RunError) {
        if isDirect {
            // A terminal does not close its end, as the reader of a pipe may.
            _ = try StandardOutput.write(bytes)
            return
        }
        if let pager { return try pager.write(bytes) }
        held += bytes
        for byte in bytes where byte == UInt8(ascii: "\n") { heldLines += 1 }
        // The last line is for the prompt.
        if heldLines >= height { try release(toPager: true) }
    }

    /// Writes what is held back, and waits until the pager has ended.
    consuming func finish() throws(RunError) {
        if pager == nil, !isDirect { try release(toPager: false) }
        pager?.wait()
    }

    private mutating func release(toPager wantsPager: Bool) throws(RunError) {
        let text = held
        held = []
        if wantsPager { pager = Pager.start() }
        isDirect = pager == nil
        try write(text)
    }
}

/// A program that shows text page by page, and reads it from a pipe.
///
/// An object, so that the run waits for it even when it ends with an error.
private final class Pager {
    private let process: pid_t
    private let input: OpenFile
    /// The reader may end the pager before it has all of the text.
    private var isClosed = false
    private var isDone = false
    /// The effect of Ctrl-C without a pager.
    private var usual = sigaction()

    /// Ctrl-C is for the pager from now on until it has ended.
    private init(process: pid_t, input: OpenFile) {
        (self.process, self.input) = (process, input)
        var ignoring = sigaction()
        ignoring.__sigaction_handler.sa_handler = SIG_IGN
        sigaction(SIGINT, &ignoring, &usual)
    }

    deinit { wait() }

    /// `nil` if none is wanted or none can be started.
    static func start() -> Pager? {
        let command = getenv("PAGER").map { String(cString: $0) }
        let words: [String]
        switch command {
        case nil: words = ["less"]
        case "", "cat": return nil
        // The shell splits the command into words, as for every program that knows PAGER.
        case let command?: words = ["sh", "-c", command]
        }
        // Quit if all fits one screen, show colours, leave the text on the terminal: what git sets.
        if command == nil { setenv("LESS", "FRX", 0) }
        guard let pipe = try? OpenFile.makePipe() else { return nil }
        defer { try? pipe.readEnd.close() }
        guard let process = spawn(words, reading: pipe) else {
            try? pipe.writeEnd.close()
            return nil
        }
        return Pager(process: process, input: pipe.writeEnd)
    }

    private static func spawn(
        _ words: [String],
        reading pipe: (readEnd: OpenFile, writeEnd: OpenFile)
    ) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { posix_spawn_file_actions_destroy(&actions) }
        guard posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawn_file_actions_adddup2(&actions, pipe.readEnd.descriptor, STDIN_FILENO)
        posix_spawn_file_actions_addclose(&actions, pipe.readEnd.descriptor)
        posix_spawn_file_actions_addclose(&actions, pipe.writeEnd.descriptor)
        // A signal that this process ignores would be ignored by the pager too.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGPIPE, SIGXFSZ, SIGINT] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var arguments = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        arguments.append(nil)
        var process = pid_t()
        return posix_spawnp(&process, words[0], &actions, &attributes, arguments, environ) == 0 ? process : nil
    }

    func write(_ bytes: [UInt8]) throws(RunError) {
        guard !isClosed else { return }
        do {
            try input.writeAll(bytes)
        } catch Errno.brokenPipe {
            isClosed = true
        } catch {
            throw RunError(.inputOutputError, "the pager cannot be written to: \(error)")
        }
    }

    /// Waits until the user quits the pager.
    func wait() {
        guard !isDone else { return }
        isDone = true
        try? input.close()
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        sigaction(SIGINT, &usual, nil)
    }
}
