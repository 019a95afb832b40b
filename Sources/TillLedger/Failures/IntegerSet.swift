import TillColumns

/// A set of integers: the keys of an ``IntegerMap`` without values.
struct IntegerSet<Member: FixedWidthInteger & Sendable>: Sendable, Sequence {
    private var members = IntegerMap<Member, Void>()

    init() {}

    init(_ members: some Sequence<Member>) {
        for member in members { insert(member) }
    }

    var count: Int { members.count }
    var isEmpty: Bool { members.isEmpty }
    /// Slots of the table, empty ones among them.
    var capacity: Int { members.capacity }

    func contains(_ member: Member) -> Bool { members[member] != nil }

    mutating func insert(_ member: Member) { members.update(member, entering: ()) { _ in } }

    /// Members between the prefetch of a slot and its use.
    private static var prefetchDistance: Int { 8 }

    /// Inserts members one after the other. The slot of each is prefetched some members ahead.
    mutating func insert(contentsOf added: [Member]) {
        for index in added.indices {
            let ahead = index &+ Self.prefetchDistance
            if ahead < added.count { members.prefetch(added[ahead]) }
            insert(added[index])
        }
    }

    mutating func formUnion(_ other: Self) {
        for member in other { insert(member) }
    }

    func makeIterator() -> AnyIterator<Member> { members.makeKeyIterator() }
}
