import SystemPackage

/// One line on a terminal that says how far a run is, drawn over itself and gone when the run is done.
struct ProgressLine {
    private static let interval = 0.1

    private let isShown: Bool
    /// Bytes of all sources as they are stored, where all of them say.
    private let total: Int?
    private let start = Terminal.seconds
    private var lastDrawn = 0.0

    init(isShown: Bool, total: Int?) {
        self.isShown = isShown
        self.total = total
    }

    mutating func draw(_ progress: ReadProgress) {
        guard isShown else { return }
        let now = Terminal.seconds
        guard now - lastDrawn >= Self.interval else { return }
        lastDrawn = now
        write("\r\u{1B}[K" + text(progress, after: now - start))
    }

    func clear() {
        if isShown, lastDrawn > 0 { write("\r\u{1B}[K") }
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
