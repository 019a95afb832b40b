import TillCore
import TillRows

/// One verifyReceipt response, as far as rates and failures are concerned.
package struct Verification {
    package var status: Int64
    package var isRetryable: Bool?
    /// When it was logged, in milliseconds.
    package var at: Int64?
    /// Stands for the request that it answered.
    package var pairKey: UInt128?
    /// A code of the ledger's dictionary, -1 where not known.
    package var appVersion: Int32
    /// Whether its environment is one of those asked for.
    var isCounted = true
    /// Whether it is of the time asked for; if not, only its failure counts, for what is to be expected.
    package var isInPeriod = true

    package init(
        status: Int64,
        isRetryable: Bool?,
        at: Int64?,
        pairKey: UInt128?,
        appVersion: Int32,
        isCounted: Bool = true,
        isInPeriod: Bool = true
    ) {
        self.status = status
        self.isRetryable = isRetryable
        self.at = at
        self.pairKey = pairKey
        self.appVersion = appVersion
        self.isCounted = isCounted
        self.isInPeriod = isInPeriod
    }
}

/// Responses counted by what they say.
///
/// A 21007 says that a sandbox receipt went to production; callers then ask the sandbox. With the success that followed
/// for the same request it is one verification and no failure. One that came before is another verification: of success,
/// 21007 and success the latter two are one. Which 21007 have a success is only known at the end, so they are kept till
/// then, and so is the last success of each request.
package struct VerificationTally {
    static let domain = "verifyReceipt"
    static let sandboxReceipt: Int64 = 21007

    package private(set) var responses = 0
    /// Responses that are neither valid nor valid but expired.
    package private(set) var failed = 0
    package internal(set) var failures = FailureTally()
    /// Failures of other times than the period asked for.
    package internal(set) var history = FailureTally()
    package private(set) var succeeded = AnsweredRequests()
    package private(set) var routed: [Verification] = []
    /// 21007s that a success followed, once ``settle()`` has found them.
    private(set) var paired = 0

    mutating func count(_ verification: Verification) {
        let isValid = VerifyStatus.isBooked(verification.status)
        // Of any environment: the sandbox's success is what a 21007 leads to.
        if isValid, let pairKey = verification.pairKey { succeeded.note(pairKey, at: verification.at) }
        guard verification.isCounted else { return }
        if verification.isInPeriod {
            responses += 1
            failures.see(at: verification.at)
        } else {
            history.see(at: verification.at)
        }
        if verification.status == Self.sandboxReceipt, verification.pairKey != nil {
            routed.append(verification)
            return
        }
        if verification.status != 0 { countFailure(verification) }
    }

    private mutating func countFailure(_ verification: Verification) {
        let failureClass = FailureCatalogue.failureClass(
            ofStatus: verification.status,
            isRetryable: verification.isRetryable
        ).textCode
        let dimensions: InlineArray<4, Int32> = [verification.appVersion, -1, -1, -1]
        func count(in tally: inout FailureTally) {
            let number = tally.number(entering: FailureCode(status: verification.status))
            tally.count(number, failureClass: failureClass, at: verification.at, dimensions: dimensions)
        }
        guard verification.isInPeriod else { return count(in: &history) }
        if verification.status != VerifyStatus.expired { failed += 1 }
        count(in: &failures)
    }

    /// Adds responses that were counted apart; those that are settled already stay so.
    mutating func merge(_ other: VerificationTally, _ translation: TextTranslation) {
        responses += other.responses
        paired += other.paired
        failed += other.failed
        failures.merge(other.failures, translation)
        history.merge(other.history, translation)
        succeeded.merge(other.succeeded)
        for verification in other.routed {
            var verification = verification
            verification.appVersion = translation.text(verification.appVersion)
            routed.append(verification)
        }
    }

    /// Forgets what waits for the end, which has been written elsewhere.
    mutating func forgetPairs() {
        succeeded = AnsweredRequests()
        routed = []
    }

    /// Codes of the texts that are still wanted.
    package var texts: Set<Int32> {
        routed.reduce(into: failures.texts.union(history.texts)) { $0.insert($1.appVersion) }.subtracting([-1])
    }

    /// Takes the codes of another dictionary in place of its own.
    mutating func renumber(_ translation: TextTranslation) {
        failures.renumber(translation)
        history.renumber(translation)
        for index in routed.indices { routed[index].appVersion = translation.text(routed[index].appVersion) }
    }

    // What a partial tells, value by value:

    package mutating func add(responses: Int, failed: Int, since start: Int64?, _ historyStart: Int64?) {
        self.responses += responses
        self.failed += failed
        failures.see(at: start)
        history.see(at: historyStart)
    }

    package mutating func add(newest instant: Int64?) { failures.see(at: instant) }
    package mutating func add(succeeded pairKey: UInt128, at instant: Int64?) { succeeded.note(pairKey, at: instant) }
    package mutating func add(routed verification: Verification) { routed.append(verification) }

    /// Settles the 21007s: paired ones are part of the verification that followed, the others are failures.
    package mutating func settle() {
        for verification in routed {
            if let pairKey = verification.pairKey, succeeded.follow(pairKey, at: verification.at) {
                guard verification.isInPeriod else { continue }
                responses -= 1
                paired += 1
            } else {
                countFailure(verification)
            }
        }
        routed.removeAll()
    }

    /// Forgets which failures there were, which has been written elsewhere.
    mutating func forgetFailures() {
        failures.forget()
        history.forget()
    }
}
