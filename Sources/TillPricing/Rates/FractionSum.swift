/// A sum of amounts times fractions, which is exact until it is rounded once.
///
///     12.34 × 1000/1129  +  5.67 × 1000/1131  + …
///
/// Whole millionths are added at once; the remainder of each term is kept by its denominator. To round, the remainders
/// are added with 64 binary places, and the error is bounded. Only if the bound does not decide, because the sum is at
/// or near a tie, the fractions are added in integers of any length.
///
/// Why: `docs/decisions.md`, Money is an integer and is rounded once.
public struct FractionSum: Sendable {
    /// Millionths.
    private var whole: Int128 = 0
    /// By denominator the sum of numerators, which is more than 0 and less than the denominator.
    private var rest: [UInt128: UInt128] = [:]

    /// The largest sum of either sign, in millionths: it can still be rounded and compared.
    public static let limit = Int128.max / 4

    /// Makes the sum 0.
    public init() {}

    /// Adds `amount` times `ratio`; `false` if the sum exceeds ``limit`` and can no longer be used.
    public mutating func add(_ amount: Int128, times ratio: Ratio) -> Bool {
        let (product, overflow) = amount.magnitude.multipliedReportingOverflow(by: ratio.numerator)
        guard !overflow else { return false }
        var (quotient, remainder) = product.quotientAndRemainder(dividingBy: ratio.denominator)
        guard quotient < Self.limit.magnitude else { return false }
        var signed = Int128(quotient)
        if amount < 0 {
            // Rounded down, so that the remainder is never negative.
            signed = -signed
            if remainder > 0 {
                signed -= 1
                remainder = ratio.denominator - remainder
            }
        }
        // Both are at most a quarter of the largest 128-bit integer.
        whole += signed
        if remainder > 0 { addRest(remainder, over: ratio.denominator) }
        return isInLimit
    }

    private var isInLimit: Bool { whole.magnitude <= Self.limit.magnitude }

    private mutating func addRest(_ remainder: UInt128, over denominator: UInt128) {
        // Both are less than the denominator, so they add up to less than two.
        let known = rest[denominator, default: 0]
        guard remainder >= denominator - known else {
            rest[denominator] = known + remainder
            return
        }
        let over = remainder - (denominator - known)
        rest[denominator] = over == 0 ? nil : over
        whole += 1
    }

    /// Returns the sum as a multiple of `quantum` millionths, rounded once; `quantum` must be even.
    public func rounded(to quantum: Int128, _ rounding: Rounding) -> Int128 {
        let carry = wholeOfRest
        let down = whole + carry
        let above = ((down % quantum) + quantum) % quantum
        let floor = down - above
        let half = quantum / 2
        let isTie = above == half && compareRest(to: carry) == 0
        let roundsUp =
            switch rounding {
            case _ where !isTie: above >= half
            case .halfEven: floor / quantum % 2 != 0
            case .halfUp: floor >= 0
            }
        return roundsUp ? floor + quantum : floor
    }

    /// The whole millionths in the sum of the remainders.
    private var wholeOfRest: Int128 {
        let (low, slack) = fixedPoint
        let floor = Int128(low >> 64)
        // The bound contains a whole number only if the sum of the remainders is that number, or close to it.
        guard Int128((low + slack) >> 64) > floor else { return floor }
        return compareRest(to: floor + 1) < 0 ? floor : floor + 1
    }

    /// The sum of the remainders in 2⁻⁶⁴, rounded down, and the bound of its error.
    private var fixedPoint: (low: UInt128, slack: UInt128) {
        var low: UInt128 = 0
        var slack: UInt128 = 0
        for (denominator, remainder) in rest {
            let divided = denominator.dividingFullWidth((high: remainder >> 64, low: remainder << 64))
            low += divided.quotient
            if divided.remainder != 0 { slack += 1 }
        }
        return (low, slack)
    }

    /// The comparison of the remainders with a whole number: -1, 0, 1.
    private func compareRest(to whole: Int128) -> Int {
        let (low, slack) = fixedPoint
        let target = UInt128(whole) << 64
        if slack == 0 { return low < target ? -1 : low > target ? 1 : 0 }
        // The error is more than zero and less than the bound.
        if low + slack <= target { return -1 }
        if low >= target { return 1 }
        var (top, bottom) = (LongInteger(0), LongInteger(1))
        for (denominator, remainder) in rest.sorted(by: { $0.key < $1.key }) {
            top = top.multiplied(by: LongInteger(denominator)).adding(bottom.multiplied(by: LongInteger(remainder)))
            bottom = bottom.multiplied(by: LongInteger(denominator))
        }
        return top.compared(to: bottom.multiplied(by: LongInteger(UInt128(whole))))
    }
}

/// An integer of any length from 0, for the rare sum that the fixed places do not decide.
struct LongInteger {
    /// Lowest first, no zero at the end.
    private var limbs: [UInt64]

    init(_ value: UInt128) {
        limbs = [UInt64(truncatingIfNeeded: value), UInt64(truncatingIfNeeded: value >> 64)]
        trim()
    }

    private mutating func trim() {
        while limbs.last == 0 { limbs.removeLast() }
    }

    func adding(_ other: LongInteger) -> LongInteger {
        var sum = self
        var carry = false
        for index in 0..<max(limbs.count, other.limbs.count) + 1 {
            if index == sum.limbs.count { sum.limbs.append(0) }
            let (first, one) = sum.limbs[index].addingReportingOverflow(
                index < other.limbs.count ? other.limbs[index] : 0
            )
            let (second, two) = first.addingReportingOverflow(carry ? 1 : 0)
            sum.limbs[index] = second
            carry = one || two
        }
        sum.trim()
        return sum
    }

    func multiplied(by other: LongInteger) -> LongInteger {
        var product = LongInteger(0)
        product.limbs = Array(repeating: 0, count: limbs.count + other.limbs.count)
        for (index, limb) in limbs.enumerated() {
            var carry: UInt64 = 0
            for (offset, otherLimb) in other.limbs.enumerated() {
                let wide = UInt128(limb) * UInt128(otherLimb) + UInt128(product.limbs[index + offset]) + UInt128(carry)
                product.limbs[index + offset] = UInt64(truncatingIfNeeded: wide)
                carry = UInt64(wide >> 64)
            }
            product.limbs[index + other.limbs.count] = carry
        }
        product.trim()
        return product
    }

    /// -1, 0, 1
    func compared(to other: LongInteger) -> Int {
        guard limbs.count == other.limbs.count else { return limbs.count < other.limbs.count ? -1 : 1 }
        for index in limbs.indices.reversed() where limbs[index] != other.limbs[index] {
            return limbs[index] < other.limbs[index] ? -1 : 1
        }
        return 0
    }
}
