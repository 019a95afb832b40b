/// JSON to be written; the members of an object keep their order.
indirect enum JSONValue {
    case object([(key: String, value: JSONValue)])
    case array([JSONValue])
    case string(String)
    case number(Int)
    case boolean(Bool)
    case null

    /// A string, or null where there is none.
    static func text(_ value: String?) -> JSONValue {
        value.map { .string($0) } ?? .null
    }
}

extension JSONValue {
    /// How characters outside ASCII are written.
    enum Escaping {
        case asIs
        case asciiOnly
    }

    /// The whole value on one line.
    func compact(_ escaping: Escaping = .asIs) -> String {
        switch self {
        case .object(let members):
            let texts = members.map { Self.quoted($0.key, escaping) + ":" + $0.value.compact(escaping) }
            return "{" + texts.joined(separator: ",") + "}"
        case .array(let values):
            return "[" + values.map { $0.compact(escaping) }.joined(separator: ",") + "]"
        case .string(let text): return Self.quoted(text, escaping)
        case .number(let number): return String(number)
        case .boolean(let isTrue): return isTrue ? "true" : "false"
        case .null: return "null"
        }
    }

    /// Over many lines, two spaces for each level.
    func pretty(indentation: String = "") -> String {
        let inner = indentation + "  "
        switch self {
        case .object(let members) where !members.isEmpty:
            let lines = members.map { inner + Self.quoted($0.key, .asIs) + ": " + $0.value.pretty(indentation: inner) }
            return "{\n" + lines.joined(separator: ",\n") + "\n" + indentation + "}"
        case .array(let values) where !values.isEmpty:
            let lines = values.map { inner + $0.pretty(indentation: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n" + indentation + "]"
        default:
            return compact()
        }
    }

    /// The object with one more member at its end; anything else stays as it is.
    func adding(_ key: String, _ value: JSONValue) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members + [(key, value)])
    }

    private static func quoted(_ text: String, _ escaping: Escaping) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20: result += escaped(UInt16(scalar.value))
            case _ where scalar.isASCII || escaping == .asIs: result.unicodeScalars.append(scalar)
            default: result += String(scalar).utf16.map(escaped).joined()
            }
        }
        return result + "\""
    }

    private static func escaped(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
