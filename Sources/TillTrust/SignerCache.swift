import CKernels
import Synchronization
import TillReceipts

/// A signer as a document names one: its key, and where its certificates lead. Nothing of it changes with the document.
final class Signer: Sendable {
    let key: VerificationKey?
    /// Why there is no key to verify with.
    let defect: TrustCode?
    let path: CertificatePath.Outcome
    /// When the signer's own certificate is valid, for those without a path.
    let validity: [ValidityPeriod]
    let name: String?

    init(_ certificate: TrustCertificate, path: CertificatePath.Outcome) {
        key = certificate.key
        defect = certificate.key == nil ? .key : nil
        self.path = path
        validity = [certificate.validity]
        name = certificate.name
    }

    init(defect: TrustCode) {
        key = nil
        self.defect = defect
        path = CertificatePath.Outcome(code: defect)
        validity = []
        name = nil
    }

    /// What a signature that holds means.
    func finding(_ kind: SignerKind) -> SignatureFinding {
        if kind == .legacy, path.periods.isEmpty {
            // The root is out of reach of what a legacy receipt embeds, which is no fault of the receipt.
            let code = path.code == .anchor ? nil : path.code
            return SignatureFinding(code: code, periods: validity, isAnchored: false, signer: name)
        }
        return SignatureFinding(code: path.code, periods: path.periods, isAnchored: true, signer: name)
    }
}

/// The signers of late, by the octets that name them.
///
/// A dump of millions of receipts has a handful of signers, so the one asked for is nearly always the first in the list.
/// The octets are compared, not digests of them: what is taken for known is known. Bounded by
/// ``TrustLimits/cachedSigners`` entries of ``TrustLimits/certificateOctets`` each.
final class SignerCache: Sendable {
    private struct Entry {
        let kind: SignerKind
        let octets: [UInt8]
        let signer: Signer
    }

    private struct State {
        var entries: [Entry] = []
        var hits = 0
        var misses = 0
    }

    private let state = Mutex(State())

    /// How often a signer was known, and how often not.
    var counts: (hits: Int, misses: Int) { state.withLock { ($0.hits, $0.misses) } }

    /// The signer that `octets` name, worked out by `make` where it is not known.
    func signer(_ kind: SignerKind, _ octets: RawSpan, make: () -> Signer) -> Signer {
        let known = state.withLock { state -> Signer? in
            guard let index = state.entries.firstIndex(where: { $0.kind == kind && octets.equals($0.octets) }) else {
                state.misses += 1
                return nil
            }
            state.hits += 1
            if index > 0 { state.entries.swapAt(index, index - 1) }
            return state.entries[max(0, index - 1)].signer
        }
        if let known { return known }
        // Outside the lock: two workers may both do this once, and come to the same.
        let signer = make()
        let entry = Entry(kind: kind, octets: octets.withUnsafeBytes(Array.init), signer: signer)
        state.withLock { state in
            if state.entries.count >= TrustLimits.cachedSigners { state.entries.removeLast() }
            state.entries.append(entry)
        }
        return signer
    }
}

extension RawSpan {
    fileprivate func equals(_ octets: [UInt8]) -> Bool {
        guard byteCount == octets.count else { return false }
        return withUnsafeBytes { mine in
            octets.withUnsafeBytes { its in till_are_same(mine.baseAddress, its.baseAddress, mine.count) }
        }
    }
}
