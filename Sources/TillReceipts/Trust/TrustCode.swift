import TillCore

/// Why a document is not trusted: stable names, kept in `trust_code`, in rejects and in what `verify` prints.
///
/// Of several defects of a signature the first in this order is given: its structure, whether it holds, where its chain
/// leads, when it was made, and for which device.
public enum TrustCode: String, Error, CaseIterable {
    // How the signature is put together.
    case structure = "trust.structure"
    case signer = "trust.signer"
    case algorithm = "trust.algorithm"
    case certificate = "trust.certificate"
    case key = "trust.key"
    case limit = "trust.limit"
    // Whether it holds.
    case digest = "trust.digest"
    case signature = "trust.signature"
    // Where the chain leads.
    case chain = "trust.chain"
    case marker = "trust.marker"
    case anchor = "trust.anchor"
    // When and for which device.
    case expired = "trust.expired"
    case notYetValid = "trust.not-yet-valid"
    case device = "trust.device"
    // Documents that only `--trust require` refuses, and documents untrusted for an unknown reason.
    case unsigned = "trust.unsigned"
    case unanchored = "trust.unanchored"
    case untrusted = "trust.untrusted"

    /// One sentence for a person.
    public var reason: String {
        switch self {
        case .structure: "the signature does not have the structure of its standard, so what it signs is unclear"
        case .signer: "there is not exactly one signer whose certificate is in the document"
        case .algorithm: "the signature uses an algorithm that the App Store does not use, or none"
        case .certificate: "the signer's certificate cannot be read"
        case .key: "the signer's key is of a kind or size that the App Store does not use"
        case .limit: "more certificates, octets or paths than a signature may have (limit: certificates)"
        case .digest: "the digest in the signed attributes is not that of the content"
        case .signature: "the signature does not match: the content or the signature was changed"
        case .chain: "a certificate on the way to the root was not allowed to issue the next one, or did not issue it"
        case .marker: "a certificate under Apple's root lacks the mark of certificates that sign receipts"
        case .anchor: "the chain does not end at a known root; --anchor FILE names one"
        case .expired: "a certificate of the chain had expired when this was signed"
        case .notYetValid: "a certificate of the chain was not valid yet when this was signed"
        case .device: "the hash in the receipt is not that of the device that --device-id names"
        case .unsigned: "no signature covers the whole document; --trust check books such documents"
        case .unanchored: "the signature matches, but nothing in the document leads to a root; --anchor FILE names one"
        case .untrusted: "the document is not trusted, and does not say why"
        }
    }

    /// The error of a document that `--trust require` refuses for this reason.
    var finding: Finding { Finding(rawValue, cause: .untrusted, reason) }
}
