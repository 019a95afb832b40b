/// Items that are finished in any order, taken in the order of their numbers, which count from 0.
struct InOrder<Item> {
    private var items: [Int: Item] = [:]
    /// How many were taken.
    private(set) var taken = 0

    /// How many wait for an earlier one.
    var count: Int { items.count }

    mutating func insert(_ item: Item, number: Int) { items[number] = item }

    /// The next in order, if it is there.
    mutating func next() -> Item? {
        guard let item = items.removeValue(forKey: taken) else { return nil }
        taken += 1
        return item
    }
}
