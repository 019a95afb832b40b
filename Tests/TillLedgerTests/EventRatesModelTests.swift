import Testing
import TillCore
import TillRows
import TillTestSupport

@testable import TillLedger
@testable import TillStorage

/// Counts attempts, purchases and restores a second time, with dictionaries and texts.
private struct EventRatesModel {
    /// What names an attempt, a purchase or a restore.
    enum Name: Hashable {
        case attempt(String)
        case transaction(String)
        case line(Int)
    }

    var begun: Set<Name> = []
    /// The last outcome of each attempt: its instant, then its rank.
    var outcomes: [Name: (at: Int64, rank: Int, kind: String)] = [:]
    var purchased: Set<Name> = []
    var restored: Set<Name> = []

    /// - Parameter line: a number that no other event has.
    mutating func count(_ row: Row<EventColumn>, line: Int) {
        guard row[.environment]?.text != "sandbox", let event = row[.event]?.text else { return }
        let attempt = row[.attemptID]?.text.map(Name.attempt)
        let transaction = row[.transactionID]?.text.flatMap { $0 == "0" ? nil : Name.transaction($0) }
        let line = Name.line(line)
        if event == "purchasing" { begun.insert(attempt ?? line) }
        if event == "purchased" { purchased.insert(transaction ?? attempt ?? line) }
        if event == "restored" { restored.insert(transaction ?? attempt ?? line) }
        let isCancelled = event == "failed" && row[.errorClass]?.text == "cancelled"
        let kind = isCancelled ? "cancelled" : event
        guard let rank = ["deferred", "cancelled", "failed", "restored", "purchased"].firstIndex(of: kind) else {
            return
        }
        let instant = row[.at]?.number ?? .min
        let name = attempt ?? transaction ?? line
        if let known = outcomes[name], (known.at, known.rank) >= (instant, rank) { return }
        outcomes[name] = (instant, rank, kind)
    }

    func count(_ kinds: Set<String>) -> Int { outcomes.values.filter { kinds.contains($0.kind) }.count }
}

@Suite("Rates of client events, counted a second time")
struct EventRatesModelTests {
    @Test(
        "Attempts, failures, purchases and restores are those of a plain count",
        arguments: Seeds.some(of: UInt64(1)...60)
    )
    func rates(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var rows = RandomRows.events(Int.random(in: 1...80, using: &generator), from: &generator)
        // Some logs have no beginnings.
        if seed.isMultiple(of: 3) { rows.removeAll { $0[.event]?.text == "purchasing" } }
        // Some name attempts by their transaction alone.
        if seed.isMultiple(of: 2) {
            for index in rows.indices where Bool.random(using: &generator) { rows[index][.attemptID] = nil }
        }
        var model = EventRatesModel()
        for (line, row) in rows.enumerated() { model.count(row, line: line) }
        rows.shuffle(using: &generator)
        var parts: [[Row<EventColumn>]] = Array(repeating: [], count: 3)
        for row in rows { parts[Int.random(in: 0..<3, using: &generator)].append(row) }

        expect(Rows(events: rows).settled(), model)
        expect(try merged(parts).settle(LedgerRules()), model)
    }

    private func expect(_ settled: borrowing SettledLedger, _ model: EventRatesModel) {
        let (rates, restores) = (settled.failureRates, settled.eventRestores)
        let ended = model.count(["purchased", "failed", "cancelled", "deferred"])
        let lacksBeginnings = model.begun.isEmpty || model.begun.count < model.count(["failed", "cancelled"])
        #expect(rates.attempts == (lacksBeginnings ? ended : model.begun.count))
        #expect(rates.failed + rates.cancelled <= rates.attempts)
        #expect(rates.failed == model.count(["failed"]))
        #expect(rates.cancelled == model.count(["cancelled"]))
        #expect(restores.purchased == model.purchased.count)
        #expect(restores.restored == model.restored.count)
    }

    /// The ledger of all parts: the first one is counted, the others come from partials.
    private func merged(_ parts: [[Row<EventColumn>]]) throws -> Ledger {
        var whole = Ledger(needs: .failures)
        whole.update(with: Rows(events: parts[0]).batch())
        for part in parts[1...] {
            var ledger = Ledger(needs: .failures)
            ledger.update(with: Rows(events: part).batch())
            var decoder = PartialDecoder()
            try ledger.encode { try decoder.decode($0, $1.span.bytes, offset: 0, into: &whole) }
            try decoder.finish(offset: 0)
        }
        return whole
    }
}
