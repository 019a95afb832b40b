extension Array {
    /// Sorts by a key of 128 bits: a radix sort from the lowest byte on. Bytes that are equal in all keys are skipped.
    ///
    /// Cost: a pass for each other byte, some 8 of a long log. Comparing 200,000 cells takes three times as long, at a
    /// time when all other processors wait.
    mutating func sortByDigits(_ key: (Element) -> UInt128) {
        // Fewer are compared with one another.
        guard count >= 1024, let first = first.map(key) else { return sort { key($0) < key($1) } }
        let differing = reduce(UInt128(0)) { $0 | (key($1) ^ first) }
        var others = self
        for shift in stride(from: 0, to: UInt128.bitWidth, by: 8) where differing >> shift & 0xFF != 0 {
            func digit(_ element: Element) -> Int { Int(truncatingIfNeeded: key(element) >> shift & 0xFF) }
            var places = InlineArray<256, Int>(repeating: 0)
            for element in self { places[digit(element)] += 1 }
            var place = 0
            for value in places.indices { (places[value], place) = (place, place + places[value]) }
            for element in self {
                let value = digit(element)
                others[places[value]] = element
                places[value] += 1
            }
            swap(&self, &others)
        }
    }
}
