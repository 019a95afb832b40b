/// A set of integers: ids, and fingerprints of what has no number.
///
/// Open addressing, at most three quarters full. An event costs one look at a slot here, where the hashing of `Set`,
/// made to withstand chosen members of any type, cost more than reading the event; the multiplier is drawn for each set, so that
/// nobody can choose members that all meet in one slot. Takes 1.3 to 2.7 times the size of its members.
struct IntegerSet<Member: FixedWidthInteger & Sendable>: Sendable, Sequence {
    /// 0 is an empty slot. A power of two long.
    private var slots: [Member] = []
    private var hasZero = false
    private let multiplier = UInt64.random(in: .min ... .max) | 1
    /// Members other than 0.
    private var used = 0

    init() {}

    init(_ members: some Sequence<Member>) {
        for member in members { insert(member) }
    }

    var count: Int { used + (hasZero ? 1 : 0) }
    var isEmpty: Bool { count == 0 }
    /// Members that there is room for, and those places that stay empty.
    var capacity: Int { slots.count }

    func contains(_ member: Member) -> Bool {
        guard member != 0 else { return hasZero }
        guard !slots.isEmpty else { return false }
        return slots[slot(of: member)] == member
    }

    mutating func insert(_ member: Member) {
        guard member != 0 else {
            hasZero = true
            return
        }
        if used &* 4 >= slots.count &* 3 { grow() }
        let slot = slot(of: member)
        guard slots[slot] == 0 else { return }
        slots[slot] = member
        used += 1
    }

    mutating func formUnion(_ other: Self) {
        for member in other { insert(member) }
    }

    func makeIterator() -> AnyIterator<Member> {
        var index = hasZero ? -1 : 0
        return AnyIterator {
            if index < 0 {
                index = 0
                return 0
            }
            while index < slots.count {
                index += 1
                if slots[index - 1] != 0 { return slots[index - 1] }
            }
            return nil
        }
    }

    /// Where the member is, or where it would go.
    private func slot(of member: Member) -> Int {
        let low = UInt64(truncatingIfNeeded: member)
        let folded = Member.bitWidth > 64 ? low ^ UInt64(truncatingIfNeeded: member >> 64) : low
        let mask = slots.count &- 1
        let product = folded.multipliedFullWidth(by: multiplier)
        var slot = Int(truncatingIfNeeded: product.high ^ product.low) & mask
        while slots[slot] != 0, slots[slot] != member { slot = (slot &+ 1) & mask }
        return slot
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: 0, count: Swift.max(64, old.count * 2))
        for member in old where member != 0 { slots[slot(of: member)] = member }
    }
}
