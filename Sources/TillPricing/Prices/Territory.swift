/// A country or region by its ISO 3166-1 code, always held as alpha-3.
///
/// StoreKit names storefronts in alpha-3, finance mostly in alpha-2; both become the same value. Kosovo, which has only
/// user-assigned codes, is `XKS` as Apple names it; `XK` and `XKX` are other names of it.
public struct Territory: Hashable, Sendable {
    /// The three ASCII letters, first letter in the highest of the low 24 bits.
    private let packed: UInt32

    /// `USA`
    public static let unitedStates = Territory(packed: 0x55_5341)

    private init(packed: UInt32) {
        self.packed = packed
    }

    /// Reads an alpha-2 or alpha-3 code in either case; `nil` for anything that ISO 3166-1 does not list.
    public init?(_ text: String) {
        var key: UInt32 = 0
        for byte in text.utf8 {
            let letter = byte & 0xDF
            guard (0x41...0x5A).contains(letter), key <= 0xFFFF else { return nil }
            key = key << 8 | UInt32(letter)
        }
        guard let alpha3 = Self.alpha3[key] else { return nil }
        packed = alpha3
    }
}

extension Territory: CustomStringConvertible {
    public var description: String {
        String(decoding: [UInt8(packed >> 16 & 0xFF), UInt8(packed >> 8 & 0xFF), UInt8(packed & 0xFF)], as: UTF8.self)
    }
}
