/// Statuses of verifyReceipt responses.
public enum VerifyStatus {
    /// The receipt is valid, and its subscription has expired.
    public static let expired: Int64 = 21006

    /// Whether the transactions of a response with this status are booked. Any status but 0 and ``expired`` says that its data are
    /// not reliable.
    @inlinable
    public static func isBooked(_ status: Int64?) -> Bool { status == 0 || status == 21006 }
}
