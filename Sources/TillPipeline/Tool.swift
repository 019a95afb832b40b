/// What the program says of itself.
public enum Tool {
    public static let version = "0.1.0"
    /// The name and the version: `tillroll 1.2.3`.
    static let program = "tillroll \(version)"
}
