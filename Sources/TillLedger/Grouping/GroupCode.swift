/// Numbers that identify groups of rows; the ledger translates them for each key.
public enum GroupCode {
    /// The code of an unknown value, which is the last in every order.
    public static let unknown = Int64.min
}
