import TillPipeline

enum CodesCommand: CommandImplementation {
    static let summary = "Explains failure codes: what each means, its class, whether to try again, what to do."

    static var discussion: String {
        """
        A code is a number (all domains with this number), or a domain and a number: SKErrorDomain:2, SK:2. A \
        domain alone is all of its codes. StoreKit 2 errors have names. Without a code, all known codes are \
        listed.

        Examples:
          tillroll codes 21007
          tillroll codes SKErrorDomain:2 SK:0/ASD:500 userCancelled
          tillroll codes NSURLErrorDomain
          tillroll codes -t csv > codes.csv
          tillroll codes -1009
        """
    }

    static let operands = [
        Operand(
            name: "codes",
            count: .any,
            help: "Codes: 21007, SK:2, SKErrorDomain 2, StoreKitError.userCancelled, userCancelled.",
            mayBeNegative: true,
            namesFile: false
        )
    ]

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        var run = CodesRun(codes: arguments.operands)
        run.format = arguments[.format]
        run.outputPath = arguments[.output]
        run.width = arguments.writesToStandardOutput ? Terminal.width : nil
        run.useColor = arguments.writesToStandardOutput && arguments.useColor
        return try run.run()
    }
}
