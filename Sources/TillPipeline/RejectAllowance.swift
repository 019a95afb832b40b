import TillCore

/// How many rejects a run may have and still end well: a number, or a percentage of the documents.
public enum RejectAllowance: Hashable, Sendable {
    case any
    case count(Int)
    /// A share in millionths of the documents.
    case share(millionths: Int64)

    /// Reads `120` or `0.5%`.
    public init?(_ text: String) {
        if text.hasSuffix("%") {
            let digits = Array(text.utf8.dropLast())
            guard let millionths = ScaledDecimal.parse(digits.span.bytes, scale: 4),
                (0...1_000_000).contains(millionths)
            else {
                return nil
            }
            self = .share(millionths: millionths)
        } else {
            guard let count = Int(text), count >= 0 else { return nil }
            self = .count(count)
        }
    }

    /// Whether `rejected` of `documents` are more than allowed.
    func isExceeded(by rejected: Int, of documents: Int) -> Bool {
        switch self {
        case .any: false
        case .count(let count): rejected > count
        case .share(let millionths): Int128(rejected) * 1_000_000 > Int128(documents) * Int128(millionths)
        }
    }
}
