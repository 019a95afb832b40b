/// Statuses of verifyReceipt responses.
public enum VerifyStatus {
    /// The receipt is valid, and its subscription has expired.
    public static let expired: Int64 = 21006

    /// Whether the transactions of a response with this status are booked. With any other status than 0 and
    /// ``expired``, the data are not reliable.
    @inlinable
    public static func isBooked(_ status: Int64?) -> Bool { status == 0 || status == 21006 }

    /// Whether the receipt is of the other environment than the one that was asked: of the sandbox (21007), or of
    /// production (21008).
    public static func isRouting(_ status: Int64?) -> Bool { status == 21007 || status == 21008 }
}
