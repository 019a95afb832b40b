import TillReceipts

/// The kind of signed document. It decides which pinned root a path may end at, and which certificates the document
/// embeds.
enum SignerKind: UInt8, Sendable {
    /// App receipts embed a leaf, an intermediate and Apple Root CA.
    case receipt
    /// JWS of StoreKit 2 embed a leaf, an intermediate and Apple Root CA - G3.
    case jws
    /// Legacy receipts embed only their leaf. Its issuers lead to Apple Root CA.
    case legacy

    /// Whether a path of this kind may end at `root`.
    func accepts(_ root: PinnedRoot) -> Bool {
        switch self {
        case .receipt, .legacy: root == .appleRootCA
        case .jws: root == .appleRootCAG3
        }
    }
}

/// Finds the paths from a signer's certificate to a trust anchor (RFC 5280 §6.1).
///
/// Certificate policies and revocation are not checked. A certificate with critical name constraints is refused
/// (``TrustCertificate/isUnderstood``).
///
///     signer ── issued by ── intermediate … ── issued by ── anchor
///
/// The verifier of swift-certificates is not used, for two reasons. It is asynchronous, but documents are decoded in
/// one pass that cannot wait. It validates for one instant, but the cache needs a result for every instant. So the
/// search does not use a clock: each path has the period in which all of its certificates are valid.
///
/// Cost: the search ends after ``TrustLimits/pathSteps`` signature verifications, also where certificates sign one
/// another in a circle.
struct CertificatePath {
    /// The result of a search.
    struct Outcome: Sendable {
        /// One period for each path, at most ``TrustLimits/paths``; empty where there is no path.
        var periods: [ValidityPeriod] = []
        /// The reason why there is no path; `nil` if there is one.
        var code: TrustCode?
        /// The first path that was found, or else the longest part of one. The signer comes first.
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

    /// Searches for the issuers of the last certificate of `path`, depth first.
    private mutating func extend(_ path: [TrustCertificate]) {
        guard let last = path.last else { return }
        if path.count > longest.count { longest = path }
        for anchor in anchors {
            if path.count == 1, anchor.pinned == nil, anchor.certificate.octets == last.octets {
                // The user named the signer itself as an anchor, as for documents that Xcode signs.
                finish(path)
            } else if anchor.certificate.subject == last.issuer {
                end(path, at: anchor)
            }
        }
        for candidate in intermediates where candidate.subject == last.issuer {
            guard !path.contains(where: { $0.octets == candidate.octets }) else { continue }
            guard path.count + 1 < TrustLimits.pathLength else { return note(.limit) }
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

    /// Ends `path` at `anchor`, if the anchor's key verifies the last certificate and the anchor may issue it.
    private mutating func end(_ path: [TrustCertificate], at anchor: TrustAnchors.Anchor) {
        // An anchor of the same name with another key fails here.
        guard path.count < TrustLimits.pathLength, isIssued(path[path.count - 1], by: anchor.certificate) else {
            return
        }
        // A certificate of version 1 has no extensions, so it cannot say that it is an authority. The user trusts it
        // anyway.
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

    /// Keeps a path, unless there is no instant at which all of its certificates are valid.
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

    /// Notes the reason why a path failed. Of several defects the last in `weights` is kept, the one that is found
    /// latest on a path.
    private mutating func note(_ code: TrustCode) {
        let weights: [TrustCode] = [.anchor, .chain, .marker, .expired, .limit]
        if weights.firstIndex(of: code) ?? 0 > weights.firstIndex(of: failure) ?? 0 { failure = code }
    }

    /// Whether the key of `issuer` verifies `certificate`. Counts as one step.
    private mutating func isIssued(_ certificate: TrustCertificate, by issuer: TrustCertificate) -> Bool {
        guard steps < TrustLimits.pathSteps, let key = issuer.key else { return false }
        steps += 1
        return certificate.isSigned(by: key)
    }

    /// Whether `authority` may issue the last certificate of `path` (RFC 5280 §4.2.1.9, §6.1.4). `pathLenConstraint`
    /// limits the number of authorities between it and the signer; self-issued ones are not counted.
    private static func mayIssue(_ authority: TrustCertificate, below path: [TrustCertificate]) -> Bool {
        let (isOne, pathLength) = authority.authority
        guard isOne, authority.maySignCertificates, authority.isUnderstood, authority.isStrong else { return false }
        guard let pathLength else { return true }
        return path.dropFirst().count { $0.subject != $0.issuer } <= pathLength
    }
}

extension TrustCertificate {
    /// Whether an RSA key has a size in ``TrustLimits/rsaBits``. All of Apple's authorities have one. EC keys always
    /// pass.
    fileprivate var isStrong: Bool {
        if case .rsa(_, let bits) = key { TrustLimits.rsaBits.contains(bits) } else { key != nil }
    }
}
