import TillColumns
public import TillCore

/// The numbers of the failure rates (`docs/rules.md`, Failures).
public struct FailureRates: Sendable {
    /// Attempts to buy.
    public let attempts: Int
    /// Attempts that failed, without cancellations and deferrals.
    public let failed: Int
    /// Attempts that the customer cancelled.
    public let cancelled: Int
    /// Attempts that wait for approval.
    public let deferred: Int
    /// Distinct purchases.
    public let succeeded: Int
    /// Attempts that began and did not end.
    public let unfinished: Int
    /// verifyReceipt responses; a 21007 and its later success count as one.
    public let verifications: Int
    /// Verifications with a status other than 0 and 21006.
    public let failedVerifications: Int
    /// Responses 21007 that are part of the verification that followed.
    public let pairedVerifications: Int
    /// The newest purchase up to now; `nil` where none is known.
    public var lastPurchase: Timestamp?

    /// Attempts that were neither cancelled nor deferred; 0 if a log without beginnings has more of these than attempts.
    public var decided: Int { max(0, attempts - cancelled - deferred) }

    /// The denominator of the rate of a key and class.
    public func cases(for key: FailureKey, ofClass failureClass: String) -> Int {
        if key.domain == VerificationTally.domain { return verifications }
        return [FailureClass.cancelled, .deferred].contains { $0.rawValue == failureClass } ? attempts : decided
    }
}

/// Restores in client events.
public struct EventRestores: Sendable {
    /// Distinct restores.
    public let restored: Int
    /// Distinct purchases.
    public let purchased: Int
    /// Events of completed restores.
    public let restoreCompleted: Int
    /// Events of failed restores.
    public let restoreFailed: Int
}

extension SettledLedger {
    /// The times of the first and the newest response or event of the period; `nil` if none has a time.
    public var recordSpan: ClosedRange<Timestamp>? {
        guard let first = events.span.first, let last = events.span.last else { return nil }
        return Timestamp(milliseconds: first)...Timestamp(milliseconds: last)
    }

    /// Counts of attempts in the period, 0 without ``LedgerNeeds/events``, and of verifications, 0 without
    /// ``LedgerNeeds/verifications``.
    ///
    /// A partition of a ledger does not have them.
    public var failureRates: FailureRates {
        FailureRates(
            attempts: events.attemptCount,
            failed: events.lines.failed,
            cancelled: events.lines.cancelled,
            deferred: events.lines.deferred,
            succeeded: events.purchasedCount,
            unfinished: events.unfinishedCount,
            verifications: verifications.responses,
            failedVerifications: verifications.failed,
            pairedVerifications: verifications.paired
        )
    }

    /// Counts of restores and purchases in the events of the period; 0 without ``LedgerNeeds/events``.
    public var eventRestores: EventRestores {
        EventRestores(
            restored: events.restoredCount,
            purchased: events.purchasedCount,
            restoreCompleted: events.lines.restoreCompleted,
            restoreFailed: events.lines.restoreFailed
        )
    }
}
