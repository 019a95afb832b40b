import TillCore

/// The last two weeks of the studio's client log, which ends in an incident.
///
/// From 31 March 0:00 UTC on, purchases fail in version 5.2.0 of one app on iOS 18.4. Neither the version nor the
/// system fails on its own.
struct StudioEvents {
    private static let start = Timestamp.utc(2026, 3, 18)
    private static let incident = Timestamp.utc(2026, 3, 31)
    private static let brokenApp = "com.example.trailmap"
    private static let (brokenVersion, brokenSystem) = ("5.2.0", "18.4")
    private static let systems = [("17.7.2", 18), ("18.3.2", 44), ("18.4", 22), ("26.1", 16)]
    /// Attempts in each hour of a day.
    private static let hours = [8, 8, 7, 5, 3, 2, 2, 3, 4, 5, 5, 6, 6, 6, 6, 6, 7, 7, 8, 9, 9, 9, 9, 8]

    private let random: SplitMix64
    private let ids = TransactionIDs()

    init(_ random: SplitMix64) {
        self.random = random
    }

    func file() -> SampleFile {
        var log: [(time: Timestamp, event: JSON)] = []
        var hour = Self.start
        while hour < StudioSales.end {
            for _ in 0..<Self.hours[Int(hour.day.millisecondOfDay / 3_600_000)] { log += attempt(in: hour) }
            // People try again.
            if hour >= Self.incident {
                for _ in 0..<random.number(in: 10...13) { log += brokenAttempt(in: hour) }
            }
            hour = hour.adding(hours: 1)
        }
        let lines = log.filter { $0.time <= StudioSales.end }.enumerated()
            .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element.event.compact)
        return SampleFile("studio/events.ndjson", lines: lines)
    }

    private func attempt(in hour: Timestamp) -> [(Timestamp, JSON)] {
        let product = random.pick(StudioShop.products, by: \.weight)
        let begin = hour.adding(milliseconds: random.number(in: 0...3_590_000))
        let versions = StudioShop.versions[product.bundleID]?.filter { $0.from <= begin } ?? []
        // Two thirds have the newest version.
        let version = random.chance(66) ? versions.last : random.pick(versions)
        let system = random.pick(Self.systems) { $0.1 }.0
        let device: JSON = ["app_version": version?.version, "os": "iOS", "os_version": system]
        if begin >= Self.incident, product.bundleID == Self.brokenApp, version?.version == Self.brokenVersion,
            system == Self.brokenSystem
        {
            return events(of: product, on: device, at: begin, ending: ["event": "failed", "error": Self.unhandled])
        }
        let outcome: JSON =
            switch random.number(in: 1...1000) {
            case ...892:
                ["event": "purchased", "transaction_id": String(ids.next(after: 2_100_000_000_000_000))]
            case ...942: ["event": "failed", "error": ClientError.cancelled]
            case ...990: ["event": "failed", "error": random.pick(Self.everyday)]
            default: ["event": "deferred"]
            }
        return events(of: product, on: device, at: begin, ending: outcome)
    }

    private func brokenAttempt(in hour: Timestamp) -> [(Timestamp, JSON)] {
        let products = StudioShop.products.filter { $0.bundleID == Self.brokenApp }
        return events(
            of: random.pick(products, by: \.weight),
            on: ["app_version": Self.brokenVersion, "os": "iOS", "os_version": Self.brokenSystem],
            at: hour.adding(milliseconds: random.number(in: 0...3_590_000)),
            ending: ["event": "failed", "error": Self.unhandled]
        )
    }

    private static let unhandled = ClientError("ASDErrorDomain", 500, "Unhandled exception")
    private static let everyday: [ClientError] = [
        .cannotConnect, .cannotConnect, .offline, .offline, .timedOut, .notAllowed, .unavailable, unhandled,
    ]

    /// An attempt: when it began, and how it ended.
    private func events(
        of product: StudioShop.Product,
        on device: JSON,
        at begin: Timestamp,
        ending outcome: JSON
    ) -> [(Timestamp, JSON)] {
        let end = begin.adding(seconds: random.number(in: 2...9), milliseconds: random.number(in: 0...999))
        let storefront = random.pick(StudioShop.storefronts, by: \.weight)
        let common: JSON = [
            "storefront": storefront.code, "product_id": product.id, "attempt_id": random.hexadecimal(10),
        ]
        return [(begin, ["event": "purchasing"] as JSON), (end, outcome)].map { time, what in
            let head: JSON = [
                "v": 1, "ts": time.text(alwaysWithMilliseconds: true), "api": "sk2", "bundle_id": product.bundleID,
            ]
            return (time, JSON(joining: head, device, common, what))
        }
    }
}
