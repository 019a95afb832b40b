/// Numbers that identify groups of rows; the ledger translates them for each key.
public enum GroupCode {
    /// Stands for a value that is not known; it is the last in every order.
    public static let unknown = Int64.min
}
