public import TillReceipts

/// The options for checking signatures (docs/trust.md).
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

    /// A file of certificates that are trusted beside the pinned roots.
    public typealias AnchorFile = (name: String, octets: [UInt8])

    /// Bytes of a file of anchors that are read at most.
    public static let anchorFileLimit = 1 << 20

    /// The kind of check; it is `off` by default here, while the flag `--trust` defaults to `check`.
    public let mode: Mode
    /// Paths of the files of anchors.
    public let anchorPaths: [String]
    /// Makes the checker from the files of anchors; it throws an error that describes a file without certificates.
    ///
    /// The command passes it in, so that this module does not wait for the cryptographic libraries to be compiled.
    private let makeChecker: (@Sendable ([AnchorFile]) throws -> any SignatureChecker)?

    /// Checks nothing.
    public init() {
        (mode, anchorPaths, makeChecker) = (.off, [], nil)
    }

    /// Makes options that check as `mode` says; ``policy()`` reads the files of anchors.
    public init(
        mode: Mode,
        anchorPaths: [String] = [],
        makeChecker: @escaping @Sendable ([AnchorFile]) throws -> any SignatureChecker
    ) {
        self.mode = mode
        self.anchorPaths = anchorPaths
        self.makeChecker = makeChecker
    }

    /// The files of anchors.
    var sideFiles: [OutputPaths.SideFile] {
        anchorPaths.map { OutputPaths.SideFile(option: "--anchor", path: $0) }
    }

    /// The policy, with a checker where one is needed; reads the files of anchors.
    ///
    /// Throws a `Finding` for a file that holds no certificates, or cannot be read.
    public func policy() throws -> TrustPolicy {
        guard let checker = try checker() else { return .off }
        return mode == .require ? .require(checker) : .check(checker)
    }

    /// The checker of ``policy()``; `nil` if nothing is checked.
    func checker() throws -> (any SignatureChecker)? {
        guard mode != .off, let makeChecker else { return nil }
        let files = try anchorPaths.map { path in
            (
                name: path,
                octets: try ReferenceFile.bytes(of: path, option: "--anchor", limit: Self.anchorFileLimit)
            )
        }
        return try makeChecker(files)
    }
}
