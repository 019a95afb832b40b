import TillJSON

/// Decoded copies of signed documents in an envelope.
extension Unwrapper.Search {
    /// Removes decoded payloads that stand beside the JWS with the same payload. The JWS is the document, and its
    /// signature decides whether the document counts.
    ///
    ///     {"localVerificationData":"{\"transactionId\":\"2000…\",…}","serverVerificationData":"eyJ…"}      as apps of Flutter keep them
    ///
    /// Elements of a list are separate records.
    mutating func dropDecodedCopies() {
        func mayBeCopy(_ document: FoundDocument) -> Bool { document.kind == .other && !document.isOfList }
        guard documents.contains(where: mayBeCopy) else { return }
        let signed = documents.filter { $0.kind == .signed && !$0.isOfList }
        let identities = Set(signed.compactMap(\.signedIdentity))
        guard !identities.isEmpty else { return }
        documents.removeAll { document in
            mayBeCopy(document) && PayloadIdentity(of: document.text).map(identities.contains) ?? false
        }
    }
}

extension FoundDocument {
    /// The identity of the payload of a JWS; `nil` if it cannot be decoded or has none.
    fileprivate var signedIdentity: PayloadIdentity? {
        var (reader, payload) = (CompactJWS(), [UInt8]())
        guard let count = try? reader.decode(text.span.bytes, payload: &payload) else { return nil }
        return PayloadIdentity(of: Array(payload[..<count]))
    }
}

/// The value by which a payload of the App Store is recognised: the UUID of a notification, the id of a transaction, or
/// of the subscription that a renewal info is about.
private struct PayloadIdentity: Hashable {
    /// The members, the one that decides first: a transaction has the id of its subscription too.
    private static let keys = [
        ["notificationUUID", "notification_uuid"], ["transactionId", "transaction_id"],
        ["originalTransactionId", "original_transaction_id"],
    ]

    private static let purchaseDates: Set = ["purchaseDate", "purchase_date"]

    private let rank: Int
    private let value: [UInt8]

    /// `nil` if the text is no JSON object with such a member. A purchase without an id has none: it is no copy of the
    /// renewal info of its subscription.
    init?(of text: [UInt8]) {
        let padded = text + Array(repeating: 0, count: JSONCursor.padding)
        var cursor = JSONCursor(padded.span.bytes, limit: text.count)
        var found: (rank: Int, value: [UInt8])?
        var (isFirst, isPurchase) = (true, false)
        do {
            try cursor.expect(0x7B)
            while let (key, value) = try cursor.nextScalar(isFirst: &isFirst) {
                let name = cursor.raw(key).text(0..<key.count)
                isPurchase = isPurchase || Self.purchaseDates.contains(name)
                guard let rank = Self.keys.firstIndex(where: { $0.contains(name) }), rank <= found?.rank ?? .max,
                    value.count > 0
                else { continue }
                found = (rank, cursor.raw(value).copied)
            }
        } catch {
            // A payload that is no JSON is a copy of nothing.
            return nil
        }
        guard let found, !isPurchase || found.rank < Self.keys.count - 1 else { return nil }
        (rank, value) = found
    }
}
