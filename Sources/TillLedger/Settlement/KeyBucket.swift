import TillThreads

/// One of a few buckets of all transactions. Comparing transactions bucket by bucket needs no more memory than one
/// bucket, and several threads can work on one bucket each.
///
/// Transactions with an equal key are in one bucket. The hash differs from that of the partitions of a spilled ledger:
/// with the same hash, a bucket would hold all or nothing of a partition.
package struct KeyBucket {
    private let number: UInt64
    private let count: UInt64

    /// Buckets of about 16,384 of `count` transactions each, but at most eight: each is one more pass over the ledger.
    static func all(of count: Int) -> [KeyBucket] {
        let buckets = UInt64(min(8, 1 + count / 16_384))
        return (0..<buckets).map { KeyBucket(number: $0, count: buckets) }
    }

    @inline(__always)
    func contains(_ key: Int64) -> Bool { Self.number(of: key, among: count) == number }

    /// The number of the bucket of a key.
    @inline(__always)
    fileprivate static func number(of key: Int64, among count: UInt64) -> UInt64 {
        // The upper bits of the product depend on all of the key.
        let hash = UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
        return hash.multipliedFullWidth(by: count).high
    }
}

/// The numbers of some transactions, bucket by bucket, so that a bucket can be visited without a pass over all of them.
///
/// Transactions with an equal key are in one bucket, in the order of their numbers. Cost: two passes, and 4 bytes for
/// each number; 2 more bytes for each transaction while it is made.
struct BucketedNumbers {
    private var numbers: [UInt32]
    /// The end of each bucket among the numbers.
    private var ends: [Int]

    /// The number of buckets for about `size` transactions each, at most 4,096. With more buckets each one is processed
    /// faster, but its entries are farther apart.
    static func bucketCount(for count: Int, size: Int) -> Int { min(4096, 1 + count / size) }

    /// - Parameters:
    ///   - ranges: the numbers of all transactions to choose from, from 0 on; each range for one thread.
    ///   - bucketCount: at most 4,096.
    ///   - products: is copied for each thread.
    ///   - key: returns the key of a transaction; `nil` to leave it out.
    init(
        among ranges: [Range<Int>],
        bucketCount: Int,
        _ products: ProductCache,
        key: (Int, inout ProductCache) -> Int64?
    ) {
        // The bucket of each transaction plus one; 0 if it is left out.
        var buckets: [UInt16] = Array(repeating: 0, count: ranges.last?.upperBound ?? 0)
        // By range: the number of transactions in each bucket, then the place of the next one.
        var places = buckets.withUnsafeMutableBufferPointer { buckets in
            concurrentMap(ranges.count, width: ranges.count) { part in
                var products = products
                var counts = Array(repeating: 0, count: bucketCount)
                for number in ranges[part] {
                    guard let key = key(number, &products) else { continue }
                    let bucket = Int(KeyBucket.number(of: key, among: UInt64(bucketCount)))
                    buckets[number] = UInt16(bucket + 1)
                    counts[bucket] += 1
                }
                return counts
            }
        }
        ends = Array(repeating: 0, count: bucketCount)
        var end = 0
        for bucket in 0..<bucketCount {
            for part in places.indices {
                let start = end
                end += places[part][bucket]
                places[part][bucket] = start
            }
            ends[bucket] = end
        }
        numbers = Array(unsafeUninitializedCapacity: end) { numbers, count in
            concurrently(ranges.count, width: ranges.count) { part in
                var places = places[part]
                for number in ranges[part] where buckets[number] > 0 {
                    let bucket = Int(buckets[number]) - 1
                    numbers.initializeElement(at: places[bucket], to: UInt32(number))
                    places[bucket] += 1
                }
            }
            count = end
        }
    }

    var bucketCount: Int { ends.count }

    subscript(_ bucket: Int) -> ArraySlice<UInt32> { numbers[(bucket == 0 ? 0 : ends[bucket - 1])..<ends[bucket]] }
}
