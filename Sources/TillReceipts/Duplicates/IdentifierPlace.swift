import TillJSON

/// The position of the id in the text of a transaction: eleven bits for the offset, five for the number of digits.
struct IdentifierPlace {
    let rawValue: UInt16

    init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }

    init?(_ token: JSONToken, in text: ObjectText) {
        let offset = token.start - text.start
        guard (0..<1 << 11).contains(offset), (1..<1 << 5).contains(token.count) else { return nil }
        rawValue = UInt16(offset << 5 | token.count)
    }

    /// The id in a text that equals, byte by byte, the text of the place.
    func identifier(in text: ObjectText, of json: JSONBytes) -> Int64 {
        let start = text.start + Int(rawValue >> 5)
        return json.decimal(start, start + Int(rawValue & 31)) ?? 0
    }
}
