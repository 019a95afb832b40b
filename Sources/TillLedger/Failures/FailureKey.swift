/// The kind of a failure: the domain and code of the outer error, if known.
public struct FailureKey: Hashable, Sendable, Comparable {
    /// The domain, such as `SKErrorDomain`; `verifyReceipt` for a status of verifyReceipt; `nil` if not known.
    public var domain: String?
    /// The code in ``domain``, or the status of verifyReceipt; `nil` if not known.
    public var code: Int64?

    /// Takes a domain and a code, of which one or both may be unknown.
    public init(domain: String?, code: Int64?) {
        self.domain = domain
        self.code = code
    }

    /// `SKErrorDomain 0`, for people.
    public var name: String { "\(domain ?? "unknown domain") \(code.map { String($0) } ?? "without a code")" }

    // Bytes, not characters: Unicode treats some different domains as equal, and the domain shown would depend on the
    // order of input.
    public static func == (left: Self, right: Self) -> Bool {
        guard left.code == right.code else { return false }
        guard let domain = left.domain, let other = right.domain else {
            return left.domain == nil && right.domain == nil
        }
        return domain.utf8.elementsEqual(other.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        guard let domain else { return }
        for byte in domain.utf8 { hasher.combine(byte) }
    }

    /// By domain, bytewise, then by code; unknown values come last.
    public static func < (left: Self, right: Self) -> Bool {
        guard let domain = left.domain else { return right.domain == nil && codePrecedes(left, right) }
        guard let other = right.domain else { return true }
        if domain.utf8.elementsEqual(other.utf8) { return codePrecedes(left, right) }
        return domain.utf8.lexicographicallyPrecedes(other.utf8)
    }

    private static func codePrecedes(_ left: Self, _ right: Self) -> Bool {
        guard let code = left.code else { return false }
        return right.code.map { code < $0 } ?? true
    }
}

/// The dimensions of failures, in the order in which their values are counted.
public enum FailureDimension: Int, CaseIterable, Sendable {
    case appVersion, osVersion, storefront, productID

    /// The name of the column.
    public var name: String {
        switch self {
        case .appVersion: "app_version"
        case .osVersion: "os_version"
        case .storefront: "storefront"
        case .productID: "product_id"
        }
    }

    /// Whether a key is one of the dimensions.
    public static func isNamed(by key: GroupKey) -> Bool { allCases.contains { $0.name == key.rawValue } }

    /// A heading for people.
    public var title: String { GroupKey(name: name)?.title ?? name }
}
