import TillSystem
import TillThreads

/// One line with the progress of a run. On a terminal it is redrawn in place, and erased at the end.
///
/// Its own timer redraws it, so it is correct also while the run waits for a slow pipe. If it is requested and standard
/// error is not a terminal, it is a log line from time to time. Its text is also kept ready for SIGUSR1
/// (``StatusSignal``).
final class ProgressLine: Sendable {
    private struct State {
        var progress = ReadProgress()
        var isDrawn = false
        /// Until the line is taken away.
        var clock: Clock?
    }

    private let isShown: Bool
    private let isTerminal = Terminal.errorIsTerminal
    /// Stored bytes of all sources, if all sizes are known.
    private let total: Int?
    private let start = Terminal.seconds
    private let state = Locked(State())

    init(isShown: Bool, total: Int?) {
        self.isShown = isShown
        self.total = total
        StatusSignal.prepare(statusText(ReadProgress()))
        guard isShown else { return }
        // Where there is no thread for a clock, there is no line.
        let clock = Clock(everyMilliseconds: isTerminal ? 100 : 2000) { [weak self] in self?.draw() }
        state.withLock { $0.clock = clock }
    }

    deinit {
        clear()
    }

    func update(_ progress: ReadProgress) {
        StatusSignal.prepare(statusText(progress))
        guard isShown else { return }
        state.withLock { $0.progress = progress }
    }

    private func statusText(_ progress: ReadProgress) -> String {
        let line = "tillroll: \(text(progress, after: Terminal.seconds - start))\n"
        // The current progress line is erased first.
        return isShown && isTerminal ? "\r\u{1B}[K" + line : line
    }

    private func draw() {
        state.withLock { state in
            guard state.clock != nil else { return }
            let elapsed = Terminal.seconds - start
            guard isTerminal else { return write("tillroll: \(text(state.progress, after: elapsed))\n") }
            state.isDrawn = true
            // The last column stays free: some terminals begin a new line there.
            let width = Terminal.errorWidth.map { $0 - 1 }
            write("\r\u{1B}[K" + text(state.progress, after: elapsed, width: width))
        }
    }

    /// Takes the line away for good.
    func clear() {
        state.withLock { state in
            state.clock?.stop()
            state.clock = nil
            if state.isDrawn { write("\r\u{1B}[K") }
            state.isDrawn = false
        }
    }

    private func write(_ text: String) {
        // An error of writing to the terminal is ignored.
        _ = try? OpenFile.standardError.writeAll(Array(text.utf8))
    }

    /// The parts of the line, the most important first: on a narrow terminal the rate is left out first.
    ///
    /// - Parameter width: the available columns; a line without further optional parts is truncated.
    func text(_ progress: ReadProgress, after elapsed: Double, width: Int? = nil) -> String {
        // Each with its rank: the lowest rank is omitted first.
        var parts: [(text: String, rank: Int)] = []
        let read = Self.size(progress.storedBytes)
        if let total, total > 0 {
            parts.append(("\(read) of \(Self.size(total))", 3))
            parts.append(("\(min(100, progress.storedBytes * 100 / total)) %", 5))
        } else {
            parts.append((read, 3))
        }
        parts.append(("\(progress.documents) documents", 2))
        if elapsed > 0 { parts.append(("\(Int(Double(progress.documents) / elapsed))/s", 0)) }
        if progress.rejected > 0 { parts.append(("\(progress.rejected) rejected", 1)) }
        if let left = secondsLeft(progress, after: elapsed) {
            parts.append(("\(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left", 4))
        }
        func joined() -> String { parts.map(\.text).joined(separator: "  ") }
        guard let width else { return joined() }
        while parts.count > 1, joined().utf8.count > width,
            let least = parts.indices.min(by: { parts[$0].rank < parts[$1].rank })
        {
            parts.remove(at: least)
        }
        return String(joined().prefix(max(0, width)))
    }

    /// Seconds until the end at the pace so far; `nil` if the end is not known.
    private func secondsLeft(_ progress: ReadProgress, after elapsed: Double) -> Int? {
        guard let total, progress.storedBytes > 0, progress.storedBytes < total else { return nil }
        return Int(elapsed * Double(total - progress.storedBytes) / Double(progress.storedBytes)) + 1
    }

    /// Bytes in the decimal unit that keeps four digits at most: `312.4 MB`.
    static func size(_ bytes: Int) -> String {
        var (tenths, unit) = (bytes * 10, 0)
        let units = ["B", "kB", "MB", "GB", "TB"]
        while tenths >= 10_000, unit < units.count - 1 {
            tenths /= 1000
            unit += 1
        }
        return unit == 0 ? "\(bytes) B" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
