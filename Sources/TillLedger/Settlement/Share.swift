/// A share of all transactions, so that those who compare some with others need not hold all at once.
///
/// What has a key in common is in one share. The hash is another than that by which ``Spread`` makes parts, of which a share
/// would otherwise be all or nothing.
package struct Share {
    private let number: UInt64
    private let count: UInt64

    /// More would cost more passes over the ledger than memory is worth.
    private static let most = 8

    /// Shares of at most `size` of `count` transactions each, but eight at most.
    static func all(of count: Int, size: Int = 16_384) -> [Share] {
        let shares = UInt64(min(most, 1 + count / size))
        return (0..<shares).map { Share(number: $0, count: shares) }
    }

    @inline(__always)
    func contains(_ key: Int64) -> Bool {
        // The upper bits of the product depend on all of the key.
        let hash = UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
        return hash.multipliedFullWidth(by: count).high == number
    }
}
