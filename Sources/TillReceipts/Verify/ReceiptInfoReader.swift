import TillColumns
import TillCore
import TillJSON
import TillRows

/// Reads the lists of transactions and of renewals that verifyReceipt responses and V1 notifications have in common.
///
/// Each transaction id is one row of a document, even if it is in several lists (``DocumentIndex``). So a reader has
/// the state of one document, and every document begins with ``beginDocument(_:readsAll:)``. The format sets the cells
/// that hold for the whole document, such as the environment.
struct ReceiptInfoReader {
    var fields = FieldReader()
    var index = DocumentIndex()
    /// Which transactions of the lists are skipped.
    var duplicates = DuplicateFilter()
    var transactionKeys = ObjectReader(TransactionKey.keyTable, reading: \.isRead)
    var renewalKeys = ObjectReader(RenewalKey.keyTable, reading: { _ in true })
    /// Made for the first payload of a JWS among the transactions.
    var payloads: PayloadReader?
    /// The transaction that is read. In registers its members would displace what each of them needs.
    var members = TransactionMembers()
    /// Where the reader stands, for ``path``.
    var place = Place()
    /// The member that holds the lists, where it is not the document itself.
    var parent: MemberName?

    struct Place {
        var list: MemberName?
        var element = 0
        var key: MemberName?
        /// The number of the key within the table of the transactions, which knows its spelling too; negative for a
        /// key that the table does not have.
        var transactionKey: Int?
        /// Whether the member is one of ``payloads``.
        var isInPayload = false
    }

    var path: String {
        let key: String? =
            if place.isInPayload {
                payloads?.path
            } else if let number = place.transactionKey {
                number < 0 ? nil : transactionKeys.name(number)
            } else {
                place.key?.text
            }
        let parts = [parent?.text, place.list.map { "\($0.text)[\(place.element)]" }, key]
        return parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " › ")
    }

    /// Moves to the next member with a key of the table, which becomes the ``place``; `nil` at the end of the object.
    /// Others are skipped.
    @_lifetime(cursor: copy cursor)
    mutating func nextKey<Key>(
        _ walk: inout MemberWalk,
        of keys: inout KeyTable<Key>,
        as name: (Key) -> MemberName,
        in cursor: inout JSONCursor
    ) throws(Finding) -> Key? {
        while let number = try keys.next(&walk, in: &cursor) {
            if number != KeyTable<Key>.unknown {
                place.key = name(keys[number])
                return keys[number]
            }
            place.key = nil
            try cursor.skipValue()
        }
        return nil
    }

    /// Begins a document.
    ///
    /// - Parameters:
    ///   - cache: the digests of transactions whose rows a ledger has, so that duplicates may be skipped.
    ///   - readsAll: whether no duplicate is skipped in this document.
    mutating func beginDocument(_ cache: SeenDigestCache? = nil, readsAll: Bool = false) {
        index.beginDocument()
        duplicates.beginDocument(cache, readsAll: readsAll)
        place = Place()
        parent = nil
    }
}
