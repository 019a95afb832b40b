import TillInput
import TillJSON

/// A property list written once more as JSON, so that one decoder reads both.
///
/// Keys are spelled with `_` where legacy receipts have `-`. `<null>`, which is how `NSLog` writes NSNull, becomes
/// `null`; every other value that is neither a list nor a dictionary becomes a string, data as base64.
struct PropertyListJSON {
    private(set) var bytes: [UInt8] = []
    /// Where values begin in the JSON, ascending, and where in the property list.
    private var places: [(json: Int, source: Int)] = []

    /// Writes a value, followed by the padding that ``JSONCursor`` needs.
    init(_ value: PropertyListValue) {
        append(value)
        bytes.append(contentsOf: repeatElement(0, count: JSONCursor.padding))
    }

    /// Bytes of the JSON itself.
    var count: Int { bytes.count - JSONCursor.padding }

    /// The offset in the property list of the value at `offset` in the JSON.
    func sourceOffset(of offset: Int) -> Int {
        places.last { $0.json <= offset }?.source ?? 0
    }

    private mutating func append(_ value: PropertyListValue) {
        places.append((bytes.count, value.offset))
        switch value.content {
        case .dictionary(let entries):
            append(entries, between: (0x7B, 0x7D)) { json, entry in
                json.bytes.appendJSON(string: entry.key.utf8.map { $0 == 0x2D ? 0x5F : $0 })
                json.bytes.append(0x3A)
                json.append(entry.value)
            }
        case .array(let elements): append(elements, between: (0x5B, 0x5D)) { $0.append($1) }
        case .string("<null>"): bytes.append(contentsOf: "null".utf8)
        case .string(let text): bytes.appendJSON(string: text.utf8)
        case .data(let octets): bytes.appendJSON(string: Base64.encode(octets))
        }
    }

    private mutating func append<Element>(
        _ elements: [Element],
        between brackets: (UInt8, UInt8),
        _ append: (inout PropertyListJSON, Element) -> Void
    ) {
        bytes.append(brackets.0)
        for (number, element) in elements.enumerated() {
            if number > 0 { bytes.append(0x2C) }
            append(&self, element)
        }
        bytes.append(brackets.1)
    }
}
