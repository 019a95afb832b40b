/// Apple's reports for the customers of the other samples: Sales and Trends, a financial report and its detail.
///
/// March 2026 in `verify/` is 5 coins of which 3 were refunded, 4 months, 2 years and 7 weeks of which 1 was refunded.
/// Apple has one month more, another price for a year, and one of the weeks in April.
enum AppleSamples {
    static var files: [SampleFile] {
        [
            SampleFile("apple/sales/S_M_80012345_202603.txt", lines: sales("03/01/2026", "03/31/2026", march)),
            SampleFile("apple/sales/S_M_80012345_202604.txt", lines: sales("04/01/2026", "04/30/2026", april)),
            SampleFile("apple/financial/80012345_0326_ZZ.txt", lines: financial),
            SampleFile("apple/detail/80012345_0326_Z1.txt", lines: detail),
            SampleFile("apple/subscriptions/Subscription_80012345_20260228.txt", lines: states),
            SampleFile("apple/subscriptions/Subscription_Event_80012345_20260212.txt", lines: events),
            SampleFile("apple/subscriptions/Subscriber_80012345_20260212.txt", lines: payments),
        ]
    }

    /// A product at a price, sold in a country.
    private struct Sale {
        let product: String
        let type: String
        let units: Int
        /// Hundredths.
        let price: Int
        var country = "US"
        var currency = "USD"

        /// Apple's proceeds of a unit, in hundredths: 70 percent of the price without the tax of the country.
        var share: Int { country == "US" ? price * 7 / 10 : price * 70 / 119 }
    }

    private static let coins = "com.example.lumen.coins100"
    private static let week = "de.beispiel.kochbuch.woche"

    /// Apple's number of a product, which reports about subscriptions have in place of the product id.
    private static func appleID(_ product: String) -> String {
        let known = [coins, "com.example.lumen.monthly", "com.example.lumen.yearly", week, "com.example.lumen.pro"]
        return "150000000\((known.firstIndex(of: product) ?? -1) + 2)"
    }

    private static let march = [
        Sale(product: coins, type: "IA1", units: 5, price: 99), Sale(product: coins, type: "IA1", units: -3, price: 99),
        Sale(product: "com.example.lumen.monthly", type: "IAY", units: 5, price: 599),
        Sale(product: "com.example.lumen.yearly", type: "IAY", units: 1, price: 3999),
        Sale(product: "com.example.lumen.yearly", type: "IAY", units: 1, price: 4499),
        Sale(product: week, type: "IAY", units: 4, price: 149, country: "DE", currency: "EUR"),
        Sale(product: week, type: "IAY-M", units: 2, price: 149, country: "AT", currency: "EUR"),
        Sale(product: week, type: "IAY", units: -1, price: 149, country: "DE", currency: "EUR"),
        Sale(product: "LUMEN", type: "1F", units: 61, price: 0),
        Sale(product: "LUMEN", type: "7", units: 212, price: 0),
        Sale(product: "com.example.lumen.pro", type: "IA3", units: 2, price: 0),
    ]

    private static let april = [Sale(product: week, type: "IAY", units: 1, price: 149, country: "DE", currency: "EUR")]

    private static func decimal(_ hundredths: Int) -> String {
        let rest = hundredths.magnitude % 100
        return (hundredths < 0 ? "-" : "") + "\(hundredths.magnitude / 100)." + (rest < 10 ? "0" : "") + "\(rest)"
    }

    private static func line(_ cells: [String]) -> String { cells.joined(separator: "\t") }

    private static func sales(_ first: String, _ last: String, _ sales: [Sale]) -> [String] {
        let header = [
            "Provider", "Provider Country", "SKU", "Developer", "Title", "Version", "Product Type Identifier", "Units",
            "Developer Proceeds", "Begin Date", "End Date", "Customer Currency", "Country Code", "Currency of Proceeds",
            "Apple Identifier", "Customer Price", "Promo Code", "Parent Identifier", "Subscription", "Period",
            "Category",
            "CMB", "Device", "Supported Platforms", "Proceeds Reason", "Preserved Pricing", "Client", "Order Type",
        ]
        return [line(header)]
            + sales.map { sale in
                let title = String(sale.product.split(separator: ".").last ?? "")
                return line([
                    "APPLE", "US", sale.product, "Example GmbH", title, " ", sale.type, "\(sale.units)",
                    decimal(sale.share),
                    first, last, sale.currency, sale.country, sale.currency, appleID(sale.product),
                    decimal(sale.units < 0 ? -sale.price : sale.price), " ", sale.product == "LUMEN" ? " " : "LUMEN",
                    " ", " ",
                    "Utilities", " ", "iPhone", "iOS", " ", " ", " ", " ",
                ])
            }
    }

    /// The rows of financial reports: paid units.
    private static var settled: [Sale] { march.filter { $0.type.hasPrefix("IA") && $0.type != "IA3" } }

    private static var financial: [String] {
        let header = [
            "Start Date", "End Date", "UPC", "ISRC/ISBN", "Vendor Identifier", "Quantity", "Partner Share",
            "Extended Partner Share", "Partner Share Currency", "Sales or Return", "Apple Identifier",
            "Artist/Show/Developer/Author", "Title", "Label/Studio/Network/Developer/Publisher", "Grid",
            "Product Type Identifier", "ISAN/Other Identifier", "Country Of Sale", "Pre-order Flag", "Promo Code",
            "Customer Price", "Customer Currency",
        ]
        let rows = settled.map { sale in
            line([
                "03/01/2026", "03/28/2026", "", "", sale.product, "\(sale.units)", decimal(sale.share),
                decimal(sale.share * sale.units), sale.currency, sale.units < 0 ? "R" : "S", appleID(sale.product),
                "Example GmbH",
                sale.product, "", "", sale.type, "", sale.country, "", "", decimal(sale.price), sale.currency,
            ])
        }
        let units = settled.reduce(0) { $0 + $1.units }
        return [line(header)] + rows + ["", line(["Total_Rows", "\(rows.count)"]), line(["Total_Units", "\(units)"])]
    }

    private static var detail: [String] {
        let header = [
            "Transaction Date", "Settlement Date", "Apple Identifier", "SKU", "Title", "Developer Name",
            "Product Type Identifier", "Country of Sale", "Quantity", "Partner Share", "Extended Partner Share",
            "Partner Share Currency", "Customer Price", "Customer Currency", "Sale or Return", "Promo Code",
            "Order Type",
            "Region",
        ]
        let rows = settled.enumerated().map { number, sale in
            line([
                "03/0\(number + 1)/2026", "03/0\(number + 2)/2026", appleID(sale.product), sale.product, sale.product,
                "Example GmbH",
                sale.type, sale.country, "\(sale.units).00", decimal(sale.share), decimal(sale.share * sale.units),
                sale.currency, decimal(sale.units < 0 ? -sale.price : sale.price), sale.currency,
                sale.units < 0 ? "R" : "S",
                " ", " ", sale.country == "US" ? "US" : "EU",
            ])
        }
        return ["Vendor Name\tExample GmbH", "Start Date\t03/01/2026", "End Date\t03/28/2026", line(header)] + rows + [
            "", line(["Country Of Sale", "Partner Share Currency", "Quantity", "Extended Partner Share"]),
            line(["US", "USD", "9", "0.00"]),
        ]
    }

    /// A subscription as Apple's reports about them begin a row with it.
    private static func subscription(_ product: String) -> [String] {
        let name = product.split(separator: ".").last ?? ""
        return ["Lumen", "1500000001", name.prefix(1).uppercased() + name.dropFirst(), appleID(product), "20500001"]
    }

    private static let subscriptionHeader = [
        "App Name", "App Apple ID", "Subscription Name", "Subscription Apple ID", "Subscription Group ID",
    ]

    /// Active at the end of February 2026 are 6 months and 4 weeks, one of them in its grace period; Apple has one
    /// month more.
    private static var states: [String] {
        let header =
            subscriptionHeader + [
                "Standard Subscription Duration", "Customer Price", "Customer Currency", "Country",
                "Active Standard Price Subscriptions", "Active Free Trial Introductory Offer Subscriptions",
                "Active Pay Up Front Introductory Offer Subscriptions",
                "Active Pay As You Go Introductory Offer Subscriptions",
                "Billing Retry", "Grace Period", "Subscribers",
            ]
        return [
            line(header),
            line(
                subscription("com.example.lumen.monthly") + [
                    "1 Month", "5.99", "USD", "US", "7", "2", "0", "0", "1", "0", " ",
                ]
            ),
            line(subscription(week) + ["7 Days", "1.49", "EUR", "DE", "2", "0", "0", "0", "0", "1", "3"]),
            line(subscription(week) + ["7 Days", "1.49", "EUR", "AT", "1", "0", "0", "0", "0", "0", " "]),
        ]
    }

    /// On 12 February 2026 one week began; Apple has an end of a month beside it.
    private static var events: [String] {
        let header =
            ["Event Date", "Event"] + subscriptionHeader + [
                "Subscription Offer Type", "Consecutive Paid Periods", "Country", "Quantity",
            ]
        func event(_ name: String, _ product: String, _ periods: Int, _ country: String) -> String {
            line(["2026-02-12", name] + subscription(product) + [" ", "\(periods)", country, "1"])
        }
        return [
            line(header), event("Subscribe", week, 1, "DE"), event("Renew", week, 2, "AT"),
            event("Cancel", "com.example.lumen.monthly", 3, "US"),
        ]
    }

    /// On the same day two weeks were paid for, and one was refunded.
    private static var payments: [String] {
        let header =
            ["Event Date"] + subscriptionHeader + [
                "Subscription Offer Type", "Customer Price", "Customer Currency", "Country", "Subscriber ID", "Refund",
                "Purchase Date", "Units",
            ]
        func payment(_ price: String, _ subscriber: Int, _ refund: String) -> String {
            let cells = ["2026-02-12"] + subscription(week)
            return line(cells + [" ", price, "EUR", "DE", "\(subscriber)", refund, " ", "1"])
        }
        return [line(header), payment("1.49", 1, " "), payment("1.49", 2, " "), payment("-1.49", 3, "Yes")]
    }
}
