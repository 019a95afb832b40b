extension [UInt8] {
    /// Appends a number as decimal text: `12`, `-0.30`. Zero has no sign.
    ///
    /// - Parameters:
    ///   - units: the number times 10 to the power of `decimals`.
    ///   - decimals: the digits behind the point, 0…38.
    ///   - fewest: zeros at the end are left out down to so many decimals; `nil` leaves out none.
    public mutating func append(decimal units: Int128, decimals: Int = 0, fewest: Int? = nil) {
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
        var digits = 1
        var higher = rest / 10
        while higher > 0 { (higher, digits) = (higher / 10, digits + 1) }
        digits = Swift.max(digits, decimals + 1)
        append(contentsOf: repeatElement(UInt8(ascii: "."), count: digits + (decimals > 0 ? 1 : 0)))
        var place = count
        for digit in 0..<digits {
            // The point stands already where it belongs.
            place -= digit == decimals && decimals > 0 ? 2 : 1
            self[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
