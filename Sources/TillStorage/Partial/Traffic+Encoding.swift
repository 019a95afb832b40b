import TillColumns
import TillCore
import TillLedger

extension Ledger {
    /// Writes all events by hour, the oldest hour first. An hour with many combinations has several entries.
    borrowing func encodeTraffic(_ write: (PartialBlock, [UInt8]) throws -> Void) rethrows {
        var traffic = events.traffic
        traffic.settle()
        var entries: [TrafficEntry] = []
        var size = 0
        func flush() throws {
            guard size > 0 else { return }
            var writer = PartialWriter()
            writer.write(optional: traffic.lostThrough.map(Int64.init))
            writer.write(count: entries.count)
            for entry in entries { writer.write(entry) }
            entries.removeAll()
            size = 0
            try write(.traffic, writer.take())
        }
        try traffic.visitHours { hour, cells in
            var rest = cells[...]
            var entry = TrafficEntry(hour: hour.hour, inPeriod: hour.inPeriod, outside: hour.outside)
            repeat {
                entry.cells = rest.prefix(Self.blockCount)
                rest = rest.dropFirst(Self.blockCount)
                if size + entry.cells.count >= Self.blockCount { try flush() }
                entries.append(entry)
                size += 1 + entry.cells.count
                entry = TrafficEntry(hour: hour.hour)
            } while !rest.isEmpty
        }
        // A reader must know the lost hours even if no hour is left.
        if entries.isEmpty, traffic.lostThrough != nil { size = 1 }
        try flush()
    }
}

/// The events of an hour, or some of them.
private struct TrafficEntry {
    let hour: Int
    var inPeriod = TrafficTally.Attempts()
    var outside = TrafficTally.Attempts()
    var cells: ArraySlice<(combination: Combination, count: UInt32)> = []
}

extension PartialWriter {
    fileprivate mutating func write(_ entry: TrafficEntry) {
        write(difference: Int64(entry.hour))
        for attempts in [entry.inPeriod, entry.outside] {
            write(count: attempts.begun)
            write(count: attempts.ended)
            write(count: attempts.responses)
        }
        write(count: entry.cells.count)
        for (combination, count) in entry.cells {
            write(combination, nil)
            write(count: Int(count))
        }
    }
}

extension PartialCursor {
    /// Reads events by hour, as ``Ledger/encodeTraffic(_:)`` writes them.
    ///
    /// - Parameter textCount: the number of texts of the partial. `translation` has their codes in the ledger.
    @_lifetime(self: copy self)
    mutating func readTraffic(
        into ledger: inout Ledger,
        textCount: Int,
        _ translation: TextTranslation,
        within allowance: inout CountAllowance
    ) throws(Finding) {
        if try flag() { ledger.forgetTraffic(through: try hour()) }
        for _ in 0..<(try count(ofSize: 8)) {
            let hour = try hour()
            ledger.add(try attempts(within: &allowance), in: hour, isInPeriod: true)
            ledger.add(try attempts(within: &allowance), in: hour, isInPeriod: false)
            for _ in 0..<(try count(ofSize: 5)) {
                let combination = try combination(below: textCount, translation)
                ledger.add(UInt32(clamping: try tally(within: &allowance)), of: combination, in: hour)
            }
        }
    }

    @_lifetime(self: copy self)
    private mutating func attempts(
        within allowance: inout CountAllowance
    ) throws(Finding) -> TrafficTally.Attempts {
        TrafficTally.Attempts(
            begun: try tally(within: &allowance),
            ended: try tally(within: &allowance),
            responses: try tally(within: &allowance)
        )
    }
}
