/// The rounding of an amount to the minor unit.
public enum Rounding: String, Sendable, CaseIterable {
    /// To the nearest unit; a tie goes to the even one.
    case halfEven = "half-even"
    /// To the nearest unit; a tie goes away from zero.
    case halfUp = "half-up"
}
