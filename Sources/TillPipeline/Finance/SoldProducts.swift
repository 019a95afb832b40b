import TillCore
import TillLedger
import TillPricing
import TillReports
import TillStorage

/// The sold products, and the number of their sales with a price.
struct SoldProducts {
    private struct Counts {
        var sales = 0
        var unpriced = 0
        /// Unpriced sales whose subscription period differs from the period of the listed price.
        var ofOtherPeriod = 0
    }

    private var products: [String: Counts] = [:]
    /// Sales without a product in their document.
    private var nameless = Counts()

    /// Reads documents and settles their transactions by a price list, as `report revenue` does.
    ///
    /// - Returns: the products, and the exit status of the reading.
    static func read(
        _ inputs: ReportInputs,
        prices: PriceList,
        zone: TimeZoneRules
    ) async throws -> (SoldProducts, ExitStatus) {
        let trust = try inputs.reading.signatures.policy()
        let files = try RunAccount.files(inputs.paths, rejects: inputs.rejects)
        try OutputPaths(nil, called: "the result", rejects: inputs.rejects.path)
            .check(inputs: files, files: inputs.sideFiles)
        let account = try RunAccount(files, rejects: inputs.rejects, showsProgress: inputs.showsProgress)
        let ledger = SpillingLedger(Ledger(environments: inputs.environments), allowance: inputs.allowance)
        var stream = inputs.stream(files, into: ledger, trust: trust, account: account)
        try await account.keepingRejects { try await account.read(&stream) }
        try account.finishRejects()
        var rules = LedgerRules(refundDating: .refund)
        rules.calendar = BookingCalendar(.gregorian, zone: zone)
        rules.prices = prices
        let read = stream.consumer.state.takeLedger()
        let status = account.status(stream.progress, trust: read.ledger.trust)
        return (try SoldProducts(read.settle(rules)), status)
    }

    private init(_ ledger: borrowing SettledLedger) throws {
        var counts: [Int?: Counts] = [:]
        try ledger.forEachPartition { part in
            try part.forEachTransaction { transaction in
                guard transaction.isSale else { return }
                counts[transaction.product, default: Counts()].sales += 1
                guard transaction.price == nil else { return }
                counts[transaction.product, default: Counts()].unpriced += 1
                if transaction.isOfOtherPeriod { counts[transaction.product, default: Counts()].ofOtherPeriod += 1 }
            }
        }
        for (code, counts) in counts {
            if let code { products[ledger.text(of: code)] = counts } else { nameless = counts }
        }
    }

    /// Whether some sale has no price.
    var hasUnpriced: Bool { nameless.unpriced > 0 || products.values.contains { $0.unpriced > 0 } }

    /// The largest number of name comparisons in the search for suggestions. Each comparison takes microseconds, and
    /// two long lists without common names need n² comparisons.
    private static let mostComparisons = 50_000

    /// A line for each product that is only in the list or only in the sales, or has sales without a price; then a line
    /// of sums.
    func lines(against prices: PriceList, name: String) -> [String] {
        var lines: [String] = []
        let listed = prices.productIDs.sorted()
        let sold = products.sorted { $0.key < $1.key }
        var proposalsLeft = Self.mostComparisons / max(1, listed.count)
        for (product, counts) in sold where counts.unpriced > 0 {
            guard prices.prices(for: product) != nil else {
                let nearest = proposalsLeft > 0 ? Self.nearest(to: product, among: listed) : nil
                proposalsLeft -= 1
                let question = nearest.map { "; did you mean '\($0)'?" }
                let sales = Self.sales(counts.sales)
                lines.append("\(name): \(product) is sold (\(sales)) and not listed\(question ?? "")")
                continue
            }
            let others =
                counts.ofOtherPeriod > 0
                ? " (\(counts.ofOtherPeriod) are for another period than the listed price)" : ""
            lines.append(
                "\(name): \(product) is listed, but \(counts.unpriced) of \(Self.sales(counts.sales)) have no price\(others); 'tillroll "
                    + "report revenue --explain product_id=\(product)' lists them"
            )
        }
        if nameless.sales > 0 {
            let unpriced = nameless.unpriced > 0 ? ", of them without a price \(nameless.unpriced)" : ""
            lines.append("\(name): \(Self.sales(nameless.sales)) without a product id\(unpriced)")
        }
        let unsold = listed.filter { products[$0] == nil }
        lines += unsold.map { "\(name): \($0) is listed and never sold" }
        let unlisted = sold.count { prices.prices(for: $0.key) == nil && $0.value.unpriced > 0 }
        lines.append(
            "\(name): products sold \(sold.count), of them not listed \(unlisted); listed \(listed.count), of them never sold "
                + "\(unsold.count)"
        )
        return lines
    }

    /// The most likely listed product for a name. Products of one app have the same prefix, so only the part after the
    /// last dot is compared.
    private static func nearest(to product: String, among listed: [String]) -> String? {
        let end = product.lastIndex(of: ".").map { product.index(after: $0) } ?? product.startIndex
        let beginning = product[..<end]
        let endings = listed.filter { $0.hasPrefix(beginning) }.map { String($0.dropFirst(beginning.count)) }
        return NearestWord.to(String(product[end...]), among: endings).map { beginning + $0 }
    }

    private static func sales(_ count: Int) -> String { PricesRun.counted(count, "sale") }
}
