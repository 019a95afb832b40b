import TillColumns
import TillJSON
import TillRows

/// Reads what verifyReceipt responses and V1 notifications have in common: lists of transactions and of renewals.
///
/// One transaction id is one row of a document, whichever lists it stands in (``DocumentIndex``); so a reader holds
/// the state of the document being read, and every document begins with ``beginDocument()``. What holds for the whole
/// document, its environment for one, is left to the format.
struct ReceiptInfoReader {
    var fields = FieldReader()
    var index = DocumentIndex()
    /// What of the lists need not be read; ``beginDocument(_:readsAll:)`` is told.
    var copies = CopyFilter()
    var transactionKeys = ObjectReader<TransactionKey>(KeyTable(), reading: \.isRead)
    var renewalKeys = ObjectReader<RenewalKey>(KeyTable(), reading: { _ in true })
    /// Where the reader stands, for ``path``.
    var place = Place()
    /// The member that holds the lists, where it is not the document itself.
    var parent: String?

    struct Place {
        var list: String?
        var element = 0
        var key: String = ""
        /// The number of the key within the table of the transactions, kept instead of a name on the hot path.
        var transactionKey: Int?
    }

    var path: String {
        let key = place.transactionKey.map { $0 < 0 ? "" : transactionKeys.name($0) } ?? place.key
        let parts = [parent, place.list.map { "\($0)[\(place.element)]" }, key.isEmpty ? nil : key]
        return parts.compactMap(\.self).joined(separator: " › ")
    }

    /// - Parameters:
    ///   - counted: texts of transactions that have been counted, so that their rows may be left out.
    ///   - readsAll: whether they are not to be left out of this document.
    mutating func beginDocument(_ counted: CountedTexts? = nil, readsAll: Bool = false) {
        index.beginDocument()
        copies.beginDocument(counted, readsAll: readsAll)
        place = Place()
        parent = nil
    }
}
