extension RandomAccessCollection {
    /// The first index whose element satisfies `isBehind`, or the end if none does. The elements must be sorted so that
    /// none before that index satisfies it and all behind it do. Cost: binary search, log₂(count) calls.
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
