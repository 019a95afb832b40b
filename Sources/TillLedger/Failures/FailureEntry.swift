/// What is known of one error code.
public struct FailureEntry: Hashable, Sendable {
    /// Whether the same attempt can succeed later; the advice tells what must happen before.
    public enum Retry: String, Sendable, CaseIterable {
        /// It fails again for the same reason.
        case never
        /// It may pass once or twice after a while.
        case maybe
        /// It is meant to be tried again.
        case yes
    }

    /// The error's domain as Apple names it, or `verifyReceipt` for a status.
    public let domain: String
    /// The code within the domain.
    public let code: Int64
    /// Apple's name of the code, or ours where Apple gives none.
    public let name: String
    /// What happened, in one sentence.
    public let meaning: String
    /// The class of this error when it stands alone.
    public let failureClass: FailureClass
    /// Whether trying again can help.
    public let retry: Retry
    /// What to do, in one sentence.
    public let advice: String
}
