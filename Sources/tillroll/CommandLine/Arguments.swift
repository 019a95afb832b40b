import TillCore
import TillPipeline

/// Words that the command line does not take, with the reason as a clause.
struct UsageError: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// What follows the name of a command: flags with their values, and operands.
///
/// Long names are followed by their value as the next word or after `=`, short ones also without either. The next word
/// is no value if it begins with a dash, unless it is `-` or a number. Words after `--` are operands. A name must be
/// written in full.
struct Arguments: Sendable {
    let command: Command
    private(set) var operands: [String] = []
    /// In the order in which they were given.
    private var given: [(flag: Flag, value: String)] = []
    /// The record of the run, for `--manifest` and `--metrics`; `nil` without both.
    private(set) var log: RunLog?

    /// Throws for the first word that is wrong, and for flags that contradict one another.
    init(_ words: [String], of command: Command) throws(UsageError) {
        self.command = command
        let mayBeNegative = command.implementation.operands.contains { $0.mayBeNegative }
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            }
            let isNegativeNumber = word.hasPrefix("-") && Int64(word) != nil
            if isNegativeNumber ? mayBeNegative : Self.isPlain(word) {
                operands.append(word)
            } else {
                try take(word, &rest)
            }
        }
        try command.implementation.checkOperands(operands, of: command)
        if let conflict = Flag.conflict(among: given.map(\.flag), of: command) { throw UsageError(conflict) }
        log = RunLog(
            command == .report ? "report \(operands[0])" : command.name,
            manifest: self[.manifest],
            metrics: self[.metrics],
            read: operands + given.filter { ![.manifest, .metrics].contains($0.flag) }.map(\.value)
        )
    }

    /// Whether a word is neither a flag nor `--`.
    private static func isPlain(_ word: String) -> Bool { !word.hasPrefix("-") || word == "-" }

    private mutating func take(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let isLong = word.hasPrefix("--")
        let end = isLong ? word.firstIndex(of: "=") ?? word.endIndex : word.index(word.startIndex, offsetBy: 2)
        let name = String(word[..<end])
        var attached: String? = end == word.endIndex ? nil : String(word[end...])
        if attached?.hasPrefix("=") == true { attached?.removeFirst() }
        if attached != nil, ["--help", "--version", "-h"].contains(name) { throw UsageError("\(name) takes no value") }
        guard let (flag, switched) = command.flag(spelled: name) else { throw UsageError(command.unknownFlag(name)) }
        let entry = flag.entry(for: command)
        if let switched {
            guard attached == nil else { throw UsageError("\(name) takes no value, such as '\(attached ?? "")'") }
            given.append((flag, switched))
            return
        }
        if attached == nil, let next = rest.first, Self.isPlain(next) || Int64(next) != nil {
            attached = rest.popFirst()
        }
        guard let value = attached else { throw UsageError(flag.needsValue(for: command)) }
        if let defect = flag.defect(of: value, for: command) { throw UsageError(defect) }
        if entry.traits.contains(.refusesRepetition), has(flag) {
            throw UsageError("\(flag) takes one file; put the rows of all into one, under one header")
        }
        given.append((flag, value))
    }

    /// The value of a flag; the usual one if it is not given, and `nil` if there is none.
    subscript(flag: Flag) -> String? { given.last { $0.flag == flag }?.value ?? flag.entry(for: command).usual }

    /// All values of a flag, in their order.
    func all(_ flag: Flag) -> [String] { given.filter { $0.flag == flag }.map(\.value) }

    /// The value of a flag that takes a number.
    func number(_ flag: Flag) -> Int? { self[flag].flatMap { Int($0) } }

    /// Whether a flag is given.
    func has(_ flag: Flag) -> Bool { given.contains { $0.flag == flag } }

    /// The flags that decide how a report is settled.
    var settings: Settings { Settings(given.map { GivenOption($0.flag, $0.value) }) }
}

extension Command {
    /// A flag by one of its names on the command line, and the value that the name alone gives; `nil` if there is none.
    fileprivate func flag(spelled name: String) -> (Flag, value: String?)? {
        if !name.hasPrefix("--") {
            let flag = Flag.allCases.first { flag in
                let entry = flag.entry(for: self)
                return entry.short == name.last && entry.commands.contains(self)
            }
            return flag.map { ($0, nil) }
        }
        if let flag = flag(name.dropFirst(2)) {
            switch flag.entry(for: self).value {
            case .none: return (flag, "")
            case .onOff: return (flag, "true")
            case .text, .form, .number, .word, .list: return (flag, nil)
            }
        }
        guard name.hasPrefix("--no-"), let flag = flag(name.dropFirst(5)) else { return nil }
        guard case .onOff = flag.entry(for: self).value else { return nil }
        return (flag, "false")
    }

    private func flag(_ name: Substring) -> Flag? {
        Flag(rawValue: String(name)).flatMap { $0.entry(for: self).commands.contains(self) ? $0 : nil }
    }

    /// The reason for a name that no flag of the command has, with the flag that was probably meant.
    fileprivate func unknownFlag(_ name: String) -> String {
        let word = String(name.drop { $0 == "-" })
        if let other = Flag(rawValue: word), case let commands = other.entry(for: self).commands, name.hasPrefix("--") {
            return "\(self.name) has no flag \(other), which is for \(commands.map(\.name).joined(separator: ", "))"
        }
        let known = Flag.all(of: self).filter { !$0.entry(for: self).traits.contains(.isHidden) }
        // A name that was cut is nearer than one with a slip.
        let longer = known.filter { $0.name.hasPrefix(word) }
        if word.utf8.count > 1, longer.count == 1 {
            return "there is no flag '\(name)' for \(self.name); did you mean '\(longer[0])'?"
        }
        let question = NearestWord.clause(
            about: word,
            among: known.map(\.name) + ["help", "version"] + Self.phrases(among: known)
        )
        .replacing("did you mean '", with: "did you mean '--")
        return "there is no flag '\(name)' for \(self.name)" + question
    }

    /// Flags with a value that stand for a flag that people expect.
    private static func phrases(among flags: [Flag]) -> [String] {
        let values: [Flag: [String]] = [
            .by: ["storefront", "product_id", "app_version", "os_version", "product_type", "sale_kind"],
            .environment: ["sandbox", "production"],
            .format: ["json", "csv", "ndjson", "html", "markdown", "xlsx"],
        ]
        return flags.flatMap { flag in (values[flag] ?? []).map { "\(flag.name) \($0)" } }
    }
}
