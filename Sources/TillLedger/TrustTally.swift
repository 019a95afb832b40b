import TillRows

/// The results of signature checks: documents by verdict, and the omitted rows.
public struct TrustTally: Hashable, Sendable {
    /// Documents with a valid signature whose certificates lead to a trusted root.
    public package(set) var trusted = 0
    /// Documents whose signature or certificates failed the check.
    public package(set) var untrusted = 0
    /// Documents with a valid signature whose certificates lead to no root.
    public package(set) var unanchored = 0
    /// Documents that no signature covers as a whole.
    public package(set) var unsigned = 0
    /// Transactions of untrusted documents, and with `--trust require` untrusted stored ones. None of them is booked.
    public package(set) var untrustedRows = 0

    package init() {}

    /// Whether any signature was checked.
    public var hasSigned: Bool { trusted + untrusted + unanchored + untrustedRows > 0 }

    /// All counts, in the order in which a partial holds them.
    package static var all: [WritableKeyPath<Self, Int> & Sendable] {
        [\.trusted, \.untrusted, \.unanchored, \.unsigned, \.untrustedRows]
    }

    package mutating func add(_ other: TrustTally) {
        for count in Self.all { self[keyPath: count] += other[keyPath: count] }
    }

    mutating func count(_ trust: Int64?) {
        switch trust {
        case Word.trusted.cell: trusted += 1
        case Word.untrusted.cell: untrusted += 1
        case Word.unanchored.cell: unanchored += 1
        case Word.unsigned.cell: unsigned += 1
        default: return
        }
    }
}
