/// Base64 in one line (RFC 4648 §4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ octets: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: octets.count, by: 3) {
            let group = octets[start..<min(start + 3, octets.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place <= group.count ? alphabet[bits >> (18 - 6 * place) & 0x3F] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The octets of base64 in one line; what is not of the alphabet ends it.
    static func decode(_ text: String) -> [UInt8] {
        var octets: [UInt8] = []
        var (bits, count) = (0, 0)
        for digit in text.utf8 {
            guard let value = alphabet.firstIndex(of: digit) else { break }
            bits = (bits << 6 | value) & 0xFFFF
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            octets.append(UInt8(bits >> count & 0xFF))
        }
        return octets
    }
}
