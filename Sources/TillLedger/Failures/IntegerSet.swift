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

    mutating func insert(contentsOf added: [Member]) {
        members.update(of: added, key: { $0 }, entering: { _ in () }, changing: { _, _ in })
    }

    mutating func formUnion(_ other: Self) {
        for member in other { insert(member) }
    }

    func makeIterator() -> AnyIterator<Member> { members.makeKeyIterator() }
}
