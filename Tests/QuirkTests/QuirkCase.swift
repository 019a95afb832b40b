import Testing
import TillTestSupport

/// One habit of real receipts: a document that has it, made up for the purpose, and what must come of it.
///
/// Of the expected rows only the named cells are compared, `""` being a cell that is absent; their number and order
/// count. What is not expected must not be there.
struct QuirkCase: Sendable, CustomTestStringConvertible {
    typealias Row = [String: String]

    /// Begins with the number that `docs/quirks.md` gives it: `Quirk 8: …`.
    var title: String
    var bytes: [UInt8]
    var transactions: [Row] = []
    var documents: [Row]?
    var renewals: [Row] = []
    var events: [Row] = []
    /// Codes of the documents that cannot be read.
    var rejects: [String] = []

    var testDescription: String { title }

    init(
        _ title: String,
        _ bytes: [UInt8],
        transactions: [Row] = [],
        documents: [Row]? = nil,
        renewals: [Row] = [],
        events: [Row] = [],
        rejects: [String] = []
    ) {
        self.title = title
        self.bytes = bytes
        self.transactions = transactions
        self.documents = documents
        self.renewals = renewals
        self.events = events
        self.rejects = rejects
    }

    init(
        _ title: String,
        _ text: String,
        transactions: [Row] = [],
        documents: [Row]? = nil,
        renewals: [Row] = [],
        events: [Row] = [],
        rejects: [String] = []
    ) {
        self.init(
            title,
            Array(text.utf8),
            transactions: transactions,
            documents: documents,
            renewals: renewals,
            events: events,
            rejects: rejects
        )
    }
}

/// Makes the documents of the cases.
enum Made {
    /// A receipt with one purchase of these attributes.
    static func receipt(_ purchase: [[UInt8]], _ outer: [[UInt8]] = []) -> ReceiptDER {
        ReceiptDER([ReceiptDER.attribute(0, DER.utf8("Production"))] + outer + [ReceiptDER.purchase(purchase)])
    }

    static func text(_ type: Int64, _ value: String) -> [UInt8] { ReceiptDER.attribute(type, DER.utf8(value)) }
    static func date(_ type: Int64, _ value: String) -> [UInt8] { ReceiptDER.attribute(type, DER.ia5(value)) }
    static func number(_ type: Int64, _ value: Int64) -> [UInt8] { ReceiptDER.attribute(type, DER.integer(value)) }

    /// A response with these members of its one transaction.
    static func response(_ members: String, status: Int = 0, outer: String = "") -> String {
        #"{"status":\#(status),\#(outer)"receipt":{"bundle_id":"b","in_app":[{\#(members)}]}}"#
    }
}
