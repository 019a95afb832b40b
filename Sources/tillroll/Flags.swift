import ArgumentParser
import TillPipeline

/// Declared flags in one section of the help.
///
/// It is a type, because the parser keeps one group of options per type.
protocol FlagSection: Sendable {
    associatedtype Flag: DeclaredFlag

    /// In the order of the help.
    static var flags: [Flag] { get }

    /// A flag as this section declares it.
    static func entry(of flag: Flag) -> FlagEntry

    /// Throws a `ValidationError` if a value is wrong.
    static func check(_ flags: Flags<Self>) throws
}

extension FlagSection {
    static func entry(of flag: Flag) -> FlagEntry { flag.entry }
}

extension FlagSection where Self: CaseIterable & DeclaredFlag {
    static var flags: [Self] { Array(allCases) }
}

/// The flags of a section as they were given.
///
/// The parser finds options as the properties of a type, through its mirror, and decodes them by their names. This type
/// has a custom mirror with an option for each flag, so that a flag is no property here.
struct Flags<Section: FlagSection>: ParsableArguments, CustomReflectable {
    /// In the order of the section; flags that are not given have their usual value, if there is one.
    private(set) var given: [GivenOption] = []

    init() {}

    /// The flags of a section that declares the same ones in another way.
    init<Other: FlagSection>(_ other: Flags<Other>) where Other.Flag == Section.Flag { given = other.given }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: FlagKey.self)
        try self.init { try $0.values(in: values) }
    }

    /// - Parameter values: gives the values of a flag on the command line, in their order.
    init(_ values: (FlagEntry) throws -> [String]) rethrows {
        for flag in Section.flags {
            let entry = flag.entry
            var found = try values(entry)
            if found.isEmpty, let usual = entry.usual { found = [usual] }
            if !entry.isRepeatable { found = found.suffix(1) }
            given += found.map { GivenOption(entry.name, $0) }
        }
    }

    /// The value of a flag; `nil` if it is not given and has no usual value.
    subscript(flag: Section.Flag) -> String? {
        let name = flag.entry.name
        return given.last { $0.name == name }?.value
    }

    /// All values of a flag, in their order.
    func all(_ flag: Section.Flag) -> [String] {
        let name = flag.entry.name
        return given.filter { $0.name == name }.map(\.value)
    }

    /// The value of a flag that takes a number.
    func number(_ flag: Section.Flag) -> Int? { self[flag].flatMap { Int($0) } }

    /// Whether a flag is given, or has a usual value.
    func has(_ flag: Section.Flag) -> Bool { self[flag] != nil }

    var customMirror: Mirror {
        let options = Section.flags.map { flag in
            let entry = Section.entry(of: flag)
            return (label: String?.some(entry.name), value: entry.option)
        }
        return Mirror(self, children: options, displayStyle: .struct)
    }

    func validate() throws { try Section.check(self) }
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

    // The parser would give the same values by itself, but through key paths and unspecialised algorithms.
    static var allValueStrings: [String] { Choice.allCases.map(\.rawValue) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
    var defaultValueDescription: String { word }
}

extension FlagEntry {
    /// The option or flag, for the parser.
    fileprivate var option: Any {
        let help = ArgumentHelp(
            self.help(),
            discussion: discussion,
            valueName: valueName,
            visibility: isHidden ? .hidden : .default
        )
        switch value {
        case .none: return Flag(wrappedValue: false, name: specification, help: help)
        case .inverted: return Flag<Bool?>(name: specification, inversion: .prefixedNo, help: help)
        case .number:
            if let usual = usual.flatMap(Int.init) {
                return Option<Int>(wrappedValue: usual, name: specification, help: help)
            }
            return Option<Int?>(name: specification, help: help)
        case .choice(let type): return option(of: type, help)
        case .text where isRepeatable:
            return Option<[String]>(wrappedValue: [], name: specification, help: help, completion: completionKind)
        case .text:
            if let usual {
                return Option<String>(wrappedValue: usual, name: specification, help: help, completion: completionKind)
            }
            return Option<String?>(name: specification, help: help, completion: completionKind)
        }
    }

    private func option<Choice: FlagChoice>(of type: Choice.Type, _ help: ArgumentHelp) -> Any {
        if let usual = usual.flatMap({ ChoiceArgument<Choice>(argument: $0) }) {
            return Option<ChoiceArgument<Choice>>(wrappedValue: usual, name: specification, help: help)
        }
        return Option<ChoiceArgument<Choice>?>(name: specification, help: help)
    }

    private var specification: NameSpecification {
        let long = NameSpecification.Element.customLong(name)
        return NameSpecification(short.map { [.customShort($0), long] } ?? [long])
    }

    private var completionKind: CompletionKind? {
        switch completion {
        case .file: .file()
        case .words(let words): .list(words)
        case nil: nil
        }
    }

    /// The texts of the values that the parser found, or the usual one.
    fileprivate func values(in container: KeyedDecodingContainer<FlagKey>) throws -> [String] {
        let key = FlagKey(stringValue: name)
        func found<Value>(_ type: Option<Value>.Type) throws -> Value {
            try container.decode(type, forKey: key).wrappedValue
        }
        func word<Choice: FlagChoice>(_ type: Choice.Type) throws -> String? {
            usual == nil
                ? try found(Option<ChoiceArgument<Choice>?>.self)?.word
                : try found(Option<ChoiceArgument<Choice>>.self).word
        }
        switch value {
        case .none: return try container.decode(Flag<Bool>.self, forKey: key).wrappedValue ? [""] : []
        case .inverted:
            return try container.decode(Flag<Bool?>.self, forKey: key).wrappedValue.map { [String($0)] } ?? []
        case .number:
            let number = usual == nil ? try found(Option<Int?>.self) : try found(Option<Int>.self)
            return number.map { [String($0)] } ?? []
        case .choice(let type): return try word(type).map { [$0] } ?? []
        case .text where isRepeatable: return try found(Option<[String]>.self)
        case .text:
            let text = usual == nil ? try found(Option<String?>.self) : try found(Option<String>.self)
            return text.map { [$0] } ?? []
        }
    }
}
