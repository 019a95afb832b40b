import TillCore

/// The events of a batch on their way into a ``TrafficTally``.
struct TrafficDelta: Sendable {
    /// Events one after the other that are of one hour, and all in the period or all outside of it.
    struct Run: Sendable {
        let hour: Int
        let isInPeriod: Bool
        let attempts: TrafficTally.Attempts
        /// One past the last of its ``TrafficDelta/events``.
        let end: Int
    }

    private(set) var runs: [Run] = []
    /// The combination of each event, as an index of ``combinations``, for all runs.
    private(set) var events: [Int32] = []
    /// Combinations of the batch. Some may be repeated.
    private(set) var combinations: [Combination] = []
    /// The combinations of some cells of the batch, a slot each: their codes in its dictionary, 0 for none, and the
    /// index.
    private var known: [(cells: UInt64, index: Int32)] = []
    private static let slotCount = 4096

    // The run that is open:

    private var isOpen = false
    private var isInPeriod = false
    private var hour = 0
    /// The first millisecond of the hour.
    private var start: Int64 = 0
    private var attempts = TrafficTally.Attempts()

    /// To be called before the first combination.
    mutating func begin() { known = Array(repeating: (0, 0), count: Self.slotCount) }

    /// Opens the hour of an event for counting.
    @inline(__always)
    mutating func open(at milliseconds: Int64, isInPeriod: Bool) {
        let isWithin = UInt64(bitPattern: milliseconds &- start) < UInt64(Timestamp.millisecondsPerHour)
        guard !isOpen || !isWithin || milliseconds < start || isInPeriod != self.isInPeriod else { return }
        openNext(at: milliseconds, isInPeriod: isInPeriod)
    }

    @inline(never)
    private mutating func openNext(at milliseconds: Int64, isInPeriod: Bool) {
        endHour()
        hour = Timestamp(milliseconds: milliseconds).hour
        start = Timestamp(startOfHour: hour).milliseconds
        (isOpen, self.isInPeriod) = (true, isInPeriod)
    }

    /// To be called after the last event.
    mutating func close() {
        endHour()
        known = []
    }

    private mutating func endHour() {
        guard isOpen else { return }
        runs.append(Run(hour: hour, isInPeriod: isInPeriod, attempts: attempts, end: events.count))
        attempts = TrafficTally.Attempts()
        isOpen = false
    }

    /// The index of a combination.
    ///
    /// - Parameters:
    ///   - cells: the codes of its dimensions; 0 if they are not available.
    ///   - combination: the same dimensions.
    @inline(__always)
    mutating func index(of cells: UInt64, _ combination: () -> Combination) -> Int32 {
        let slot = Int(truncatingIfNeeded: (cells &* 0x9E37_79B9_7F4A_7C15) &>> 52)
        if cells != 0, known[slot].cells == cells { return known[slot].index }
        let index = Int32(combinations.count)
        combinations.append(combination())
        known[slot] = (cells, index)
        return index
    }

    /// Counts an event in the hour that is open.
    @inline(__always)
    mutating func append(_ combination: Int32) { events.append(combination) }

    /// Counts an attempt in the hour that is open.
    @inline(__always)
    mutating func countAttempt(begun: Bool) {
        if begun { attempts.begun += 1 } else { attempts.ended += 1 }
    }
}
