public import TillCore

/// The movement of deferred revenue over a month or week; amounts are millionths of one currency.
public struct DeferredFigures: Hashable, Sendable {
    /// Deferred at the beginning.
    public var opening: Int128 = 0
    /// The gross of the sales that are booked in the time.
    public var billed: Int128 = 0
    /// The refunds that are booked in the time, less reversals.
    public var refunds: Int128 = 0
    /// Earned revenue minus the part that refunds take back.
    public var earned: Int128 = 0
    /// Deferred at the end.
    public var closing: Int128 = 0

    /// Takes the amounts as they are, also if they are not balanced.
    public init(
        opening: Int128 = 0,
        billed: Int128 = 0,
        refunds: Int128 = 0,
        earned: Int128 = 0,
        closing: Int128 = 0
    ) {
        self.opening = opening
        self.billed = billed
        self.refunds = refunds
        self.earned = earned
        self.closing = closing
    }

    /// Figures whose earned revenue is the remainder, so that they are balanced.
    public init(opening: Int128, billed: Int128, refunds: Int128, closing: Int128) {
        self.init(
            opening: opening,
            billed: billed,
            refunds: refunds,
            earned: opening + billed - refunds - closing,
            closing: closing
        )
    }

    /// Whether all five amounts are 0.
    public var isZero: Bool { self == DeferredFigures() }

    /// Whether closing = opening + billed − refunds − earned.
    public var isBalanced: Bool { closing == opening + billed - refunds - earned }

    /// The same with balances, billed and refunds rounded once, half to even, to the minor unit of the currency; earned
    /// is the remainder. Only prices finer than the minor unit change.
    public func rounded(in currency: CurrencyCode?) -> DeferredFigures {
        guard let currency else { return self }
        func rounded(_ amount: Int128) -> Int128 {
            Money(millionths: amount, currency: currency).roundedToMinorUnit.millionths
        }
        return DeferredFigures(
            opening: rounded(opening),
            billed: rounded(billed),
            refunds: rounded(refunds),
            closing: rounded(closing)
        )
    }

    /// Adds each amount to its counterpart, the balances at the beginning and at the end included.
    public static func += (left: inout DeferredFigures, right: DeferredFigures) {
        left.opening += right.opening
        left.billed += right.billed
        left.refunds += right.refunds
        left.earned += right.earned
        left.closing += right.closing
    }
}
