import TillCore
import TillRows

/// A verifyReceipt response whose status is not 0.
package struct FailedVerification: Sendable {
    /// The fingerprint of the request that it answered; `nil` if not known.
    package let pairKey: UInt128?
    package let isRetryable: Bool?
    /// Whether it is in the period. If not, only incidents are looked for in it.
    package let isInPeriod: Bool
    package private(set) var failure: FailureOccurrence
    /// The bundle id, a text of the ledger's dictionary; -1 where not known.
    package private(set) var app: Int32

    /// - Parameters:
    ///   - at: when the response was logged, in milliseconds.
    ///   - appVersion: a text of the ledger's dictionary, -1 where not known.
    package init(
        status: Int64,
        isRetryable: Bool?,
        at milliseconds: Int64?,
        pairKey: UInt128?,
        app: Int32,
        appVersion: Int32,
        isInPeriod: Bool
    ) {
        self.app = app
        self.pairKey = pairKey
        self.isRetryable = isRetryable
        self.isInPeriod = isInPeriod
        failure = FailureOccurrence(
            FailureCode(status: status),
            failureClass: FailureCatalogue.failureClass(ofStatus: status, isRetryable: isRetryable).textCode,
            Combination([appVersion, -1, -1, -1]),
            at: milliseconds
        )
    }

    package var status: Int64 { failure.code.code ?? 0 }
    package var appVersion: Int32 { failure.combination[.appVersion] }

    /// The request of a 21007, which a success may follow; `nil` for every other failure.
    var routedRequest: UInt128? { status == VerificationTally.sandboxReceipt ? pairKey : nil }

    /// The same with the texts of another dictionary.
    package func translated(_ translation: TextTranslation) -> Self {
        var verification = self
        verification.failure.translateCombination(translation)
        verification.app = translation.text(app)
        return verification
    }
}

/// verifyReceipt responses counted by status.
///
/// A 21007 means that a sandbox receipt went to production. The app's server then sends the receipt to the sandbox. The
/// 21007 and the success that follows for the same request are one verification and no failure, also if the sandbox is
/// not counted. A success before the
/// 21007 is another verification: of success, 21007 and success, the latter two are one. Only at the end is it known
/// which 21007s a success followed. So they are kept until then, and so are successes (``AnsweredRequests``).
package struct VerificationTally {
    static let domain = "verifyReceipt"
    static let sandboxReceipt: Int64 = 21007

    package private(set) var responses = 0
    /// Responses that are neither valid nor valid but expired.
    package private(set) var failed = 0
    package private(set) var succeeded = AnsweredRequests()
    package private(set) var routed: [FailedVerification] = []
    /// 21007s that a success followed, once ``settle()`` has found them.
    package private(set) var paired = 0

    /// Counts a response of the period, of any status.
    mutating func countResponse() { responses += 1 }

    /// Counts a failure of the period.
    mutating func countFailure(ofStatus status: Int64) {
        if status != VerifyStatus.expired { failed += 1 }
    }

    /// Adds responses that were counted separately. Settled ones stay settled.
    mutating func merge(_ other: VerificationTally, _ translation: TextTranslation) {
        responses += other.responses
        paired += other.paired
        failed += other.failed
        succeeded.merge(other.succeeded)
        routed += other.routed.map { $0.translated(translation) }
    }

    /// Removes the 21007s and the successes, after they were written to a file.
    mutating func forgetPairs() {
        succeeded = AnsweredRequests()
        routed = []
    }

    /// Codes of the texts that are in use.
    package var texts: Set<Int32> {
        routed.reduce(into: Set<Int32>()) { $0.formUnion([$1.appVersion, $1.app]) }.subtracting([-1])
    }

    /// Takes the codes that its texts have in another dictionary.
    mutating func renumber(_ translation: TextTranslation) {
        routed = routed.map { $0.translated(translation) }
    }

    // The values of a partial, one by one:

    package mutating func add(responses: Int, failed: Int) {
        self.responses += responses
        self.failed += failed
    }

    package mutating func add(paired count: Int) { paired += count }
    package mutating func add(succeeded pairKey: UInt128, at instant: Int64?, isCounted: Bool, count: Int = 1) {
        succeeded.note(pairKey, at: instant, isCounted: isCounted, count: count)
    }
    package mutating func add(routed verification: FailedVerification) { routed.append(verification) }

    /// Settles the 21007s. A 21007 with a later success is part of that verification; the others are failures, which are
    /// not counted yet.
    ///
    /// - Returns: those that are attempts of their own: failures, and the ones that stand for a success of an environment
    ///   that is not counted.
    package mutating func settle() -> [(verification: FailedVerification, isFailure: Bool)] {
        var attempts: [(verification: FailedVerification, isFailure: Bool)] = []
        // By request, where the success is of an environment that is not counted.
        var answeredElsewhere: [UInt128: [FailedVerification]] = [:]
        for verification in routed {
            let at = verification.failure.at
            if let pairKey = verification.pairKey, succeeded.follow(pairKey, at: at) {
                if !succeeded.followCounted(pairKey, at: at) {
                    answeredElsewhere[pairKey, default: []].append(verification)
                }
                guard verification.isInPeriod else { continue }
                paired += 1
                responses -= 1
            } else {
                attempts.append((verification, true))
            }
        }
        for (request, answers) in answeredElsewhere {
            // The last ones, so that the order of the input does not matter.
            let latest = answers.sorted { $0.failure.at ?? .min > $1.failure.at ?? .min }
            let count = succeeded.verifications(of: request, answered: answers.count)
            attempts += latest.prefix(count).map { ($0, false) }
            responses += succeeded.verifications(of: request, answered: answers.count { $0.isInPeriod })
        }
        routed.removeAll()
        return attempts
    }
}
