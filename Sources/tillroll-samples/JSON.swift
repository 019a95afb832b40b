import TillCore
import TillJSON

/// JSON to be written; the members of an object keep their order.
///
/// A member whose value is `nil` in a literal is left out; `JSON.null` is written.
indirect enum JSON: JSONConvertible, Sendable {
    case object([(key: String, value: JSON)])
    case array([JSON])
    case string(String)
    case number(Int)
    case boolean(Bool)
    case null

    /// An object with the members of several objects.
    init(joining objects: JSON...) {
        self = .object(objects.flatMap(\.members))
    }

    var json: JSON { self }

    /// None where the value is not an object.
    var members: [(key: String, value: JSON)] {
        guard case .object(let members) = self else { return [] }
        return members
    }
}

protocol JSONConvertible {
    var json: JSON { get }
}

extension String: JSONConvertible { var json: JSON { .string(self) } }
extension Int: JSONConvertible { var json: JSON { .number(self) } }
extension Bool: JSONConvertible { var json: JSON { .boolean(self) } }
extension Array: JSONConvertible where Element: JSONConvertible { var json: JSON { .array(map(\.json)) } }

/// In milliseconds, as StoreKit 2 writes dates.
extension Timestamp: JSONConvertible { var json: JSON { .number(Int(milliseconds)) } }

extension JSON: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral members: (String, (any JSONConvertible)?)...) {
        self = .object(members.compactMap { key, value in value.map { (key, $0.json) } })
    }
}

// MARK: - Text

extension JSON {
    /// The value on one line.
    var compact: String { text(indentation: nil) }

    /// The value on one line, with escapes for all characters outside ASCII.
    var asciiOnly: String {
        compact.unicodeScalars.map { scalar in
            guard !scalar.isASCII else { return String(scalar) }
            return String(scalar).utf16.map { "\\u" + String(0x1_0000 + Int($0), radix: 16).dropFirst() }.joined()
        }
        .joined()
    }

    /// The value over many lines, two spaces for each level.
    var pretty: String { text(indentation: "") }

    private func text(indentation: String?) -> String {
        let inner = indentation.map { $0 + "  " }
        switch self {
        case .object(let members):
            let colon = indentation == nil ? ":" : ": "
            let items = members.map { Self.quoted($0.key) + colon + $0.value.text(indentation: inner) }
            return "{" + Self.list(items, indentation) + "}"
        case .array(let values): return "[" + Self.list(values.map { $0.text(indentation: inner) }, indentation) + "]"
        case .string(let text): return Self.quoted(text)
        case .number(let number): return String(number)
        case .boolean(let isTrue): return String(isTrue)
        case .null: return "null"
        }
    }

    private static func list(_ items: [String], _ indentation: String?) -> String {
        guard let indentation, !items.isEmpty else { return items.joined(separator: ",") }
        return items.map { "\n\(indentation)  " + $0 }.joined(separator: ",") + "\n" + indentation
    }

    private static func quoted(_ text: String) -> String {
        var octets: [UInt8] = []
        octets.appendJSON(string: text.utf8)
        return String(decoding: octets, as: UTF8.self)
    }
}
