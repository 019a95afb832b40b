import TillCore

/// The rejects that a run may have and still end well: a number, or a percentage of the documents.
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

    /// The error if `rejected` of `documents` are more than allowed; else `nil`.
    func excess(_ rejected: Int, of documents: Int) -> String? {
        let isExceeded =
            switch self {
            case .any: false
            case .count(let count): rejected > count
            case .share(let millionths): Int128(rejected) * 1_000_000 > Int128(documents) * Int128(millionths)
            }
        guard isExceeded else { return nil }
        let were = rejected == 1 ? "was" : "were"
        return "\(rejected) of \(documents) documents \(were) rejected, and \(limit)"
    }

    private var limit: String {
        switch self {
        case .any: "any number is allowed"
        case .count(0): "none may be (--strict, --max-rejects 0)"
        case .count(let count): "--max-rejects allows \(count)"
        case .share(let millionths): "--max-rejects allows \(Self.percentage(millionths)) %"
        }
    }

    /// `0.5` of 5,000 millionths.
    private static func percentage(_ millionths: Int64) -> String {
        var bytes: [UInt8] = []
        bytes.append(decimal: Int128(millionths), decimals: 4, fewest: 0)
        return String(decoding: bytes, as: UTF8.self)
    }
}
