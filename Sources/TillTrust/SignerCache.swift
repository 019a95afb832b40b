import CKernels
import TillReceipts
import TillThreads

/// A signer: its key and its paths. It is the same for all documents with the same certificates and signer identifier.
final class Signer: Sendable {
    /// `nil` if there is no key; ``defect`` then has the reason.
    let key: VerificationKey?
    let defect: TrustCode?
    let path: CertificatePath.Outcome
    /// The validity of the signer's own certificate, for legacy receipts without a path; empty where there is no
    /// certificate.
    let validity: [ValidityPeriod]
    /// The common name of the signer.
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

    /// The finding for a document whose signature verifies with ``key``.
    func finding(_ kind: SignerKind) -> SignatureFinding {
        if kind == .legacy, path.periods.isEmpty {
            // A legacy receipt embeds no intermediate, so a missing path to an anchor is not its defect.
            let code = path.code == .anchor ? nil : path.code
            return SignatureFinding(code: code, periods: validity, isAnchored: false, signer: name)
        }
        return SignatureFinding(code: path.code, periods: path.periods, isAnchored: true, signer: name)
    }
}

/// The signers of recent documents, by the octets that identify them.
///
/// A dump of millions of receipts has few signers. A hit moves an entry one place to the front, so most searches end at
/// the first entry; a full cache drops its last entry. The cache compares octets and not digests, so a crafted document
/// cannot hit the entry of another signer. It holds at most ``TrustLimits/cachedSigners`` entries of
/// ``TrustLimits/certificateOctets`` each.
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

    private let state = Locked(State())

    /// The number of lookups that hit and that missed.
    var counts: (hits: Int, misses: Int) { state.withLock { ($0.hits, $0.misses) } }

    /// The signer that `octets` identify. On a miss, `make` builds it.
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
        // This runs outside the lock. Two workers may build the same signer; both results are equal.
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
