import TillReceipts

/// What a signer's certificate must be to be Apple's.
enum SignerKind: UInt8, Sendable {
    /// App receipts: a leaf, an intermediate and Apple Root CA.
    case receipt
    /// StoreKit 2: a leaf, an intermediate and Apple Root CA - G3.
    case jws
    /// Legacy receipts, which embed their leaf only.
    case legacy

    /// The pinned root that this kind may end at.
    func accepts(_ root: PinnedRoot) -> Bool {
        switch self {
        case .receipt, .legacy: root == .appleRootCA
        case .jws: root == .appleRootCAG3
        }
    }
}

/// Finds the paths from a signer's certificate to a root (RFC 5280 §6.1, without policies and names).
///
///     signer ── issued by ── intermediate … ── issued by ── anchor
///
/// swift-certificates' verifier is not used: it is asynchronous, where documents are decoded in one pass without a place
/// to wait, and it judges one instant, where a cache wants all. So paths are found without a clock, each with the time in
/// which all of it is valid. Every step verifies a signature; ``TrustLimits/pathSteps`` of them end the search, so that
/// certificates that sign one another in circles cost no more than that.
struct CertificatePath {
    /// What the search came to.
    struct Outcome: Sendable {
        var periods: [ValidityPeriod] = []
        /// Why there is no path.
        var code: TrustCode?
        /// The first path, or what was reached: the signer first.
        var certificates: [TrustCertificate] = []
    }

    private let kind: SignerKind
    private let intermediates: [TrustCertificate]
    private let anchors: [TrustAnchors.Anchor]
    private var steps = 0
    private var outcome = Outcome()
    private var failure = TrustCode.anchor
    private var longest: [TrustCertificate] = []

    static func search(
        from signer: TrustCertificate,
        through intermediates: [TrustCertificate],
        to anchors: TrustAnchors,
        kind: SignerKind
    ) -> Outcome {
        var search = CertificatePath(kind: kind, intermediates: intermediates, anchors: anchors.anchors)
        guard signer.isUnderstood, signer.maySignDocuments else {
            return Outcome(code: .chain, certificates: [signer])
        }
        search.extend([signer])
        guard search.outcome.periods.isEmpty else { return search.outcome }
        search.outcome.code = search.steps >= TrustLimits.pathSteps ? .limit : search.failure
        search.outcome.certificates = search.longest
        return search.outcome
    }

    private init(kind: SignerKind, intermediates: [TrustCertificate], anchors: [TrustAnchors.Anchor]) {
        (self.kind, self.intermediates, self.anchors) = (kind, intermediates, anchors)
    }

    /// Looks for the issuers of the last certificate of `path`.
    private mutating func extend(_ path: [TrustCertificate]) {
        guard let last = path.last else { return }
        if path.count > longest.count { longest = path }
        for anchor in anchors {
            if path.count == 1, anchor.pinned == nil, anchor.certificate.octets == last.octets {
                // The signer itself was named, as with what Xcode signs.
                finish(path)
            } else if anchor.certificate.subject == last.issuer {
                end(path, at: anchor)
            }
        }
        guard path.count + 1 < TrustLimits.pathLength else { return }
        for candidate in intermediates where candidate.subject == last.issuer {
            guard !path.contains(where: { $0.octets == candidate.octets }) else { continue }
            guard isIssued(last, by: candidate) else {
                note(.chain)
                continue
            }
            guard Self.mayIssue(candidate, below: path) else {
                note(.chain)
                continue
            }
            extend(path + [candidate])
        }
    }

    private mutating func end(_ path: [TrustCertificate], at anchor: TrustAnchors.Anchor) {
        // A root that has only the right name fails here: it is the key that ends a path.
        guard path.count < TrustLimits.pathLength, isIssued(path[path.count - 1], by: anchor.certificate) else {
            return
        }
        // A root of version 1 has no way to say that it is one; being named is enough.
        guard anchor.certificate.version == 1 || Self.mayIssue(anchor.certificate, below: path) else {
            return note(.chain)
        }
        if let root = anchor.pinned {
            guard kind.accepts(root) else { return note(.anchor) }
            guard path.count == 2 else { return note(.chain) }
            guard path[0].has(TrustCertificate.receiptSigning), path[1].has(TrustCertificate.developerRelations) else {
                return note(.marker)
            }
        }
        finish(path + [anchor.certificate])
    }

    /// Keeps a path, unless there is no instant at which all of it is valid.
    private mutating func finish(_ path: [TrustCertificate]) {
        let period = ValidityPeriod(
            notBefore: path.map(\.validity.notBefore).max() ?? .max,
            notAfter: path.map(\.validity.notAfter).min() ?? .min
        )
        guard period.notBefore <= period.notAfter else { return note(.expired) }
        if outcome.periods.isEmpty { outcome.certificates = path }
        guard outcome.periods.count < TrustLimits.paths else { return }
        outcome.periods.append(period)
    }

    /// Remembers why a path ended; the most specific defect is kept.
    private mutating func note(_ code: TrustCode) {
        let weights: [TrustCode] = [.anchor, .chain, .marker, .expired]
        if weights.firstIndex(of: code) ?? 0 > weights.firstIndex(of: failure) ?? 0 { failure = code }
    }

    private mutating func isIssued(_ certificate: TrustCertificate, by issuer: TrustCertificate) -> Bool {
        guard steps < TrustLimits.pathSteps, let key = issuer.key else { return false }
        steps += 1
        return certificate.isSigned(by: key)
    }

    /// Whether an authority may stand above `path` (RFC 5280 §4.2.1.9, §6.1.4): its path length counts the authorities
    /// between it and the signer, those aside that issued to themselves.
    private static func mayIssue(_ authority: TrustCertificate, below path: [TrustCertificate]) -> Bool {
        let (isOne, pathLength) = authority.authority
        guard isOne, authority.maySignCertificates, authority.isUnderstood, authority.isStrong else { return false }
        guard let pathLength else { return true }
        return path.dropFirst().count { $0.subject != $0.issuer } <= pathLength
    }
}

extension TrustCertificate {
    /// Whether the key is large enough to issue others, which no authority of Apple's ever fell short of.
    fileprivate var isStrong: Bool {
        if case .rsa(_, let bits) = key { TrustLimits.rsaBits.contains(bits) } else { key != nil }
    }
}
