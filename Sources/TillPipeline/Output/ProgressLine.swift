import Dispatch
import Synchronization
import SystemPackage

/// One line on a terminal that says how far a run is, drawn over itself and gone when the run is done.
///
/// It is drawn by a clock of its own, so it tells the truth also while the run waits for a slow pipe.
final class ProgressLine: Sendable {
    private struct State {
        var progress = ReadProgress()
        var isDrawn = false
        /// Until the line is taken away.
        var clock: (any DispatchSourceTimer)?
    }

    private static let interval = DispatchTimeInterval.milliseconds(100)

    private let isShown: Bool
    /// Bytes of all sources as they are stored, where all of them say.
    private let total: Int?
    private let start = Terminal.seconds
    private let state = Mutex(State())

    init(isShown: Bool, total: Int?) {
        self.isShown = isShown
        self.total = total
        guard isShown else { return }
        state.withLock { state in
            let clock = DispatchSource.makeTimerSource()
            clock.setEventHandler { [weak self] in self?.draw() }
            clock.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
            clock.resume()
            state.clock = clock
        }
    }

    deinit {
        clear()
    }

    func update(_ progress: ReadProgress) {
        guard isShown else { return }
        state.withLock { $0.progress = progress }
    }

    private func draw() {
        state.withLock { state in
            guard state.clock != nil else { return }
            state.isDrawn = true
            write("\r\u{1B}[K" + text(state.progress, after: Terminal.seconds - start))
        }
    }

    /// Takes the line away for good.
    func clear() {
        state.withLock { state in
            state.clock?.cancel()
            state.clock = nil
            if state.isDrawn { write("\r\u{1B}[K") }
            state.isDrawn = false
        }
    }

    private func write(_ text: String) {
        // A terminal that cannot be written to is shown nothing.
        _ = try? FileDescriptor.standardError.writeAll(text.utf8)
    }

    func text(_ progress: ReadProgress, after elapsed: Double) -> String {
        var parts = [Self.size(progress.storedBytes)]
        if let total, total > 0 {
            parts[0] += " of \(Self.size(total)) (\(min(100, progress.storedBytes * 100 / total)) %)"
        }
        parts.append("\(progress.documents) documents")
        if elapsed > 0 { parts.append("\(Int(Double(progress.documents) / elapsed))/s") }
        if progress.rejected > 0 { parts.append("\(progress.rejected) rejected") }
        if let total, progress.storedBytes > 0, progress.storedBytes < total {
            let rest = Int(elapsed * Double(total - progress.storedBytes) / Double(progress.storedBytes)) + 1
            parts.append("\(rest / 60):\(rest % 60 < 10 ? "0" : "")\(rest % 60) left")
        }
        return parts.joined(separator: "  ")
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
