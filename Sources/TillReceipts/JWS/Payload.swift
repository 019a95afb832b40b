import TillCore
import TillJSON

/// The values of a signed transaction, renewal info or app transaction that are not cells of its own row.
struct Payload {
    enum Kind {
        case transaction, renewal
        /// A document without rows.
        case appTransaction
    }

    var environment: Int64?
    var bundleID: Int64?
    var appVersion: Int64?
    var receiptType: Int64?
    var typeEnvironment: Int64?
    var signedDate: Int64?
    var creationDate: Int64?
    var offerType: Int64?
    /// Whether the offer is a free trial; `nil` if the payload has no kind of discount.
    var isFreeTrial: Bool?
    /// The receipt of a record that is no payload.
    var transactionReceipt: JSONToken?
    /// The payload as text, in a record of the properties of a `Transaction`.
    var jsonRepresentation: JSONToken?
    /// The `id` of such a record; other records have ids of their own there.
    var identifier: JSONToken?
    /// The end of service in such a record, and the number of its key.
    var expirationDate: (token: JSONToken, key: Int)?
    /// Whether it is such a record.
    var hasProperties = false
    /// The number in the table of keys of the first member with a defect, which is ``PayloadReader/defect``.
    var defectKey: Int?
    /// When a dump says that it was written, and the rank of that member; 0 is preferred.
    var loggedAt: (instant: Int64, rank: Int)?
    /// Whether a member that payloads do not have begins like a signed document.
    var holdsSigned = false
    /// Whether the transaction id is no number, as all of the App Store are.
    var hasOtherID = false
    /// Whether it is a purchase of Google Play, in a table of several shops.
    var isOfGooglePlay = false
    /// The other format whose keys the object has.
    var other = DetectedFormat()
    private var seen = Provenance()

    struct Provenance: OptionSet {
        var rawValue: UInt8
        static let transactionID = Provenance(rawValue: 1)
        static let productID = Provenance(rawValue: 2)
        static let purchaseDate = Provenance(rawValue: 4)
        static let renewal = Provenance(rawValue: 8)
        static let appTransaction = Provenance(rawValue: 16)
        /// A member that only Apple's payloads have.
        static let apple = Provenance(rawValue: 32)
        /// A member that transactions of a response have, and no payload.
        static let response = Provenance(rawValue: 64)
        /// A member that payloads have, and no transaction of a response.
        static let signed = Provenance(rawValue: 128)
    }

    mutating func note(_ provenance: Provenance) { seen.insert(provenance) }

    /// Whether it is a transaction of a response in camel case, which has the keys of a payload for the most part.
    var isOfResponse: Bool { seen.contains(.response) && !seen.contains(.signed) && !hasProperties }

    /// The kind of payload, which only its members show.
    var kind: Kind? {
        if seen.contains(.transactionID) || seen.isSuperset(of: [.productID, .purchaseDate]) { return .transaction }
        if seen.contains(.renewal) { return .renewal }
        return seen.contains(.appTransaction) ? .appTransaction : nil
    }

    /// Whether it may be the record of another shop: it has no member that only Apple has, and not id, product and
    /// purchase date together, the id a number.
    var isAmbiguous: Bool {
        !seen.contains(.apple)
            && (hasOtherID || !seen.isSuperset(of: [.transactionID, .productID, .purchaseDate]))
    }

    /// Whether it is a payload for sure, and one of those whose rows are counted.
    var isPurchase: Bool {
        !isAmbiguous && !isOfGooglePlay && defectKey == nil && (kind == .transaction || kind == .renewal)
    }

    /// Whether it would be a transaction but for a defect. A record of a program beside a notification may have members
    /// of the same names, but hardly an id as those of the App Store, or product and date. A renewal has neither, so a
    /// defective one cannot be told from such a record.
    var isDefectiveTransaction: Bool { defectKey != nil && !hasOtherID && !isOfGooglePlay && kind == .transaction }

    /// Whether it is a trial. Older payloads have an offer without its kind of discount, which may be a trial.
    var isTrial: Bool? { isFreeTrial ?? (offerType == nil ? false : nil) }
    var isIntroductory: Bool { offerType == 1 }

    /// The signing time; for an app transaction, its creation time.
    var observedAt: Int64? { kind == .appTransaction ? creationDate ?? signedDate : signedDate }
    /// An app transaction names its environment only in its receipt type, and may lack that (quirk 67).
    var anyEnvironment: Int64? { environment ?? typeEnvironment }
}
