/// What becomes of an amount that lies between two amounts that can be paid.
public enum Rounding: String, Sendable, CaseIterable {
    /// To the nearer one, of two equally near ones to the even one.
    case halfEven = "half-even"
    /// To the nearer one, of two equally near ones to the one further from zero.
    case halfUp = "half-up"
}
