extension RandomAccessCollection {
    /// The first index from which on `isBehind` holds, of elements sorted so that it holds of none before and of all behind
    /// that index; the end where it holds of none. Cost: as many calls as the count has binary digits.
    @inlinable
    public func partitioningIndex(where isBehind: (Element) throws -> Bool) rethrows -> Index {
        var (low, count) = (startIndex, count)
        while count > 0 {
            let half = count / 2
            let middle = index(low, offsetBy: half)
            if try isBehind(self[middle]) {
                count = half
            } else {
                low = index(after: middle)
                count -= half + 1
            }
        }
        return low
    }
}
