import TillRows

/// An attribute of a transaction that is a number: an id, an instant or an amount.
///
/// This file is the table of all attributes that a ledger keeps. An attribute is a case, in the part of the enumeration
/// that says where it is kept, and a line of ``definition``. Joining, conflicts, the trust of each value, the choice
/// and translation of texts, partials and spill follow from that line. A new attribute is best kept in ``RareValues``:
/// those of the entry are packed by hand into 56 bytes (``TransactionEntry``).
package enum NumberAttribute: Int, CaseIterable, Sendable {
    // In the entry of every transaction:
    case identifier, original, webOrder, purchaseDate, expiresDate, originalPurchaseDate, quantity
    // In RareValues:
    case cancellationSeen, refundReversed, price, appTransaction
    /// The smallest expiry of the duplicates, if it is not the one that counts: a later one is an extension.
    case firstExpiry

    static let firstRare = NumberAttribute.cancellationSeen.rawValue
    static let rare = allCases[firstRare...]

    package var definition: AttributeDefinition {
        switch self {
        case .identifier: .init(.transactionID, joins: .never, .identifier(bit: 0, from: .rowBefore))
        case .original: .init(.originalTransactionID, joins: .ranked(.original), .identifier(bit: 1, from: .identifier))
        case .webOrder: .init(.webOrderLineItemID, joins: .ranked(.webOrder), .identifier(bit: 2, from: .rowBefore))
        case .purchaseDate: .init(.purchaseDate, joins: .near(.purchaseDate), .number(bit: 3, from: .rowBefore))
        case .expiresDate: .init(.expiresDate, joins: .near(.expiresDate), .number(bit: 4, from: .purchase))
        case .originalPurchaseDate:
            .init(.originalPurchaseDate, joins: .near(.originalPurchaseDate), .number(bit: 5, from: .purchase))
        case .quantity: .init(.quantity, joins: .ranked(.quantity), .number(bit: 7, from: .zero))
        // The time of the newest document with the cancellation.
        case .cancellationSeen: .init(.observedAt, joins: .largest, .number(bit: 9, from: .purchase))
        case .refundReversed: .init(.refundReversedAt, joins: .largest, .number(bit: 10, from: .purchase))
        // Thousandths of the unit, for the whole quantity.
        case .price: .init(.price, joins: .paired(.price), .number(bit: 11, from: .zero))
        case .appTransaction:
            .init(.appTransactionID, joins: .ranked(.appTransaction), .identifier(bit: 18, from: .rowBefore))
        case .firstExpiry: .init(.expiresDate, joins: .derived, .number(bit: 19, from: .purchase))
        }
    }
}

/// An attribute of a transaction that is a code: of a text of the ledger's dictionary, or a small number of Apple's.
package enum CodeAttribute: Int, CaseIterable, Sendable {
    // In the entry of every transaction:
    case product
    // In SharedValues:
    case environment, bundleID, productType, ownership
    /// Only kept if a report needs it: there are many versions, and each makes new shared values.
    case appVersion
    /// Only kept if a rule needs it.
    case subscriptionGroup
    // In RareValues:
    case currency, storefront, offerID, offerType
    /// The currency of duplicates without a price, if the price that counts lacks one.
    case looseCurrency

    static let firstShared = CodeAttribute.environment.rawValue
    static let firstRare = CodeAttribute.currency.rawValue
    package static let shared = allCases[firstShared..<firstRare]
    package static let rare = allCases[firstRare...]

    package var definition: AttributeDefinition {
        switch self {
        case .product: .init(.productID, joins: .ranked(.product), .text(bit: 6))
        case .environment: .init(.environment, joins: .ranked(.environment), .shared)
        case .bundleID: .init(.bundleID, joins: .ranked(.bundleID), .shared)
        case .productType: .init(.productType, joins: .ranked(.productType), .shared)
        case .ownership: .init(.ownershipType, joins: .ranked(.ownership), .shared)
        // The same transaction in a receipt of a later version is not a conflict, and does not depend on trust.
        case .appVersion: .init(.appVersion, joins: .largest, .shared)
        case .subscriptionGroup: .init(.subscriptionGroupID, joins: .ranked(.subscriptionGroup), .shared)
        case .currency: .init(.currency, joins: .paired(.price), .text(bit: 12))
        case .storefront: .init(.storefront, joins: .ranked(.storefront), .text(bit: 13))
        case .offerID: .init(.offerID, joins: .paired(.offer), .text(bit: 14))
        case .offerType: .init(.offerType, joins: .paired(.offer), .code(bit: 15))
        case .looseCurrency: .init(.currency, joins: .derived, .text(bit: 20))
        }
    }
}

// Room for the attributes of each place; the length is the number of its cases.
typealias EntryNumbers = InlineArray<7, Int64>
typealias RareNumbers = InlineArray<5, Int64>
typealias SharedCodes = InlineArray<6, Int32>
typealias RareCodes = InlineArray<5, Int32>

/// The handling of an attribute in a ledger.
package struct AttributeDefinition {
    /// The column of rows that has it.
    let column: TransactionColumn
    let join: AttributeJoin
    package let encoding: AttributeEncoding

    init(_ column: TransactionColumn, joins join: AttributeJoin, _ encoding: AttributeEncoding) {
        (self.column, self.join, self.encoding) = (column, join, encoding)
    }
}

/// The rule that joins two known values of an attribute.
enum AttributeJoin {
    /// Duplicates always have the same value.
    case never
    /// The value of the more trusted duplicate counts, else the larger one.
    case ranked(TransactionField)
    /// As ``ranked(_:)``, but values within the attribute's tolerance do not contradict each other.
    case near(TransactionField)
    /// As ``ranked(_:)``, as one value with the other attribute of the field.
    case paired(TransactionField)
    /// It follows from several attributes (``ValueJoin``), and no row has it.
    case derived
    /// The largest, whatever the trust.
    case largest

    /// The field whose conflicts and ranks are those of the attribute.
    var field: TransactionField? {
        switch self {
        case .ranked(let field), .near(let field), .paired(let field): field
        case .never, .largest, .derived: nil
        }
    }
}

/// The encoding of an attribute in a partial.
///
/// `bit` is a bit of the presence of a transaction; values are written in the order of their bits. Bits 8, 16, 17
/// and 21 are of cancellations, spreads, accounts and times of documents. The next attribute has bit 22.
package enum AttributeEncoding {
    /// A word of an ``Identifier``, as its difference.
    case identifier(bit: Int, from: Base)
    /// The difference of a number.
    case number(bit: Int, from: Base)
    /// The code of a text.
    case text(bit: Int)
    /// A code that is not negative.
    case code(bit: Int)
    /// The code of a text, in the block of shared values.
    case shared

    package enum Base {
        case zero
        /// The same attribute of the row before.
        case rowBefore
        /// The id of the transaction.
        case identifier
        /// The last known purchase date.
        case purchase
    }

    /// Its bit in the presence; `nil` for a shared value.
    package var bit: Int? {
        switch self {
        case .identifier(let bit, _), .number(let bit, _), .text(let bit), .code(let bit): bit
        case .shared: nil
        }
    }

    var isIdentifier: Bool { if case .identifier = self { true } else { false } }

    /// Whether the value is the code of a text.
    package var isText: Bool {
        switch self {
        case .text, .shared: true
        case .identifier, .number, .code: false
        }
    }
}

extension NumberAttribute {
    /// Attributes that are words of identifiers.
    package static let identifiers = allCases.filter(\.definition.encoding.isIdentifier)
    static let rareIdentifiers = rare.filter(\.definition.encoding.isIdentifier)
}

extension NumberAttribute {
    /// Dates of two duplicates that are no further apart than this, in milliseconds, do not contradict each other:
    /// receipts have whole seconds where responses have milliseconds. Original purchases differ by more from receipt to
    /// receipt.
    package var tolerance: Int64 { self == .originalPurchaseDate ? 86_400_000 : 1000 }
}

extension CodeAttribute {
    /// Attributes that are codes of texts.
    package static let texts = allCases.filter(\.definition.encoding.isText)
    package static let rareTexts = rare.filter(\.definition.encoding.isText)
}

/// A field with its own trust and conflict of duplicates; (price, currency) and (offer_id, offer_type) are one field
/// each.
///
/// The raw value is the place of the field's bit in ``TransactionMarks``, and so in partials.
package enum TransactionField: UInt8, CaseIterable {
    // Facts of the sale: duplicates that differ in one of them are in conflict.
    case original, webOrder, purchaseDate, expiresDate, originalPurchaseDate, product, quantity, isTrial, isIntro
    case environment, bundleID, ownership, price
    // Not facts of the sale, but of the product, the store or the time after it.
    case productType, storefront, offer, appTransaction, subscriptionGroup

    /// The facts of the sale, with the columns by which reports name them. The length is that of the bits of
    /// ``TransactionMarks``, which the entry has no room to widen.
    static let facts: InlineArray<13, (field: TransactionField, column: TransactionColumn)> = [
        (.original, .originalTransactionID), (.webOrder, .webOrderLineItemID), (.purchaseDate, .purchaseDate),
        (.expiresDate, .expiresDate), (.originalPurchaseDate, .originalPurchaseDate), (.product, .productID),
        (.quantity, .quantity), (.isTrial, .isTrial), (.isIntro, .isIntro), (.environment, .environment),
        (.bundleID, .bundleID), (.ownership, .ownershipType), (.price, .price),
    ]

}
