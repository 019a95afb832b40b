import TillCore
import TillPipeline

/// A command: its help, and what it does.
protocol CommandImplementation {
    /// One sentence.
    static var summary: String { get }
    /// Paragraphs and lists, with an empty line between them. A line that begins with a blank is shown as it is.
    static var discussion: String { get }
    static var operands: [Operand] { get }

    /// Runs the command to its end. Throws a ``UsageError`` for flags that contradict one another, before it does
    /// anything.
    static func run(_ arguments: Arguments) throws -> ExitStatus
}

/// A word of the command line that is no flag.
struct Operand {
    enum Count {
        case one, atLeastOne, any
    }

    /// What it is: `<report>` in the help, "there is no report" in messages.
    let name: String
    let count: Count
    /// The words that it may be; if this is empty, any word.
    var words: [String] = []
    let help: String
    /// Whether a negative number is one, and not a wrong flag.
    var mayBeNegative = false
    /// Whether the operand is a path, unless it must be one of ``words``.
    var namesFile = true

    /// The end of the sentence that says that it is missing.
    fileprivate var advice: String {
        if !words.isEmpty { return "; choose \(words.joined(separator: ", "))" }
        return ": \(help.prefix(1).lowercased())\(help.dropFirst().dropLast())"
    }

    /// The documents of the commands that read them.
    static let inputs = Operand(
        name: "inputs",
        count: .any,
        help: "Files, folders (read recursively, in name order) or '-'; standard input by default."
    )
}

extension CommandImplementation {
    /// Throws if an operand is missing or superfluous.
    static func checkOperands(_ given: [String], of command: Command) throws(UsageError) {
        var rest = given[...]
        for operand in operands {
            guard let word = rest.first else {
                if operand.count == .any { continue }
                throw UsageError("\(command.name) needs <\(operand.name)>\(operand.advice)")
            }
            for word in operand.count == .one ? [word] : Array(rest) where !operand.words.isEmpty {
                guard operand.words.contains(word) else {
                    throw UsageError(NearestWord.unknown(operand.name, word, among: operand.words))
                }
            }
            if operand.words.isEmpty, operand.namesFile, let refusal = rest.lazy.compactMap(RemoteAddress.refusal).first
            {
                throw UsageError(refusal)
            }
            rest = operand.count == .one ? rest.dropFirst() : []
        }
        if let word = rest.first { throw UsageError("'\(word)' is one operand too many") }
    }
}

extension Command {
    var implementation: any CommandImplementation.Type {
        switch self {
        case .report: ReportCommand.self
        case .reconcile: ReconcileCommand.self
        case .merge: MergeCommand.self
        case .pricesCheck: PricesCheckCommand.self
        case .pricesFromStoreKit: PricesFromStoreKitCommand.self
        case .inspect: InspectCommand.self
        case .verify: VerifyCommand.self
        case .submit: SubmitCommand.self
        case .convert: ConvertCommand.self
        case .codes: CodesCommand.self
        case .schema: SchemaCommand.self
        }
    }
}
