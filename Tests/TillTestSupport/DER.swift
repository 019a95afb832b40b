/// Writes ASN.1 elements (X.690): what tests need to say about lengths, forms and order, and no more.
public enum DER {
    /// One element with a definite length of the fewest octets, or of exactly `lengthWidth` octets in the long form.
    public static func element(_ tag: UInt8, _ content: [UInt8], lengthWidth: Int? = nil) -> [UInt8] {
        [tag] + length(content.count, width: lengthWidth) + content
    }

    /// One element of indefinite length.
    public static func indefinite(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag, 0x80] + content + [0, 0]
    }

    public static func sequence(_ members: [UInt8]...) -> [UInt8] { element(0x30, members.flatMap(\.self)) }
    public static func set(_ members: [[UInt8]]) -> [UInt8] { element(0x31, members.flatMap(\.self)) }
    public static func explicit(_ member: [UInt8]) -> [UInt8] { element(0xA0, member) }
    public static func octets(_ content: [UInt8]) -> [UInt8] { element(0x04, content) }
    public static func utf8(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }
    public static func ia5(_ text: String) -> [UInt8] { element(0x16, Array(text.utf8)) }

    /// An INTEGER in the fewest octets.
    public static func integer(_ value: Int64) -> [UInt8] {
        var octets = withUnsafeBytes(of: value.bigEndian) { Array($0) }
        while octets.count > 1, octets[0] == (octets[1] & 0x80 == 0 ? 0 : 0xFF) { octets.removeFirst() }
        return element(0x02, octets)
    }

    /// An OCTET STRING in the constructed form, cut into fragments of `size`.
    public static func fragments(_ content: [UInt8], of size: Int, indefinite isIndefinite: Bool = true) -> [UInt8] {
        let pieces = stride(from: 0, to: content.count, by: size).flatMap { start in
            octets(Array(content[start..<min(start + size, content.count)]))
        }
        return isIndefinite ? indefinite(0x24, pieces) : element(0x24, pieces)
    }

    private static func length(_ count: Int, width: Int?) -> [UInt8] {
        var digits = withUnsafeBytes(of: UInt64(count).bigEndian) { Array($0) }
        if let width { return [0x80 | UInt8(width)] + digits.suffix(width) }
        guard count >= 0x80 else { return [UInt8(count)] }
        digits = Array(digits.drop { $0 == 0 })
        return [0x80 | UInt8(digits.count)] + digits
    }
}
