import TillInput
import TillJSON

/// Writes a form as the object that it stands for, so that its members are read as those of JSON are.
///
///     notification_type=RENEWAL&environment=PROD&latest_receipt_info=%7B%22…
///     {"notification_type":"RENEWAL","environment":"PROD","latest_receipt_info":{…}}
enum FormObject {
    static func json(_ form: RawSpan) -> [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(form.byteCount + 64)
        var start = 0
        while start < form.byteCount {
            let end = form.firstIndex(of: 0x26, from: start, to: form.byteCount) ?? form.byteCount
            if let equals = form.firstIndex(of: 0x3D, from: start, to: end) {
                json.append(json.isEmpty ? 0x7B : 0x2C)
                append(form.extracting(start..<equals).percentDecoded(), to: &json)
                json.append(0x3A)
                append(valueOf: form.extracting(equals + 1..<end), to: &json)
            }
            start = end + 1
        }
        json.append(contentsOf: json.isEmpty ? [0x7B, 0x7D] : [0x7D])
        return json
    }

    /// Appends an object or a list as such, and all else as a string. A `+` is a space in JSON, and a digit in base64.
    private static func append(valueOf text: RawSpan, to json: inout [UInt8]) {
        let value = text.percentDecoded()
        if let object = self.json(in: text, decoded: value) {
            json += object
        } else {
            append(value, to: &json)
        }
    }

    /// The object or list that a value is, whose spaces may be written as `+`; `nil` where it is none.
    static func json(in text: RawSpan, decoded: [UInt8]) -> [UInt8]? {
        guard let first = decoded.first(where: { $0 > 0x20 }), first == 0x7B || first == 0x5B else { return nil }
        if decoded.isJSONValue { return decoded }
        let spaced = text.percentDecoded(plusIsSpace: true)
        return spaced.isJSONValue ? spaced : nil
    }

    private static func append(_ text: [UInt8], to json: inout [UInt8]) {
        json.append(0x22)
        for byte in text {
            switch byte {
            case 0x22, 0x5C: json += [0x5C, byte]
            case 0x0A: json += [0x5C, 0x6E]
            case 0x00..<0x20: json.append(0x20)
            default: json.append(byte)
            }
        }
        json.append(0x22)
    }
}
