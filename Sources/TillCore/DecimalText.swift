extension [UInt8] {
    /// Appends a number as decimal text: `12`, `-0.30`. Zero has no sign.
    ///
    /// - Parameters:
    ///   - units: the number times 10 to the power of `decimals`.
    ///   - decimals: the digits behind the point, 0…38.
    ///   - fewest: zeros at the end are left out down to so many decimals; `nil` leaves out none.
    public mutating func append(decimal units: Int128, decimals: Int = 0, fewest: Int? = nil) {
        precondition(decimals < Self.mostDigits)
        if units < 0 { append(UInt8(ascii: "-")) }
        let fewest = fewest ?? decimals
        // Words are divided much faster than wider numbers, and nearly all numbers are words.
        if let word = UInt64(exactly: units.magnitude) {
            append(digitsOf: word, decimals: decimals, fewest: fewest)
        } else {
            append(digitsOf: units.magnitude, decimals: decimals, fewest: fewest)
        }
    }

    @inline(__always)
    private mutating func append<Number: FixedWidthInteger & UnsignedInteger>(
        digitsOf number: Number,
        decimals: Int,
        fewest: Int
    ) {
        var (rest, decimals) = (number, decimals)
        while decimals > fewest, rest % 10 == 0 { (rest, decimals) = (rest / 10, decimals - 1) }
        // From the last digit to the first, because their number is not known yet.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.mostDigits + 1) { text in
            var place = text.count
            var digits = 0
            repeat {
                place -= 1
                text[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                (rest, digits) = (rest / 10, digits + 1)
                guard digits == decimals else { continue }
                place -= 1
                text[place] = UInt8(ascii: ".")
            } while rest > 0 || digits <= decimals
            append(contentsOf: text[place...])
        }
    }

    /// Digits of the largest number of 128 bits.
    private static var mostDigits: Int { 39 }
}
