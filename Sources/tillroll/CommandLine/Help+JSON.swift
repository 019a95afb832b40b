import TillJSON
import TillPipeline

extension Help {
    /// All commands and flags, for the manual, for tests and for programs that call tillroll.
    static var json: String {
        var json: [UInt8] = []
        let commands = Command.allCases.map { command in
            let implementation = command.implementation
            return JSONValue.object([
                ("name", .text(command.name)), ("summary", .text(implementation.summary)),
                ("discussion", .text(implementation.discussion)),
                ("operands", .list(implementation.operands.map(described))),
                ("flags", .list(Flag.all(of: command).map { described($0, of: command) })),
            ])
        }
        let root = JSONValue.object([
            ("name", .text("tillroll")), ("summary", .text(summary)), ("discussion", .text(discussion)),
            ("commands", .list(commands)),
        ])
        root.write(to: &json)
        return String(decoding: json, as: UTF8.self)
    }

    private static func described(_ operand: Operand) -> JSONValue {
        .object([
            ("name", .text(operand.name)), ("help", .text(operand.help)),
            ("words", .list(operand.words.map(JSONValue.text))),
            ("optional", .flag(operand.count == .any)), ("repeats", .flag(operand.count != .one)),
        ])
    }

    private static func described(_ flag: Flag, of command: Command) -> JSONValue {
        let entry = flag.entry(for: command)
        let value = flag.form(for: command).split(separator: "<").dropFirst().first.map { String($0.dropLast()) }
        return .object([
            ("name", .text(flag.name)), ("short", entry.short.map { .text(String($0)) } ?? .null),
            ("value", value.map(JSONValue.text) ?? .null), ("help", .text(entry.help)),
            ("usual", entry.usual.map(JSONValue.text) ?? .null),
            ("words", .list(entry.value.words.map(JSONValue.text))),
            ("group", .text(entry.group.rawValue)), ("hidden", .flag(entry.traits.contains(.isHidden))),
            ("repeatable", .flag(entry.traits.contains(.isRepeatable))),
            ("names_file", .flag(entry.traits.contains(.namesFile))),
        ])
    }
}
