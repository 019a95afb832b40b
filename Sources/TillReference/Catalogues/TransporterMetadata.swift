public import TillCore
public import TillPricing

/// Transporter's `metadata.xml`: the in-app purchases of an app, and their price tiers by date.
///
///     <software_metadata> <in_app_purchases> <family name="Gold">
///       <in_app_purchase>
///         <product_id/> <reference_name/> <locales> <locale> <title/> … <type>subscription</type> <duration>1 Month</duration>
///         <products> <product> <wholesale_price_tier/> <intervals> <interval>
///           <start_date/> <end_date/> <wholesale_price_tier/>
///
/// It contains tiers and no prices: the price of a tier comes from a price list. Elements are identified by their local
/// names, because the namespace differs between versions.
public struct TransporterMetadata: Sendable {
    /// An in-app purchase of the document.
    public struct Product: Sendable {
        /// `product_id` of the document; it is not empty, and no other purchase of the document has it.
        public let productID: String
        /// Type, period, family (as the group) and name; the type is never `nil`.
        public let entry: Catalogue.Entry
        /// The tiers that it has been in, in the order of the document.
        public let tiers: [TierInterval]
    }

    /// A price tier from one day to another.
    public struct TierInterval: Hashable, Sendable {
        /// The first day, in days since 1970-01-01; `nil` if the document does not have it.
        public let from: Int?
        /// The first day after the interval, in days since 1970-01-01; `nil` if the document does not have it.
        public let until: Int?
        /// Apple's number of the tier (`wholesale_price_tier`).
        public let tier: Int
    }

    /// The purchases in the order of the document; there is at least one.
    public let products: [Product]

    /// Reads a document, or throws all of its defects.
    public init(_ bytes: [UInt8], name: String) throws(FileFindings) {
        var reader = Reader()
        do throws(Finding) {
            var events = try XMLEvents(bytes, code: "catalogue.xml")
            while let event = try events.next() { reader.take(event, line: events.line) }
        } catch {
            reader.problems.append(error)
        }
        if reader.products.isEmpty, reader.problems.isEmpty {
            reader.report("catalogue.kind", 0, "there is no in_app_purchase in it")
        }
        guard reader.problems.isEmpty else { throw FileFindings(name, reader.problems) }
        products = reader.products
    }
}

extension TransporterMetadata {
    /// Collects texts by the names of their elements, and makes products from them.
    private struct Reader {
        var products: [Product] = []
        var problems: [Finding] = []
        /// Names of the open elements, outermost first; libxml2 limits their number.
        private var path: [String] = []
        private var text = ""
        private var family: String?
        /// Texts of the product, or of the interval, being read.
        private var product: [String: String] = [:]
        private var interval: [String: String] = [:]
        private var tiers: [TierInterval] = []
        private var seen: Set<String> = []

        mutating func report(_ code: String, _ line: Int, _ message: String) {
            problems.append(.init(code, at: line, message))
        }

        mutating func take(_ event: XMLEvents.Event, line: Int) {
            switch event {
            case .text(let part): text += part
            case .start(let name, _, let attributes):
                path.append(name)
                text = ""
                switch name {
                case "family": family = attributes["name"]
                case "in_app_purchase": (product, tiers) = ([:], [])
                case "interval": interval = [:]
                default: break
                }
            case .end(let name):
                end(name, line: line)
                path.removeLast()
                text = ""
            }
        }

        private mutating func end(_ name: String, line: Int) {
            switch name {
            case "family": family = nil
            case "interval": addTier(interval, line: line)
            case "in_app_purchase": addProduct(line: line)
            default:
                let value = Self.trimmed(text)
                if path.contains("interval") {
                    interval[name] = value
                } else if path.contains("in_app_purchase"), !path.contains("locales") {
                    // The first one counts: parts of an element may repeat names of their parent.
                    product[name] = product[name] ?? value
                } else if path.contains("in_app_purchase"), name == "title" {
                    product["locale title"] = product["locale title"] ?? value
                }
            }
        }

        private mutating func addTier(_ texts: [String: String], line: Int) {
            guard let text = texts["wholesale_price_tier"] else {
                return report("catalogue.tier", line, "an interval without a price tier")
            }
            guard let tier = tier(text, line: line) else { return }
            let from = day(texts["start_date"], line: line)
            let until = day(texts["end_date"], line: line)
            if let from, let until, until <= from {
                report("catalogue.interval", line, "an interval that ends before it begins")
            }
            let overlaps = tiers.contains { other in
                (from ?? .min) < (other.until ?? .max) && (other.from ?? .min) < (until ?? .max)
            }
            if overlaps { report("catalogue.interval", line, "an interval that overlaps another one") }
            tiers.append(TierInterval(from: from, until: until, tier: tier))
        }

        private mutating func tier(_ text: String, line: Int) -> Int? {
            if let tier = Int(text), (0...10_000).contains(tier) { return tier }
            report("catalogue.tier", line, "\(Finding.excerpt(text)) is not a price tier from 0 to 10000")
            return nil
        }

        private mutating func day(_ text: String?, line: Int) -> Int? {
            guard let text, !text.isEmpty else { return nil }
            guard let midnight = Timestamp.parseDay(text.utf8.span.bytes) else {
                report("catalogue.date", line, "\(Finding.excerpt(text)) is not a day such as 2026-03-02")
                return nil
            }
            return Int(midnight.milliseconds / Timestamp.millisecondsPerDay)
        }

        private mutating func addProduct(line: Int) {
            guard let productID = product["product_id"], !productID.isEmpty else {
                return report("catalogue.product-id", line, "an in_app_purchase without a product_id")
            }
            guard seen.insert(productID).inserted else {
                return report("catalogue.duplicate", line, "\(productID) is repeated")
            }
            let names = [product["reference_name"], product["locale title"]]
            var entry = Catalogue.Entry(group: family, name: names.compactMap(\.self).first { !$0.isEmpty })
            if let text = product["duration"], !text.isEmpty {
                entry.period = BillingPeriod(words: text)
                if entry.period == nil {
                    report("catalogue.period", line, "\(Finding.excerpt(text)) is not a duration such as 1 Month")
                }
            }
            switch product["type"] {
            case "consumable": entry.type = .consumable
            case "non-consumable": entry.type = .nonConsumable
            case "auto-renewable", "free-subscription": entry.type = .autoRenewable
            // Of subscriptions only those that renew have a duration.
            case "subscription": entry.type = product["duration"] == nil ? .nonRenewing : .autoRenewable
            case let word:
                let text = word.map(Finding.excerpt) ?? "none"
                report("catalogue.type", line, "\(productID) has a type that is not known: \(text)")
            }
            if tiers.isEmpty, let text = product["wholesale_price_tier"], !text.isEmpty,
                let tier = tier(text, line: line)
            {
                tiers = [TierInterval(from: nil, until: nil, tier: tier)]
            }
            products.append(Product(productID: productID, entry: entry, tiers: tiers))
        }

        private static func trimmed(_ text: String) -> String {
            let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
            return String(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        }
    }
}
