import TillCore

/// Ten days of a client log, 1 to 10 March 2026: calm, but for one hour of the ninth day.
struct EventSamples {
    private static let start = Timestamp.utc(2026, 3, 1)
    private static let days = 10
    private static let backgroundCount = 376
    /// When the new version of one app could no longer reach the store, and how often.
    private static let spikeStart = Timestamp.utc(2026, 3, 9, hour: 14)
    private static let spikeCount = 24
    private static let spikeVersion = "4.2.0"
    private static let versionBefore = "4.1.0"
    private static let release = Timestamp.utc(2026, 3, 9, hour: 12)

    private var random: SplitMix64
    private var issued = 0

    init(seed: UInt64) {
        random = SplitMix64(seed: seed, stream: "events")
    }

    mutating func files() -> [SampleFile] {
        [
            SampleFile(
                path: "events/events.ndjson",
                shows: "ten days of a client log; on 9 March between 14:00 and 15:00 UTC version 4.2.0 of one app "
                    + "fails far more often than before",
                lines: lines()
            )
        ]
    }

    /// The log in order of time; every third line is pure ASCII, every fourth names its absent members.
    mutating func lines() -> [String] {
        let events = (background() + spike()).sorted { $0.time < $1.time }
        return events.enumerated().map { index, event in
            let json = event.json(hasNulls: index % 4 == 0, hasNumericTime: index % 10 == 3)
            return json.compact(index % 3 == 0 ? .asciiOnly : .asIs)
        }
    }

    /// Visits to the shop at even distances, so that no hour stands out.
    private mutating func background() -> [ClientEvent] {
        var visits: [[ClientEvent]] = []
        var count = 0
        while count < Self.backgroundCount {
            let visit = Array(self.visit().prefix(Self.backgroundCount - count))
            visits.append(visit)
            count += visit.count
        }
        let distance = Self.days * Int(Timestamp.millisecondsPerDay) / visits.count
        return visits.enumerated().flatMap { index, visit in
            let begin = Self.start.adding(milliseconds: index * distance + random.number(in: 0...distance / 2))
            return visit.enumerated().map { step, event in
                var event = event
                event.time = begin.adding(seconds: step * 7, milliseconds: random.number(in: 0...6999))
                if event.time < Self.release, event.appVersion == Self.spikeVersion {
                    event.appVersion = Self.versionBefore
                }
                return event
            }
        }
    }

    private mutating func spike() -> [ClientEvent] {
        (0..<Self.spikeCount).map { index in
            var event = draft(.failed, in: Shop.lumen, product: random.pick([Shop.coins, Shop.pro, Shop.monthly]))
            event.time = Self.spikeStart.adding(seconds: index * 145, milliseconds: random.number(in: 0...9999))
            event.appVersion = index % 11 == 5 ? Self.versionBefore : Self.spikeVersion
            event.error = .storeUnreachable
            event.attemptID = random.hexadecimal(8)
            return event
        }
    }
}

// MARK: - Visits

extension EventSamples {
    private mutating func visit() -> [ClientEvent] {
        let app = random.pick(Shop.apps)
        switch random.number(in: 1...100) {
        case ...68: return purchase(in: app)
        case ...94: return restore(in: app)
        case ...97:
            var event = draft(.productRequestFailed, in: app)
            event.error = random.pick([.timedOut, .offline])
            return [event]
        default:
            var event = draft(.verifyFailed, in: app, product: random.pick(app.products))
            event.error = .invalidChain
            return [event]
        }
    }

    private mutating func purchase(in app: App) -> [ClientEvent] {
        let product = random.pick(app.products)
        var begin = draft(.purchasing, in: app, product: product)
        begin.attemptID = random.hexadecimal(8)
        begin.quantity = product.type == .consumable ? random.pick([1, 1, 1, 2, 5]) : 1
        var outcome = begin
        switch random.number(in: 1...100) {
        case ...58:
            let id = newID()
            outcome.name = .purchased
            outcome.transactionID = id
            outcome.originalTransactionID = id
            outcome.price = product.prices.last
        case ...94:
            outcome.name = .failed
            outcome.error = random.pick(ClientError.everyday)
        default:
            outcome.name = .deferred
        }
        // Now and then the queue delivers a purchase again.
        return outcome.name == .purchased && random.chance(10) ? [begin, outcome, outcome] : [begin, outcome]
    }

    private mutating func restore(in app: App) -> [ClientEvent] {
        var visit = [draft(.restoreStarted, in: app)]
        guard !random.chance(20) else {
            var end = draft(.restoreFailed, in: app)
            end.error = random.pick([.cancelled, .offline, .signInFailed])
            return visit + [end]
        }
        for product in app.products where product.type != .consumable && random.chance(55) {
            var event = draft(.restored, in: app, product: product)
            event.transactionID = newID()
            event.originalTransactionID = 160_000_000_000_000 + random.number(in: 0...899_999_999_981)
            visit.append(event)
        }
        return visit + [draft(.restoreCompleted, in: app)]
    }

    private mutating func draft(_ name: ClientEvent.Name, in app: App, product: Product? = nil) -> ClientEvent {
        ClientEvent(
            name: name,
            app: app,
            appVersion: random.pick(app.versions),
            systemVersion: random.pick(["17.7.2", "18.6.2", "26.1", "26.2"]),
            storefront: random.pick(app.storefronts),
            environment: random.chance(4) ? "Sandbox" : "Production",
            sessionID: random.hexadecimal(12),
            product: product
        )
    }

    private mutating func newID() -> Int {
        issued += 1
        return 171_000_000_000_000 + issued * 829_348_951 % 899_999_999_981
    }
}
