/// What the program says of itself.
public enum Tool {
    public static let version = "0.1.0"
}
