public import TillCore
import TillJSON
public import TillPricing

/// Xcode's StoreKit configuration, versions 1 to 5: products with one price each, in the currency of its storefront.
///
/// Xcode leaves `displayPrice` empty until a developer fills it in. Such a product is in the catalogue and not in the
/// price list.
///
///     { "settings": { "_storefront": "USA" },
///       "products": [ { "productID", "type": "Consumable", "displayPrice": "0.99" } ],
///       "nonRenewingSubscriptions": [ … ],
///       "subscriptionGroups": [ { "name", "subscriptions": [ { "recurringSubscriptionPeriod": "P1M",
///           "introductoryOffer": { "paymentMode": "free" }, "adHocOffers": [ … ], "codeOffers": [ … ] } ] } ] }
public struct StoreKitConfiguration: Sendable {
    /// A product or subscription of the configuration.
    public struct Product: Sendable {
        /// `productID` of the file; it is not empty, and no other product of the file has it.
        public let productID: String
        /// Type, period, group and name; the type is never `nil`.
        public let entry: Catalogue.Entry
        /// The price as it is written: a decimal with a point; `nil` if it is empty.
        let price: String?
        /// The introductory offer, if its price is filled in.
        let intro: (mode: IntroMode, price: String)?
        /// The offers whose prices are filled in.
        let offers: [(offerID: String, price: String)]
    }

    /// The products, then the non-renewing subscriptions, then those of groups, each in the order of the file.
    public let products: [Product]
    /// The territory of the prices.
    let territory: Territory

    /// Reads a configuration, or throws all of its defects.
    public init(_ bytes: [UInt8], name: String) throws(FileFindings) {
        let tree: JSONTree
        do throws(Finding) {
            tree = try JSONTree(bytes)
        } catch {
            let line = 1 + bytes.prefix(error.offset).count { $0 == 0x0A }
            throw FileFindings(name, [.init("catalogue.json", at: line, error.message)])
        }
        var reader = Reader(locale: tree["settings"]?["_locale"]?.text ?? "en_US")
        let storefront = tree["settings"]?["_storefront"]?.text ?? "USA"
        if let territory = Territory(storefront) {
            self.territory = territory
        } else {
            reader.report(
                "catalogue.storefront",
                "_storefront \(Finding.excerpt(storefront)) is not an ISO 3166-1 code"
            )
            self.territory = reader.fallback
        }
        let known = ["products", "nonRenewingSubscriptions", "subscriptionGroups"]
        if !known.contains(where: { tree[$0]?.elements != nil }) {
            reader.report(
                "catalogue.kind",
                "it has neither products nor subscriptions, so it is not a .storekit configuration"
            )
        }
        for key in known.prefix(2) {
            for (index, product) in (tree[key]?.elements ?? []).enumerated() {
                reader.read(product, at: "\(key)[\(index)]", group: nil)
            }
        }
        for (index, group) in (tree[known[2]]?.elements ?? []).enumerated() {
            let groupName = group["name"]?.text ?? group["id"]?.text
            for (place, product) in (group["subscriptions"]?.elements ?? []).enumerated() {
                reader.read(product, at: "subscriptionGroups[\(index)].subscriptions[\(place)]", group: groupName)
            }
        }
        guard reader.problems.isEmpty else { throw FileFindings(name, reader.problems) }
        products = reader.products
    }

    /// The configuration as a price list, in the columns that `--prices` reads.
    public func priceList() -> [UInt8] {
        var text: [UInt8] = []
        func line(_ cells: [String]) {
            text += cells.map(Self.quoted).joined(separator: ",").utf8
            text += "\n".utf8
        }
        line([
            "product_id", "territory", "currency", "price", "type", "period", "intro_price", "intro_mode", "offer_id",
            "offer_price", "name",
        ])
        let currency = territory.currency?.description ?? ""
        for product in products {
            guard let price = product.price else { continue }
            let facts = [product.productID, territory.description, currency, price]
            let kind = [product.entry.type?.rawValue ?? "", product.entry.period?.iso ?? ""]
            let name = Self.plain(product.entry.name ?? "")
            line(facts + kind + [product.intro?.price ?? "", product.intro?.mode.rawValue ?? "", "", "", name])
            for offer in product.offers { line(facts + kind + ["", "", offer.offerID, offer.price, name]) }
        }
        return text
    }

    /// The name, safe for spreadsheets: a name that begins like a formula gets a `'` before it.
    private static func plain(_ name: String) -> String {
        name.beginsLikeFormula ? "'" + name : name
    }

    private static func quoted(_ cell: String) -> String {
        guard cell.utf8.contains(where: { ",\";\n\r\t".utf8.contains($0) }) else { return cell }
        return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

extension StoreKitConfiguration {
    /// Reads products, and collects their defects.
    private struct Reader {
        /// The language whose names come first.
        let locale: String
        var products: [Product] = []
        var problems: [Finding] = []
        private var seen: Set<String> = []

        init(locale: String) { self.locale = locale }

        /// Replaces a territory that cannot be read. That is already reported as a problem.
        var fallback: Territory { Territory.unitedStates }

        mutating func report(_ code: String, _ message: String) {
            problems.append(.init(code, message))
        }

        mutating func read(_ product: JSONTree, at path: String, group: String?) {
            guard let productID = product["productID"]?.text, !productID.isEmpty else {
                return report("catalogue.product-id", "\(path) has no productID")
            }
            guard seen.insert(productID).inserted else {
                return report("catalogue.duplicate", "\(path): \(productID) is repeated")
            }
            let type: ProductType? =
                switch product["type"]?.text {
                case "Consumable": .consumable
                case "NonConsumable": .nonConsumable
                case "NonRenewingSubscription": .nonRenewing
                case "RecurringSubscription": .autoRenewable
                default: nil
                }
            if type == nil {
                let word = product["type"]?.text.map(Finding.excerpt) ?? "none"
                report("catalogue.type", "\(path): \(productID) has a type that is not known: \(word)")
            }
            var entry = Catalogue.Entry(type: type, group: group, name: name(of: product))
            if let text = product["recurringSubscriptionPeriod"]?.text {
                entry.period = BillingPeriod(iso: text)
                if entry.period == nil {
                    report("catalogue.period", "\(path): \(Finding.excerpt(text)) is not a period such as P1M")
                }
            }
            products.append(
                Product(
                    productID: productID,
                    entry: entry,
                    price: price(of: product, at: path),
                    intro: intro(of: product, at: path),
                    offers: offers(of: product, at: path)
                )
            )
        }

        /// The product's name in App Store Connect, which is unique in an app, else the name for customers.
        private func name(of product: JSONTree) -> String? {
            if let name = product["referenceName"]?.text, !name.allSatisfy(\.isWhitespace) { return name }
            let localizations = product["localizations"]?.elements ?? []
            let wanted = localizations.first { $0["locale"]?.text == locale } ?? localizations.first
            return wanted?["displayName"]?.text
        }

        /// The price of a product or an offer; `nil` if it is empty. A text that is not a price is a problem.
        private mutating func price(of node: JSONTree, at path: String) -> String? {
            let text = node["displayPrice"]?.text ?? node["displayPrice"]?.number ?? ""
            if text.allSatisfy(\.isWhitespace) { return nil }
            guard let millionths = ScaledDecimal.parse(text.utf8.span.bytes, scale: 6), millionths >= 0 else {
                report("catalogue.price", "\(path): displayPrice \(Finding.excerpt(text)) is not a price")
                return nil
            }
            return text
        }

        /// The first introductory offer: a configuration of version 5 may list several, for billing plans.
        private mutating func intro(of product: JSONTree, at path: String) -> (mode: IntroMode, price: String)? {
            let listed = product["introductoryOffers"]?.elements?.first
            guard let offer = product["introductoryOffer"] ?? listed, offer.members != nil else { return nil }
            switch offer["paymentMode"]?.text {
            case "free": return (.free, "0")
            case "payAsYouGo": return price(of: offer, at: path).map { (.payAsYouGo, $0) }
            case "payUpFront": return price(of: offer, at: path).map { (.payUpFront, $0) }
            default:
                report("catalogue.offer", "\(path): an introductory offer without a payment mode that is known")
                return nil
            }
        }

        private mutating func offers(of product: JSONTree, at path: String) -> [(offerID: String, price: String)] {
            var offers: [(offerID: String, price: String)] = []
            for key in ["adHocOffers", "codeOffers", "winbackOffers"] {
                for offer in product[key]?.elements ?? [] {
                    guard let offerID = offer["offerID"]?.text ?? offer["referenceName"]?.text, !offerID.isEmpty else {
                        report("catalogue.offer", "\(path): an offer in \(key) without an offerID")
                        continue
                    }
                    let isFree = offer["paymentMode"]?.text == "free"
                    guard let price = isFree ? "0" : price(of: offer, at: path) else { continue }
                    if !offers.contains(where: { $0.offerID == offerID }) { offers.append((offerID, price)) }
                }
            }
            return offers
        }
    }
}
