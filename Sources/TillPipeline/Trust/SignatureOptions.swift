public import TillReceipts
public import TillTrust

/// The options for checking signatures (SECURITY.md).
public struct SignatureOptions: Sendable {
    /// The words for `--trust`.
    public enum Mode: String, CaseIterable, Sendable {
        /// Signed documents are checked; failed ones are flagged and not booked.
        case check
        /// Only trusted documents count; others that hold transactions or renewals are rejects.
        case require
        /// Nothing is checked.
        case off
    }

    /// The kind of check; it is `off` by default here, while the flag `--trust` defaults to `check`.
    public var mode: Mode
    /// Files of certificates that are trusted beside the pinned roots.
    public var anchorPaths: [String]
    /// The device that app receipts must be of.
    public var device: DeviceIdentifier?

    /// Makes options that check nothing unless `mode` says so; ``policy()`` reads the files of anchors.
    public init(mode: Mode = .off, anchorPaths: [String] = [], device: DeviceIdentifier? = nil) {
        self.mode = mode
        self.anchorPaths = anchorPaths
        self.device = device
    }

    /// The files of anchors.
    var sideFiles: [OutputPaths.SideFile] {
        anchorPaths.map { OutputPaths.SideFile(option: "--anchor", path: $0) }
    }

    /// The policy, with a checker where one is needed; reads the files of anchors.
    ///
    /// Throws a ``RunError`` for a file that holds no certificates, an `InputError` for one that cannot be read.
    public func policy() throws -> TrustPolicy {
        guard let checker = try checker() else { return .off }
        return mode == .require ? .require(checker) : .check(checker)
    }

    /// The checker of ``policy()``; `nil` if nothing is checked.
    func checker() throws -> TrustChecker? {
        guard mode != .off else { return nil }
        let files = try anchorPaths.map { path in
            (
                name: path,
                octets: try ReferenceFile.bytes(of: path, option: "--anchor", limit: TrustLimits.anchorFileOctets)
            )
        }
        let anchors: TrustAnchors?
        do {
            anchors = files.isEmpty ? nil : try TrustAnchors(files: files)
        } catch {
            throw RunError(.dataError, error.description)
        }
        return TrustChecker(anchors: anchors, device: device)
    }
}
