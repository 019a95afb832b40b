import TillStorage

/// The number of shares of a partial, and the kind of rows that must be together in a share.
public struct PartialDivision: Sendable, Equatable {
    /// The kinds of data that a share holds completely; the raw values are the words of `--divide`.
    public enum Key: String, Sendable, CaseIterable {
        /// Copies of transactions, attempts, requests: open partials.
        case transactions
        /// Chains, of an open partial that has all copies of its transactions: open partials.
        case chains
        /// Accounts and line items, of a partial that is being closed.
        case accounts
    }

    /// The kind of data by which shares are made; `accounts` is for closed partials alone.
    public var key: Key
    /// The number of shares, from 1 to ``limit``.
    public var count: Int

    /// The most shares.
    static let limit = 100_000

    /// The words for the values, for messages.
    static let form =
        "one of \(Key.allCases.map(\.rawValue).joined(separator: ", ")) and a count, such as chains:200"

    /// Reads `chains:200`; `nil` for other texts.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let key = Key(rawValue: String(parts[0])), let count = Int(parts[1]) else { return nil }
        guard (1...Self.limit).contains(count) else { return nil }
        (self.key, self.count) = (key, count)
    }

    /// Writes all shares one after the other, each a complete partial, and then the end offset of each.
    ///
    ///     share 0 │ share 1 │ … │ end of share 0: u64 │ end of share 1: u64 │ …
    ///
    /// All shares are in one file: a cluster has n divisions with n shares each, which would be n² files.
    ///
    /// - Parameter share: writes the share of a number; gives its length in bytes.
    func write(to write: ([UInt8]) throws -> Void, _ share: (_ number: Int) throws -> Int) throws {
        var (end, ends) = (0, PartialWriter())
        for number in 0..<count {
            end += try share(number)
            ends.write(word: UInt64(end))
        }
        try write(ends.bytes)
    }
}
