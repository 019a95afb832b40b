/// One of a few buckets of all transactions. Comparing transactions bucket by bucket needs no more memory than one
/// bucket, and several threads can work on one bucket each.
///
/// Transactions with an equal key are in one bucket. The hash differs from that of the partitions of a spilled ledger:
/// with the same hash, a bucket would hold all or nothing of a partition.
package struct KeyBucket {
    private let number: UInt64
    private let count: UInt64

    /// Buckets of about `size` of `count` transactions each, but at most `most` of them: each is one more pass over the ledger.
    static func all(of count: Int, size: Int = 16_384, most: Int = 8) -> [KeyBucket] {
        let buckets = UInt64(min(most, 1 + count / size))
        return (0..<buckets).map { KeyBucket(number: $0, count: buckets) }
    }

    @inline(__always)
    func contains(_ key: Int64) -> Bool {
        // The upper bits of the product depend on all of the key.
        let hash = UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
        return hash.multipliedFullWidth(by: count).high == number
    }
}
