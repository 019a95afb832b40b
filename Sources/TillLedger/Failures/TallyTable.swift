/// How often each of many things was counted, a thing being 128 bits that are not all 0.
///
/// Open addressing like ``IntegerSet``, with the counts beside the keys.
struct TallyTable: Sendable {
    /// 0 is an empty slot. A power of two long.
    private var keys: [UInt128] = []
    private var counts: [Int] = []
    private let multiplier = UInt64.random(in: .min ... .max) | 1
    private var used = 0

    var isEmpty: Bool { used == 0 }

    mutating func count(_ key: UInt128) {
        precondition(key != 0)
        if used &* 4 >= keys.count &* 3 { grow() }
        let slot = slot(of: key)
        if keys[slot] == 0 {
            keys[slot] = key
            used += 1
        }
        counts[slot] += 1
    }

    func visit(_ body: (UInt128, Int) -> Void) {
        for slot in keys.indices where keys[slot] != 0 { body(keys[slot], counts[slot]) }
    }

    private func slot(of key: UInt128) -> Int {
        let folded = UInt64(truncatingIfNeeded: key) ^ UInt64(truncatingIfNeeded: key >> 64) &* 0x9E37_79B9_7F4A_7C15
        let mask = keys.count &- 1
        let product = folded.multipliedFullWidth(by: multiplier)
        var slot = Int(truncatingIfNeeded: product.high ^ product.low) & mask
        while keys[slot] != 0, keys[slot] != key { slot = (slot &+ 1) & mask }
        return slot
    }

    private mutating func grow() {
        let (oldKeys, oldCounts) = (keys, counts)
        keys = Array(repeating: 0, count: max(64, oldKeys.count * 2))
        counts = Array(repeating: 0, count: keys.count)
        for (key, count) in zip(oldKeys, oldCounts) where key != 0 {
            let slot = slot(of: key)
            (keys[slot], counts[slot]) = (key, count)
        }
    }
}
