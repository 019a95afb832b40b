/// Stretches that have been read, taken in the order of their numbers, which count from 0.
struct FinishedStretches {
    private var stretches: [Int: Stretch] = [:]
    /// How many were taken.
    private(set) var taken = 0

    /// How many wait for an earlier one.
    var count: Int { stretches.count }

    mutating func insert(_ stretch: Stretch, number: Int) { stretches[number] = stretch }

    /// The next in order, if it is there.
    mutating func next() -> Stretch? {
        guard let stretch = stretches.removeValue(forKey: taken) else { return nil }
        taken += 1
        return stretch
    }
}
