import ArgumentParser
import TillPipeline

/// The flags of one section of the help, declared to the parser from the entries of ``SettlingFlag``.
///
/// The parser finds options as the properties of a type, through its mirror, and decodes them by their names. This type
/// has a custom mirror with an option for each flag, so that a flag is no property here.
struct SettlingFlags<Section: SettlingSection>: ParsableArguments, CustomReflectable {
    /// What was given, as on the command line.
    private(set) var given: [GivenOption] = []

    private static var flags: [SettlingFlag] {
        SettlingFlag.allCases.filter { $0.declaration.group == Section.group }
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: FlagKey.self)
        for flag in Self.flags { given += try flag.values(in: values).map { GivenOption(flag.name, $0) } }
    }

    var customMirror: Mirror {
        Mirror(self, children: Self.flags.map { (label: $0.name, value: $0.option) }, displayStyle: .struct)
    }

    func validate() throws {
        for flag in Self.flags {
            let values = given.filter { $0.name == flag.name }.map(\.value)
            if let problem = flag.declaration.check(values) { throw ValidationError("--\(flag.name) \(problem)") }
        }
    }
}

/// A section of the help as a type, since the parser keeps one group of options of each type.
protocol SettlingSection: Sendable {
    static var group: SettlingFlag.Group { get }
}

enum PeriodSection: SettlingSection { static let group = SettlingFlag.Group.period }
enum MoneySection: SettlingSection { static let group = SettlingFlag.Group.money }
enum RowsSection: SettlingSection { static let group = SettlingFlag.Group.rows }
enum UngroupedSection: SettlingSection { static let group = SettlingFlag.Group.ungrouped }

/// A command that settles a report.
///
/// The sections stand side by side in each command: one group around all of them would cost every start.
protocol SettlingCommand: ParsableCommand {
    var period: SettlingFlags<PeriodSection> { get }
    var money: SettlingFlags<MoneySection> { get }
    var rows: SettlingFlags<RowsSection> { get }
    var ungrouped: SettlingFlags<UngroupedSection> { get }
}

extension SettlingCommand {
    var settings: Settings { Settings(period.given + money.given + rows.given + ungrouped.given) }
}

private struct FlagKey: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// A word of an enumeration, as an option takes it.
private struct ChoiceArgument<Choice: FlagChoice>: ExpressibleByArgument, Sendable {
    let word: String

    init?(argument: String) {
        guard Choice(rawValue: argument) != nil else { return nil }
        word = argument
    }

    static var allValueStrings: [String] { Choice.allCases.map(\.rawValue) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension SettlingFlag {
    /// The option or flag that the parser is to find.
    fileprivate var option: Any {
        let name = NameSpecification([.customLong(self.name)])
        let help = ArgumentHelp(declaration.help, valueName: valueName)
        switch declaration.value {
        case .none: return Flag(wrappedValue: false, name: name, help: help)
        case .number: return Option<Int?>(name: name, help: help)
        case .choice(let type): return option(of: type)
        case .text where isArray:
            return Option<[String]>(wrappedValue: [], name: name, help: help, completion: completion)
        case .text: return Option<String?>(name: name, help: help, completion: completion)
        }
    }

    private func option<Choice: FlagChoice>(of type: Choice.Type) -> Any {
        Option<ChoiceArgument<Choice>?>(
            name: [.customLong(name)],
            help: ArgumentHelp(declaration.help, valueName: valueName)
        )
    }

    /// Whether the parser keeps all values.
    private var isArray: Bool { !declaration.traits.isDisjoint(with: [.isRepeatable, .refusesRepetition]) }

    private var completion: CompletionKind? {
        if declaration.traits.contains(.namesFile) { return .file() }
        return declaration.words.isEmpty ? nil : .list(declaration.words)
    }

    /// The texts of the values that the parser found.
    fileprivate func values(in container: KeyedDecodingContainer<FlagKey>) throws -> [String] {
        let key = FlagKey(stringValue: name)
        func value<Value>(_ type: Option<Value?>.Type) throws -> Value? {
            try container.decode(type, forKey: key).wrappedValue
        }
        func word<Choice: FlagChoice>(_ type: Choice.Type) throws -> String? {
            try value(Option<ChoiceArgument<Choice>?>.self)?.word
        }
        switch declaration.value {
        case .none: return try container.decode(Flag<Bool>.self, forKey: key).wrappedValue ? [""] : []
        case .number: return try value(Option<Int?>.self).map { [String($0)] } ?? []
        case .choice(let type): return try word(type).map { [$0] } ?? []
        case .text where isArray: return try container.decode(Option<[String]>.self, forKey: key).wrappedValue
        case .text: return try value(Option<String?>.self).map { [$0] } ?? []
        }
    }
}
