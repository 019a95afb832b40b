public import TillColumns

/// The words that tillroll itself writes into text columns.
///
/// Every row batch and every ledger numbers them first and in this order, so a word's raw value is its code in all of
/// them and comparing a cell with a word is comparing two integers.
public enum Word: Int, CaseIterable, Sendable {
    // environment
    case production, sandbox, xcode, localTesting
    // product_type
    case nonConsumable, consumable, nonRenewing, autoRenewable, freeSubscription
    // ownership_type
    case purchased, familyShared
    // kind
    case pkcs7, legacy, verify, jws, notification
    // trust
    case trusted, untrusted, unanchored, unsigned, unchecked

    /// The word as it stands in the column.
    public var text: String {
        switch self {
        case .production: "production"
        case .sandbox: "sandbox"
        case .xcode: "xcode"
        case .localTesting: "local_testing"
        case .nonConsumable: "non_consumable"
        case .consumable: "consumable"
        case .nonRenewing: "non_renewing"
        case .autoRenewable: "auto_renewable"
        case .freeSubscription: "free_subscription"
        case .purchased: "purchased"
        case .familyShared: "family_shared"
        case .pkcs7: "pkcs7"
        case .legacy: "legacy"
        case .verify: "verify"
        case .jws: "jws"
        case .notification: "notification"
        case .trusted: "trusted"
        case .untrusted: "untrusted"
        case .unanchored: "unanchored"
        case .unsigned: "unsigned"
        case .unchecked: "unchecked"
        }
    }

    /// Apple's environments, in the order of their codes.
    public static let environments: [Word] = [.production, .sandbox, .xcode, .localTesting]

    /// The environment in a cell; `nil` where it is unknown, or a text that is not Apple's.
    @inlinable
    public init?(environment cell: Int64?) {
        guard let cell, cell <= Self.localTesting.cell else { return nil }
        self.init(rawValue: Int(cell))
    }

    /// The code of the word, as the value of a cell.
    @inlinable
    public var cell: Int64 { Int64(rawValue) }

    /// A dictionary that knows all words and nothing else.
    public static func dictionary() -> TextDictionary {
        var dictionary = TextDictionary()
        for word in allCases { _ = dictionary.code(for: word.text) }
        return dictionary
    }
}
