import TillColumns
import TillCore
import TillRows

/// The events of one batch on their way into ``IncidentCells``. It has the texts and numbers of the batch.
///
/// Events mostly come in the order of time. So events of ten minutes, and of an hour, are added up as long as the next
/// one is of the same time, and only then become cells.
struct IncidentDelta: Sendable {
    private(set) var cells: [IncidentCells.Cell] = []
    private var numberedSeries = NumberedValues<CellSeries>()
    private var numberedUnderlying = NumberedValues<FailureCode>()
    private(set) var impossible = 0
    /// The numbers of the series of attempts of an app, by family.
    private var seriesOfApps: [Int32: InlineArray<8, Int32>] = [:]
    /// The latest failures of some codes, a slot each, with the numbers of their series.
    private var knownFailures: [(series: CellSeries, number: Int32)] = []

    // The ten minutes and the hour that are open:

    private var slot = -1
    private var hour = -1
    private var records: UInt64 = 0
    private var sources: UInt64 = 0
    private var newest: Int64 = 0
    private var newestPurchase: Int64 = 0
    private var apps: [AppCounts] = []
    private var lastApp = 0
    /// Attempts of the hour by app, family and combination; and the numbers of those that are not 0.
    private var attempts: [(series: Int32, combination: Int32, count: UInt64, ofPeriod: UInt64)] = []
    private var counted: [Int32] = []
    /// The number in ``attempts`` of some app, family and combination, a slot each.
    private var known: [(key: UInt64, number: Int32)] = []
    private static let slotCount = 1024

    /// Counts of an app in the ten minutes that are open.
    private struct AppCounts: Sendable {
        let app: Int32
        let series: InlineArray<8, Int32>
        var purchases: UInt64 = 0
        var others: UInt64 = 0
        var otherSources: UInt64 = 0
        var attempts: InlineArray<8, UInt64> = InlineArray(repeating: 0)
    }

    /// Whether the events of a period are counted apart too.
    private var hasPeriod = false

    /// The series and the innermost errors of the cells, by number.
    var series: [CellSeries] { numberedSeries.all }
    var underlying: [FailureCode] { numberedUnderlying.all }

    /// To be called before the first event.
    ///
    /// - Parameter hasPeriod: whether the events of a period are counted apart too.
    mutating func begin(hasPeriod: Bool) {
        self.hasPeriod = hasPeriod
        known = Array(repeating: (0, 0), count: Self.slotCount)
        // No failure is of this series.
        knownFailures = Array(repeating: (CellSeries(app: 0, family: .begun), 0), count: 64)
    }

    /// Counts an event.
    ///
    /// - Parameters:
    ///   - app: the text of its app, -1 where it has none.
    ///   - family: the family of an attempt; `nil` for other events.
    ///   - source: a hash of who sent it.
    ///   - combination: the number of its combination in the batch.
    mutating func count(
        at instant: Int64,
        isInPeriod: Bool,
        app: Int32,
        _ family: AttemptFamily?,
        isPurchase: Bool,
        source: UInt64,
        combination: Int32
    ) {
        open(Int(instant / IncidentCells.slotLength))
        let bit: UInt64 = 1 << (source & 63)
        records &+= 1
        sources |= bit
        newest = max(newest, instant)
        let place = place(of: app)
        if isPurchase {
            apps[place].purchases &+= 1
            newestPurchase = max(newestPurchase, instant)
        } else {
            apps[place].others &+= 1
            apps[place].otherSources |= bit
        }
        guard let family else { return }
        apps[place].attempts[Int(family.rawValue)] &+= 1
        guard family.isTested else { return }
        countValues(apps[place].series[Int(family.rawValue)], combination, isInPeriod: isInPeriod)
    }

    /// Counts the failure of an event that was counted before.
    mutating func countFailure(
        _ failure: Failure,
        at instant: Int64,
        isInPeriod: Bool,
        app: Int32,
        _ family: AttemptFamily,
        source: UInt64,
        combination: Int32
    ) {
        let number = number(ofFailures: CellSeries(app: app, family: family, failure: failure.code))
        let slot = Int(instant / IncidentCells.slotLength)
        let hour = slot / IncidentCells.slotsOfHour
        cells.append(.init(.init(.failures, slot, series: number), 1, sources: 1 << (source &>> 6 & 63)))
        let ofPeriod = hasPeriod && isInPeriod
        cells.append(.init(.init(.failuresByValues, hour, series: number, value: combination), 1))
        if ofPeriod { cells.append(.init(.init(.failuresOfPeriod, hour, series: number, value: combination), 1)) }
        if let code = failure.underlying {
            let error = numberedUnderlying.number(entering: code)
            cells.append(.init(.init(.underlying, hour, series: number, value: error), 1))
            if ofPeriod { cells.append(.init(.init(.underlyingOfPeriod, hour, series: number, value: error), 1)) }
        }
        if failure.account >= 0 {
            cells.append(.init(.init(.accounts, hour, series: number, value: failure.account), 1))
        }
    }

    /// What is known of a failure.
    struct Failure {
        let code: FailureCode
        /// The innermost error under it.
        let underlying: FailureCode?
        /// A text, -1 where not known.
        let account: Int32
    }

    mutating func countImpossible() { impossible += 1 }

    /// To be called after the last event.
    mutating func close() {
        endHour()
        known = []
        numberedSeries.close()
        numberedUnderlying.close()
        (seriesOfApps, knownFailures) = ([:], [])
    }

    private mutating func number(ofFailures added: CellSeries) -> Int32 {
        let packed = added.failure?.packed ?? 0
        let folded = UInt64(truncatingIfNeeded: packed ^ packed >> 64) ^ UInt64(added.family.rawValue)
        let slot = Int(truncatingIfNeeded: (folded &* 0x9E37_79B9_7F4A_7C15) &>> 58)
        if knownFailures[slot].series != added { knownFailures[slot] = (added, numberedSeries.number(entering: added)) }
        return knownFailures[slot].number
    }

    private mutating func open(_ next: Int) {
        guard next != slot else { return }
        endSlot()
        if next / IncidentCells.slotsOfHour != hour {
            endHour()
            hour = next / IncidentCells.slotsOfHour
        }
        slot = next
    }

    private mutating func place(of app: Int32) -> Int {
        if lastApp < apps.count, apps[lastApp].app == app { return lastApp }
        if let place = apps.firstIndex(where: { $0.app == app }) {
            lastApp = place
        } else {
            lastApp = apps.count
            apps.append(AppCounts(app: app, series: series(ofApp: app)))
        }
        return lastApp
    }

    private mutating func series(ofApp app: Int32) -> InlineArray<8, Int32> {
        if let known = seriesOfApps[app] { return known }
        var numbers: InlineArray<8, Int32> = InlineArray(repeating: 0)
        for family in AttemptFamily.allCases {
            numbers[Int(family.rawValue)] = numberedSeries.number(entering: CellSeries(app: app, family: family))
        }
        seriesOfApps[app] = numbers
        return numbers
    }

    private mutating func countValues(_ series: Int32, _ combination: Int32, isInPeriod: Bool) {
        let key = UInt64(UInt32(bitPattern: series)) << 32 | UInt64(UInt32(bitPattern: combination)) + 1
        let slot = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> 54)
        if known[slot].key != key {
            known[slot] = (key, Int32(attempts.count))
            attempts.append((series, combination, 0, 0))
        }
        let number = known[slot].number
        if attempts[Int(number)].count == 0 { counted.append(number) }
        attempts[Int(number)].count &+= 1
        if isInPeriod { attempts[Int(number)].ofPeriod &+= 1 }
    }

    private mutating func endSlot() {
        guard slot >= 0 else { return }
        for counts in apps {
            // Counts of an app without a family are under the series of its purchases.
            let app = counts.series[Int(AttemptFamily.purchase.rawValue)]
            func add(_ table: IncidentCells.Table, _ series: Int32, _ count: UInt64, sources: UInt64 = 0) {
                if count > 0 { cells.append(.init(.init(table, slot, series: series), count, sources: sources)) }
            }
            add(.purchases, app, counts.purchases)
            add(.others, app, counts.others, sources: counts.otherSources)
            for family in counts.attempts.indices { add(.attempts, counts.series[family], counts.attempts[family]) }
        }
        apps.removeAll(keepingCapacity: true)
    }

    private mutating func endHour() {
        endSlot()
        slot = -1
        guard hour >= 0, records > 0 else { return }
        cells.append(.init(.init(.records, hour), records, sources: sources))
        cells.append(.init(.init(.newest, hour), UInt64(newest)))
        if newestPurchase > 0 { cells.append(.init(.init(.newestPurchase, hour), UInt64(newestPurchase))) }
        (records, sources, newest, newestPurchase) = (0, 0, 0, 0)
        for number in counted {
            let (series, combination, count, ofPeriod) = attempts[Int(number)]
            cells.append(.init(.init(.attemptsByValues, hour, series: series, value: combination), count))
            if hasPeriod, ofPeriod > 0 {
                cells.append(.init(.init(.attemptsOfPeriod, hour, series: series, value: combination), ofPeriod))
            }
            (attempts[Int(number)].count, attempts[Int(number)].ofPeriod) = (0, 0)
        }
        counted.removeAll(keepingCapacity: true)
    }
}
