import TillColumns

/// The values of a record in the dimensions of failures: app version, OS version, storefront and product together.
///
///     127      96 95      64 63      32 31       0
///     [ product ][storefront][   OS   ][   app   ]     code of the text plus one; 0 where it is not known
package struct Combination: Hashable, Comparable, Sendable {
    package private(set) var packed: UInt128

    /// No value is known.
    package static let unknown = Combination([-1, -1, -1, -1])

    /// - Parameter values: codes of a ledger's dictionary in the order of ``FailureDimension``, -1 where not known.
    @inline(__always)
    package init(_ values: InlineArray<4, Int32>) {
        func bits(_ value: Int32) -> UInt64 { UInt64(UInt32(bitPattern: value &+ 1)) }
        let low = bits(values[0]) | bits(values[1]) &<< 32
        let high = bits(values[2]) | bits(values[3]) &<< 32
        packed = UInt128(high) &<< 64 | UInt128(low)
    }

    /// - Parameter cells: the same as ``packed``, with 16 bits for each dimension.
    @inline(__always)
    init(cells: UInt64) {
        let low = cells & 0xFFFF | (cells &<< 16) & 0xFFFF_0000_0000
        let high = cells &>> 32 & 0xFFFF | (cells &>> 16) & 0xFFFF_0000_0000
        packed = UInt128(high) &<< 64 | UInt128(low)
    }

    /// The text of a dimension, -1 where it is not known.
    package subscript(_ dimension: FailureDimension) -> Int32 {
        Int32(truncatingIfNeeded: packed >> (32 * UInt128(dimension.rawValue))) &- 1
    }

    package static func < (left: Combination, right: Combination) -> Bool { left.packed < right.packed }

    package var values: InlineArray<4, Int32> {
        [self[.appVersion], self[.osVersion], self[.storefront], self[.productID]]
    }

    /// The same with other codes for the texts that are known.
    @inline(__always)
    func mapTexts(_ code: (Int32) -> Int32) -> Combination {
        let (low, high) = (UInt64(truncatingIfNeeded: packed), UInt64(truncatingIfNeeded: packed &>> 64))
        func mapped(_ bits: UInt64) -> Int32 {
            let value = Int32(truncatingIfNeeded: bits) &- 1
            return value >= 0 ? code(value) : -1
        }
        return Combination([mapped(low), mapped(low &>> 32), mapped(high), mapped(high &>> 32)])
    }

    /// The same with the texts of another dictionary.
    package func translated(_ translation: TextTranslation) -> Combination { mapTexts(translation.text) }
}

/// Distinct combinations, numbered from 0 in order of first appearance: some 50 bytes each.
package struct CombinationTable: Sendable {
    private var numbers = IntegerMap<UInt128, Int32>()
    package private(set) var all: [Combination] = []

    package init() {}

    package var count: Int { all.count }

    package subscript(_ number: Int32) -> Combination { all[Int(number)] }

    /// The number of a combination; a new one is added.
    package mutating func number(entering combination: Combination) -> Int32 {
        let number = numbers[combination.packed, entering: Int32(all.count)]
        if number == all.count { all.append(combination) }
        return number
    }

    /// Combinations between the prefetch of one and its use.
    static let prefetchDistance = 8

    /// Prefetches what tells the number of a combination.
    func prefetch(_ combination: Combination) { numbers.prefetch(combination.packed) }

    /// The numbers of combinations, which are entered if they are new.
    mutating func numbers(entering combinations: [Combination]) -> [Int32] {
        combinations.indices.map { index in
            let ahead = index &+ Self.prefetchDistance
            if ahead < combinations.count { prefetch(combinations[ahead]) }
            return number(entering: combinations[index])
        }
    }

    /// Bytes of memory, growing tables counted with half as much again.
    var footprint: Int { (all.capacity * MemoryLayout<Combination>.stride + numbers.capacity * 20) * 3 / 2 }

    /// Adds the codes of the texts that are in use.
    func insertTexts(into texts: inout Set<Int32>) {
        for combination in all {
            for dimension in FailureDimension.allCases where combination[dimension] >= 0 {
                texts.insert(combination[dimension])
            }
        }
    }
}
