/// A small JSON document that a program composes, with its members in the given order.
public enum JSONValue: Sendable {
    case null
    case flag(Bool)
    case number(Int)
    case text(String)
    case list([JSONValue])
    case object([(String, JSONValue)])

    /// Appends the value in one line, without spaces.
    public func write(to json: inout [UInt8]) {
        write(to: &json, comma: ",", colon: ":")
    }

    /// Appends the value with two spaces of indentation for each level. A value of at most two levels is one line.
    ///
    /// - Parameter indentation: the spaces before the line on which the value begins.
    public func writeLines(to json: inout [UInt8], indentation: Int = 0) {
        guard levels > 2 else { return write(to: &json, comma: ", ", colon: ": ") }
        let inner = indentation + 2
        let margin = "\n" + String(repeating: " ", count: inner)
        write(to: &json, comma: "," + margin, colon: ": ", open: margin, close: String(margin.dropLast(2))) {
            $0.writeLines(to: &$1, indentation: inner)
        }
    }

    /// How many lists and objects are nested in one another.
    private var levels: Int {
        switch self {
        case .null, .flag, .number, .text: 0
        case .list(let values): 1 + (values.map(\.levels).max() ?? 0)
        case .object(let members): 1 + (members.map(\.1.levels).max() ?? 0)
        }
    }

    private func write(to json: inout [UInt8], comma: String, colon: String) {
        write(to: &json, comma: comma, colon: colon, open: "", close: "") {
            $0.write(to: &$1, comma: comma, colon: colon)
        }
    }

    private func write(
        to json: inout [UInt8],
        comma: String,
        colon: String,
        open: String,
        close: String,
        _ writeElement: (JSONValue, inout [UInt8]) -> Void
    ) {
        switch self {
        case .null: json += "null".utf8
        case .flag(let flag): json += "\(flag)".utf8
        case .number(let number): json += "\(number)".utf8
        case .text(let text): json.appendJSON(string: text.utf8)
        case .list(let values):
            json += "[\(open)".utf8
            for (index, value) in values.enumerated() {
                if index > 0 { json += comma.utf8 }
                writeElement(value, &json)
            }
            json += "\(close)]".utf8
        case .object(let members):
            json += "{\(open)".utf8
            for (index, member) in members.enumerated() {
                if index > 0 { json += comma.utf8 }
                json.appendJSON(string: member.0.utf8)
                json += colon.utf8
                writeElement(member.1, &json)
            }
            json += "\(close)}".utf8
        }
    }
}
