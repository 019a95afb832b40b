import TillJSON
import TillPipeline

extension Help {
    /// All commands and flags, for the manual, for tests and for programs that call tillroll.
    static var json: String {
        var json: [UInt8] = []
        let commands = Command.allCases.map { command in
            let implementation = command.implementation
            return Value.object([
                ("name", .text(command.name)), ("summary", .text(implementation.summary)),
                ("discussion", .text(implementation.discussion)),
                ("operands", .list(implementation.operands.map(described))),
                ("flags", .list(Flag.all(of: command).map { described($0, of: command) })),
            ])
        }
        let root = Value.object([
            ("name", .text("tillroll")), ("summary", .text(summary)), ("discussion", .text(discussion)),
            ("commands", .list(commands)),
        ])
        root.write(to: &json)
        return String(decoding: json, as: UTF8.self)
    }

    private static func described(_ operand: Operand) -> Value {
        .object([
            ("name", .text(operand.name)), ("help", .text(operand.help)),
            ("words", .list(operand.words.map(Value.text))),
            ("optional", .flag(operand.count == .any)), ("repeats", .flag(operand.count != .one)),
        ])
    }

    private static func described(_ flag: Flag, of command: Command) -> Value {
        let entry = flag.entry(for: command)
        let value = flag.form(for: command).split(separator: "<").dropFirst().first.map { String($0.dropLast()) }
        return .object([
            ("name", .text(flag.name)), ("short", entry.short.map { .text(String($0)) } ?? .null),
            ("value", value.map(Value.text) ?? .null), ("help", .text(entry.help)),
            ("usual", entry.usual.map(Value.text) ?? .null), ("words", .list(entry.value.words.map(Value.text))),
            ("group", .text(entry.group.rawValue)), ("hidden", .flag(entry.traits.contains(.isHidden))),
            ("repeatable", .flag(entry.traits.contains(.isRepeatable))),
            ("names_file", .flag(entry.traits.contains(.namesFile))),
        ])
    }

    private enum Value {
        case null
        case flag(Bool)
        case text(String)
        case list([Value])
        case object([(String, Value)])

        func write(to json: inout [UInt8]) {
            switch self {
            case .null: json += "null".utf8
            case .flag(let flag): json += "\(flag)".utf8
            case .text(let text): json.appendJSON(string: text.utf8)
            case .list(let values):
                json += "[".utf8
                for (index, value) in values.enumerated() {
                    if index > 0 { json += ",".utf8 }
                    value.write(to: &json)
                }
                json += "]".utf8
            case .object(let members):
                json += "{".utf8
                for (index, member) in members.enumerated() {
                    if index > 0 { json += ",".utf8 }
                    json.appendJSON(string: member.0.utf8)
                    json += ":".utf8
                    member.1.write(to: &json)
                }
                json += "}".utf8
            }
        }
    }
}
