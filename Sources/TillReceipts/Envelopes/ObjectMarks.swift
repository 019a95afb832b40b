import TillJSON

/// What the keys of an object say of it, while it is searched for documents.
struct ObjectMarks {
    /// Members of tillroll's rejects, of receipts as Unity hands them on, and of errors.
    enum Special: CaseIterable {
        case raw, rawEncoding, payload
        // An error by itself has one of these.
        case domain, type

        var name: String {
            switch self {
            case .raw: "raw"
            case .rawEncoding: "raw_encoding"
            case .payload: "Payload"
            case .domain: "domain"
            case .type: "type"
            }
        }
    }

    /// The format of the highest rank that a discriminator tells.
    private(set) var strong: FormatID?
    /// The first format that a key tells which objects of other kinds have too.
    private(set) var weak: FormatID?
    /// Whether a member was there that only verifyReceipt responses have, and not the requests for them.
    private(set) var isResponse = false
    /// The members of a reject of tillroll, if the object is one.
    var raw: JSONToken?
    var rawEncoding: JSONToken?
    /// Whether the object may be an error by itself.
    private(set) var mayBeError = false
    private var last: Special?

    /// Whether the member that was noted last is a special one.
    func isLast(_ special: Special) -> Bool { last == special }

    mutating func note(_ special: Special?) {
        last = special
        if special == .domain || special == .type { mayBeError = true }
    }

    mutating func note(_ discriminator: Discriminator, isAmbiguous: Bool) {
        let format = discriminator.format
        if format.type == VerifyFormat.self, !VerifyFormat.requestKeys.contains(discriminator.canonicalKey) {
            isResponse = true
        }
        if isAmbiguous {
            weak = weak ?? format
        } else if strong == nil || format.type.rank > strong?.type.rank ?? .min {
            strong = format
        }
    }
}
