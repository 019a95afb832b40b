import TillPipeline
import TillThreads

enum PricesCheckCommand: CommandImplementation {
    static let summary = "Reports all errors in price lists, .storekit files and metadata.xml."

    static var discussion: String {
        """
        Each defect is one line: file, line number, problem and code. A time without a price between two \
        prices is a warning, and so is a price ten times as high as another price of the product. The exit \
        status is 65 if a file cannot be used.

        --against reads receipts. It lists the products that are sold but not in the price list, those that \
        are in the price list but never sold, and those with sales that have no price. The exit status is 3 if \
        a sale has no price.

        Examples:
          tillroll prices check Samples/prices.csv Samples/finance/Lumen.storekit
          tillroll prices check Samples/prices.csv --against Samples/verify
        """
    }

    static let operands = [
        Operand(
            name: "files",
            count: .atLeastOne,
            help: "Price lists (CSV), .storekit configurations, Transporter's metadata.xml; '-' is standard input."
        )
    ]

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        let (files, zone) = (arguments.operands, arguments[.tz] ?? "UTC")
        let inputs = arguments.has(.against) ? try arguments.reportInputs(arguments.all(.against)) : nil
        return try Workers.shared.run { try await PricesRun.check(files, timeZone: zone, against: inputs) }
    }
}

enum PricesFromStoreKitCommand: CommandImplementation {
    static let summary = "Writes the prices of a .storekit configuration as a price list."

    static var discussion: String {
        """
        The prices are valid for the storefront in the configuration, in the currency of this storefront, \
        without a start date. Add rows for other territories and for earlier prices.

        Example:
          tillroll prices from-storekit Samples/finance/Lumen.storekit -o lumen.csv
        """
    }

    static let operands = [
        Operand(name: "file", count: .one, help: "The configuration; '-' is standard input.")
    ]

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        try PricesRun.convert(arguments.operands[0], to: arguments[.output])
        return .finished
    }
}
