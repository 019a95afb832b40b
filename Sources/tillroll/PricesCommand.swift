import ArgumentParser
import TillPipeline
import TillThreads

struct PricesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prices",
        _superCommandName: Tillroll.name,
        abstract: "Checks price lists and catalogues, and makes a price list from a .storekit file.",
        discussion: """
            Examples:
              tillroll prices check Samples/prices.csv
              tillroll prices from-storekit Samples/finance/Lumen.storekit -o lumen.csv
            """,
        subcommands: [Check.self, FromStoreKit.self]
    )

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Reports all errors in price lists, .storekit files and metadata.xml.",
            discussion: """
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
        )

        @Argument(
            help: "Price lists (CSV), .storekit configurations, Transporter's metadata.xml; '-' is standard input.",
            completion: .file()
        )
        var files: [String]

        @Option(help: ArgumentHelp("The time zone in which days of the list begin.", valueName: "zone"))
        var tz: String = "UTC"

        @Option(
            help: ArgumentHelp(
                "Receipts, responses or rows whose sales are compared with the first price list; repeatable.",
                valueName: "file"
            ),
            completion: .file()
        )
        var against: [String] = []

        @OptionGroup(title: "Reading")
        var reading: Flags<ReadingFlag>

        func run() throws {
            let inputs = against.isEmpty ? nil : reading.inputs(against)
            let status = try Workers.shared.run { try await PricesRun.check(files, timeZone: tz, against: inputs) }
            if status != .finished { throw ExitCode(status.rawValue) }
        }
    }

    struct FromStoreKit: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "from-storekit",
            abstract: "Writes the prices of a .storekit configuration as a price list.",
            discussion: """
                The prices are valid for the storefront in the configuration, in the currency of this storefront, \
                without a start date. Add rows for other territories and for earlier prices.

                Example:
                  tillroll prices from-storekit Samples/finance/Lumen.storekit -o lumen.csv
                """
        )

        @Argument(help: "The configuration; '-' is standard input.", completion: .file())
        var file: String

        @Option(
            name: [.customShort("o"), .customLong("output")],
            help: ArgumentHelp("Write to a file; '-' is standard output.", valueName: "file"),
            completion: .file()
        )
        var output: String?

        func run() throws {
            try PricesRun.convert(file, to: output)
        }
    }
}
