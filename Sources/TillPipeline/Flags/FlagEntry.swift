import TillCore

/// What there is to say of a flag, as a command has it.
///
/// An entry is the whole of a flag. The parser, the help, the manual, the completions, partials and manifests read it.
public struct FlagEntry: Sendable {
    /// The commands that take the flag.
    public let commands: [Command]
    /// The heading below which the help lists the flag.
    public let group: Group
    /// What follows the flag.
    public let value: Value
    /// The name of the value in the help: `<file>`; `nil` for the name of the flag itself.
    public let valueName: String?
    /// The letter of the short form.
    public let short: Character?
    /// The value where the flag is not given; `nil` for none.
    public let usual: String?
    /// More words that completions propose for the value.
    public let proposals: [String]
    /// The special properties of the flag; most flags have none.
    public let traits: Traits
    /// Flags without which this one has no meaning.
    public let needs: [Condition]
    /// Flags beside which this one has no meaning.
    public let excludes: [Condition]
    private let makeHelp: @Sendable () -> String

    init(
        _ commands: [Command],
        _ group: Group,
        _ value: Value,
        valueName: String? = nil,
        short: Character? = nil,
        usual: String? = nil,
        proposals: [String] = [],
        _ traits: Traits = [],
        needs: [Condition] = [],
        excludes: [Condition] = [],
        help: @escaping @Sendable () -> String
    ) {
        (self.commands, self.group, self.value, self.valueName) = (commands, group, value, valueName)
        (self.short, self.usual, self.proposals, self.traits) = (short, usual, proposals, traits)
        (self.needs, self.excludes, makeHelp) = (needs, excludes, help)
    }

    /// The sentences of the help, which are made only where they are shown. The first one says what the flag does.
    public var help: String { makeHelp() }

    /// The headings of the help.
    public enum Group: String, CaseIterable, Sendable {
        case general = "Flags"
        case period = "Period"
        case money = "Money"
        case rows = "Rows"
        case output = "Output"
        case reading = "Reading"
    }

    /// What follows a flag.
    public enum Value: Sendable {
        /// Nothing.
        case none
        /// Nothing; `--no-NAME` is the opposite. The values are `true` and `false`.
        case onOff
        /// Any text that is not empty.
        case text
        /// A text of a form that a person knows by a few words, such as `a size such as 64M`.
        case form(String, _ isRight: @Sendable (String) -> Bool)
        /// An integer.
        case number(ClosedRange<Int>)
        /// One of some words.
        case word([String])
        /// One or more different words, with commas between them.
        case list([String])

        /// The words that the value may consist of, if these are all.
        public var words: [String] {
            switch self {
            case .word(let words), .list(let words): words
            case .none, .onOff, .text, .form, .number: []
            }
        }

        static func choice<Choice: FlagChoice>(_: Choice.Type) -> Value { .word(Choice.allCases.map(\.rawValue)) }
    }

    /// Special properties of a flag.
    public struct Traits: OptionSet, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The value is the path of a file, unless it is one of the proposals.
        public static let namesFile = Traits(rawValue: 1 << 0)
        /// All values of a repeated flag count, and not only the last one.
        public static let isRepeatable = Traits(rawValue: 1 << 1)
        /// The flag must not be repeated.
        public static let refusesRepetition = Traits(rawValue: 1 << 2)
        /// The value is a number or the path of a file.
        public static let mayBeNumber = Traits(rawValue: 1 << 3)
        /// It decides how a report is settled after everything has been read: partials and manifests have it.
        public static let settles = Traits(rawValue: 1 << 4)
        /// No help lists it.
        public static let isHidden = Traits(rawValue: 1 << 5)
    }

    /// Another flag, and the rest of the sentence, which says why or what to do.
    public struct Condition: Sendable {
        let flag: Flag
        let advice: String

        init(_ flag: Flag, _ advice: String = "") {
            (self.flag, self.advice) = (flag, advice)
        }
    }
}

extension Flag {
    /// The flag with the name of its value: `--jobs <number>`.
    public func form(for command: Command) -> String {
        let entry = entry(for: command)
        switch entry.value {
        case .none: return description
        case .onOff: return "--[no-]\(name)"
        case .text, .form, .number, .word, .list: return "\(self) <\(entry.valueName ?? name)>"
        }
    }

    /// The sentence for a flag without its value.
    public func needsValue(for command: Command) -> String { "\(self) needs a value: \(form(for: command))" }

    /// The defect of a value, as a sentence; `nil` if it has none.
    ///
    /// - Parameter command: the command whose flag it is; other commands may take other values.
    public func defect(of value: String, for command: Command) -> String? {
        let entry = entry(for: command)
        if entry.traits.contains(.namesFile), let refusal = RemoteAddress.refusal(of: value, for: self) {
            return refusal
        }
        return switch entry.value {
        case .none, .onOff: nil
        case .text: value.isEmpty ? needsValue(for: command) : nil
        case .form(let form, let isRight): isRight(value) ? nil : "\(self) takes \(form), not '\(value)'"
        case .number(let range): number(value, in: range) ? nil : "\(self) takes \(Self.range(range)), not '\(value)'"
        case .word(let words): words.contains(value) ? nil : unknown(value, among: words)
        case .list(let words): defect(ofList: value, of: words)
        }
    }

    private func number(_ value: String, in range: ClosedRange<Int>) -> Bool { Int(value).map(range.contains) ?? false }

    private static func range(_ range: ClosedRange<Int>) -> String {
        "a number from \(range.lowerBound)" + (range.upperBound == .max ? "" : " to \(range.upperBound)")
    }

    private func defect(ofList list: String, of words: [String]) -> String? {
        let given = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if let unknown = given.first(where: { !words.contains($0) }) { return self.unknown(unknown, among: words) }
        return given.indices.first { given[..<$0].contains(given[$0]) }.map { "\(self) names '\(given[$0])' twice" }
    }

    /// Whether a value is the path of a file that decides figures, whose contents go into partials and manifests.
    func namesSettlingFile(_ value: String) -> Bool {
        let entry = entry(for: .report)
        guard entry.traits.isSuperset(of: [.settles, .namesFile]), !entry.proposals.contains(value) else {
            return false
        }
        return !entry.traits.contains(.mayBeNumber) || !Settings.looksNumeric(value)
    }

    /// `--fx needs --base-currency, such as EUR`
    func needs(_ other: Flag, _ advice: String = "") -> String {
        "\(self) needs \(other)" + (advice.isEmpty ? "" : ", \(advice)")
    }

    /// Says which of the given flags needs one that is missing, or excludes one that is given; `nil` if all fit together.
    public static func conflict(among given: [Flag], of command: Command) -> String? {
        for flag in given {
            let entry = flag.entry(for: command)
            if let lack = entry.needs.first(where: { !given.contains($0.flag) }) {
                return flag.needs(lack.flag, lack.advice)
            }
            if let other = entry.excludes.first(where: { given.contains($0.flag) }) {
                let advice = other.advice.isEmpty ? "leave one out" : other.advice
                return "\(flag) cannot be used with \(other.flag); \(advice)"
            }
        }
        return nil
    }

    /// The sentence for a word that a flag does not take.
    private func unknown(_ word: String, among words: [String]) -> String {
        NearestWord.unknown("value", word, for: "\(self)", among: words)
    }
}
