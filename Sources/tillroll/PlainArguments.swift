import ArgumentParser
import TillPipeline

/// Reads simple correct command lines without the parser, which takes four fifths of a start.
///
/// It takes the long and the short names of declared flags, their values, and operands. Everything else is left to the
/// parser, so errors always come from the parser.
struct PlainArguments {
    private(set) var operands: [String] = []
    /// Values by the name of their flag.
    private var given: [String: [String]] = [:]

    /// `nil` for command lines that need the parser: unknown and abbreviated names; missing or wrong values, or values
    /// that begin with a dash; several short names in a word; empty words; `--`.
    ///
    /// - Parameter sections: all flags of the command.
    init?(_ words: some Sequence<String>, of sections: [any FlagSection.Type]) {
        var flags: [String: FlagEntry] = [:]
        for section in sections {
            for entry in section.entries { for word in entry.words { flags[word] = entry } }
        }
        var words = words.makeIterator()
        while let word = words.next() {
            guard word.hasPrefix("-"), word != "-" else {
                if word.isEmpty { return nil }
                operands.append(word)
                continue
            }
            let equals = word.hasPrefix("--") ? word.utf8.firstIndex(of: UInt8(ascii: "=")) : nil
            let name = String(word[..<(equals ?? word.endIndex)])
            guard let entry = flags[name] else { return nil }
            if let value = entry.valueWithoutWord(of: name) {
                if equals != nil { return nil }
                given[entry.name, default: []].append(value)
                continue
            }
            let text = equals.map { String(word[word.index(after: $0)...]) } ?? words.next()
            guard let text, !text.isEmpty, text == "-" || !text.hasPrefix("-"), let value = entry.value(text) else {
                return nil
            }
            given[entry.name, default: []].append(value)
        }
    }

    /// The flags of a section.
    func flags<Section: FlagSection>() throws -> Flags<Section> {
        let flags = Flags<Section> { given[$0.name] ?? [] }
        try flags.validate()
        return flags
    }
}

extension FlagSection {
    // A key path of a generic type would be made at every start, from the names of the types.
    fileprivate static var entries: [FlagEntry] { flags.map { $0.entry } }
}

extension FlagEntry {
    /// The words that name the flag on a command line.
    fileprivate var words: [String] {
        var words = ["--" + name]
        if let short { words.append("-\(short)") }
        if case .inverted = value { words.append("--no-" + name) }
        return words
    }

    /// The value of a flag word without a value; `nil` if a value follows.
    fileprivate func valueWithoutWord(of word: String) -> String? {
        switch value {
        case .none: ""
        case .inverted: String(word == "--" + name)
        case .text, .number, .choice: nil
        }
    }

    /// A value as the parser gives it; `nil` if it is wrong.
    fileprivate func value(_ text: String) -> String? {
        switch value {
        case .none, .inverted: nil
        case .text: text
        case .number: Int(text).map { String($0) }
        case .choice(let type): type.words.contains(text) ? text : nil
        }
    }
}

extension FlagChoice {
    fileprivate static var words: [String] { allCases.map(\.rawValue) }
}

/// A command whose flags are all declared in tables, so that ``PlainArguments`` can read its command line.
protocol PlainCommand: ParsableCommand {
    /// The word that names it.
    static var word: String { get }
    static var sections: [any FlagSection.Type] { get }

    /// Throws, or returns `nil`, if the arguments need the parser.
    static func make(_ arguments: PlainArguments) throws -> Self?
}

extension PlainCommand {
    /// The command for the arguments; `nil` if they need the parser.
    static func plain(_ words: some Sequence<String>) -> Self? {
        guard let arguments = PlainArguments(words, of: sections) else { return nil }
        // The parser reports the error.
        guard var command = try? make(arguments), (try? command.validate()) != nil else { return nil }
        return command
    }
}
