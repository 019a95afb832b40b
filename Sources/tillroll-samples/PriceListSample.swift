/// The price list of the three apps, in the columns that `--prices` reads.
struct PriceListSample {
    private static let header = [
        "product_id", "territory", "currency", "price", "intro_price", "effective_from", "effective_to", "type",
    ]

    func files() -> [SampleFile] {
        [
            SampleFile(
                path: "prices.csv",
                shows: "the price list that goes with them: USD, EUR and JPY, a price that changes on 15 February "
                    + "2026, and no line for `\(Shop.stamps.id)`",
                lines: ([Self.header] + rows()).map { $0.joined(separator: ",") }
            )
        ]
    }

    private func rows() -> [[String]] {
        Shop.apps.flatMap(\.products).flatMap { product in
            product.prices.map { price in
                [
                    product.id, "*", price.currency, price.amount, price.introductory, price.from, price.until,
                    product.type.name,
                ]
            }
        }
    }
}
