/// Words that people try for names of ours, and the names that they mean.
enum Synonym {
    /// The name that a word means, of those that there are; `nil` where none is known.
    static func of(_ word: String, among names: some Sequence<String>) -> String? {
        let plain = String(word.lowercased().filter { !"-_ .".contains($0) })
        guard let meant = meanings[plain] else { return nil }
        let names = Set(names)
        return meant.first(where: names.contains)
    }

    /// By the word in lower case and without separators; the first name that exists counts.
    private static let meanings: [String: [String]] = {
        var meanings: [String: [String]] = [:]
        for (words, names) in entries {
            for word in words.split(separator: " ") { meanings[String(word)] = names }
        }
        return meanings
    }()

    private static let entries: [(words: String, names: [String])] = [
        // Flags and keys. Flags with a value stand as they are typed.
        ("timezone zone utc", ["tz"]),
        ("currency basecurrency convertto", ["currency", "base-currency"]),
        ("date day on", ["day", "since"]),
        ("start startdate begin after fromdate year", ["since"]),
        ("end enddate before todate to", ["until"]),
        ("quarter fiscalyear fiscalquarter", ["fiscal"]),
        ("period months", ["month"]),
        ("country countries territory region store market", ["storefront", "by storefront", "default-territory"]),
        ("product products sku item productid", ["product_id", "by product_id"]),
        ("app application bundle bundleid bundleidentifier", ["bundle_id", "bundle-id"]),
        ("version appversion", ["app_version", "by app_version"]),
        ("os system ios osversion", ["os_version", "by os_version"]),
        ("type producttype", ["product_type", "by product_type"]),
        ("kind salekind", ["sale_kind", "by sale_kind"]),
        ("env", ["environment"]),
        ("sandbox test testing", ["sandbox", "environment sandbox"]),
        ("production prod live", ["production", "environment production"]),
        ("out outfile outputfile file save", ["output"]),
        ("fmt outputformat as outputtype", ["format"]),
        ("price pricelist pricing", ["prices"]),
        ("rate rates exchange exchangerates forex", ["fx"]),
        ("catalog storekit names metadata", ["catalogue"]),
        ("group groupby breakdown", ["by"]),
        ("threads workers parallel concurrency", ["jobs"]),
        ("colour colours colors", ["color"]),
        ("columns cols wide", ["width"]),
        ("all full rows details", ["detail"]),
        ("root ca cacert cert certificate", ["anchor"]),
        ("threshold alarm", ["alert"]),
        ("compareto versus against", ["compare"]),
        ("silent", ["quiet"]),
        ("ram mem", ["memory"]),
        ("refund refunds", ["refunds-by", "revenue"]),
        // Output formats.
        ("json", ["json", "format json"]), ("csv", ["csv", "format csv"]), ("ndjson", ["ndjson", "format ndjson"]),
        ("html", ["html", "format html"]), ("markdown md", ["markdown", "format markdown"]),
        ("text txt plain terminal", ["table"]), ("excel xls xlsx workbook", ["xlsx", "format xlsx"]),
        ("web page pdf", ["html"]), ("jsonl jsonlines", ["ndjson"]), ("hledger beancount", ["ledger"]),
        // Reports and commands.
        ("sales income earnings money proceeds", ["revenue", "report revenue"]),
        ("errors error problems crashes", ["failures", "report failures"]),
        ("subs churn mrr renewals retention", ["subscriptions", "report subscriptions"]),
        ("fraud duplicates", ["anomalies", "report anomalies"]),
        ("deferral accruals", ["deferred", "report deferred"]),
        ("bookings entries", ["journal", "report journal"]),
        ("everything", ["all"]), ("export import parquet", ["convert"]), ("show decode dump", ["inspect"]),
        ("join combine", ["merge"]), ("explain code", ["codes"]), ("tables columnsof", ["schema"]),
    ]
}
