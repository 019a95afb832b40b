/// The meaning of one error code, or of several codes that mean the same.
public struct FailureEntry: Hashable, Sendable {
    /// Whether the same attempt can succeed later; the advice names the condition.
    public enum Retry: String, Sendable, CaseIterable {
        /// It fails again for the same reason.
        case never
        /// It may pass once or twice after a while.
        case maybe
        /// It is meant to be tried again.
        case yes
    }

    /// The ``codes`` of an entry for all those of its domain that have none of their own.
    public static let anyCode = Int64.min...Int64.max

    /// The error's domain as Apple names it, `verifyReceipt` for a status, the type of a StoreKit 2 error.
    public let domain: String
    /// The codes within the domain, mostly one; `nil` for a StoreKit 2 error, which has only a name.
    public let codes: ClosedRange<Int64>?
    /// Apple's name of the code, or ours where Apple gives none.
    public let name: String
    /// One sentence about the error: `The customer cancelled the payment.`
    public let meaning: String
    /// The class of this error when it stands alone.
    public let failureClass: FailureClass
    /// Whether trying again can help.
    public let retry: Retry
    /// One sentence of advice: `Show no error.`
    public let advice: String
}
