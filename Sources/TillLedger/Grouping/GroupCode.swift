/// Numbers by which rows are told apart; what each key's mean, the ledger says.
public enum GroupCode {
    /// Stands for a value that is not known; it is the last in every order.
    public static let unknown = Int64.min
}
