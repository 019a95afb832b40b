import TillCore
import TillInput
import TillLedger
import TillPricing
import TillReference
import TillRender

/// `tillroll prices`: reports defects of price lists and catalogues, and writes a price list from a `.storekit` file.
public enum PricesRun {
    /// Reads files and writes a line to standard output for each defect.
    ///
    /// A gap between prices is a warning, not a defect.
    ///
    /// - Parameter inputs: documents whose sales are compared with the first price list of `paths`; `nil` for none.
    /// - Returns: ``ExitStatus/dataError`` if some file cannot be used, else ``ExitStatus/checkFailed`` if some sale
    ///   has no price.
    public static func check(
        _ paths: [String],
        timeZone: String,
        against inputs: ReportInputs? = nil
    ) async throws -> ExitStatus {
        let sideFiles = paths.map { OutputPaths.SideFile(option: "prices check", path: $0) }
        try OutputPaths.SideFile.checkStandardInput(sideFiles + (inputs?.sideFiles ?? []), besides: inputs?.paths)
        let zone = try TimeZoneDatabase.rules(forOption: timeZone)
        var lines: [String] = []
        var isSound = true
        var first: (list: PriceList, path: String)?
        for path in paths {
            let bytes = try ReferenceFile.bytes(of: path, option: "prices check", limit: PriceList.maximumByteCount)
            do {
                let (found, list) = try findings(in: bytes, path, zone)
                lines += found
                if first == nil, let list { first = (list, path) }
            } catch let error as FileFindings {
                isSound = false
                lines += error.lines + ["\(path): \(counted(error.findings.count, "problem"))"]
            }
        }
        try Output.write(lines)
        guard isSound, let inputs else { return isSound ? .finished : .dataError }
        guard let first else { throw RunError(.usage, "--against needs a price list to compare the sales with") }
        let (sold, status) = try await SoldProducts.read(inputs, prices: first.list, zone: zone)
        try Output.write(sold.lines(against: first.list, name: first.path))
        return status == .finished && sold.hasUnpriced ? .checkFailed : status
    }

    /// Writes the prices of a `.storekit` file as a price list.
    public static func convert(_ path: String, to output: String?) throws {
        try OutputPaths(output, called: "the price list").check(inputs: InputFile.expand([path]))
        let limit = CatalogueFile.maximumByteCount
        let bytes = try ReferenceFile.bytes(of: path, option: "prices from-storekit", limit: limit)
        guard CatalogueFile.kind(of: bytes) == .storeKit else {
            throw RunError(.dataError, "\(path): it is not a .storekit configuration, which is JSON (catalogue.kind)")
        }
        let list = try StoreKitConfiguration(bytes, name: path).priceList()
        // The written list must be readable.
        _ = try PriceList(csv: list, name: path)
        try Output.write(list, to: output)
    }

    /// The lines about a file that can be used, and the price list that it is.
    private static func findings(
        in bytes: [UInt8],
        _ path: String,
        _ zone: TimeZoneRules
    ) throws -> ([String], PriceList?) {
        switch CatalogueFile.kind(of: bytes) {
        case .transporter:
            let products = try TransporterMetadata(bytes, name: path).products
            let tiers = products.reduce(0) { $0 + $1.tiers.count }
            let facts = "\(counted(products.count, "product")), \(counted(tiers, "price tier")), no problems"
            return (["\(path): \(facts); tiers are no prices"], nil)
        case .storeKit:
            let configuration = try StoreKitConfiguration(bytes, name: path)
            let list = try PriceList(csv: configuration.priceList(), name: path, zone: zone)
            let facts = "\(counted(configuration.products.count, "product")), \(counted(list.rowCount, "price"))"
            return (["\(path): \(facts), no problems"], list)
        case nil:
            let list = try PriceList(csv: bytes, name: path, zone: zone)
            let facts = "\(counted(list.rowCount, "row")), \(counted(list.productCount, "product"))"
            let verdict = list.warnings.isEmpty ? "no problems" : counted(list.warnings.count, "warning")
            return (list.warnings.map { "warning: " + $0.text(inFile: path) } + ["\(path): \(facts), \(verdict)"], list)
        }
    }

    static func counted(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }
}
